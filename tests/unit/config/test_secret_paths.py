"""Secrets that stand in addresses: no line of a log has them, of the platform or of the proxy in front."""

import io
import json
import logging
import logging.config
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.test import Client

from config import logs
from config.logs import SECRET_PARAMETERS, hide_secrets, site_routes
from tests.support.players import signed_up

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bare_heads")]

SECRET = "Z9kQhidden-Word_7"
#: Other parameters of text, and what they are.
PLAIN_PARAMETERS = {
    "day", "family", "file", "key", "language", "name",  # names of what everybody sees
    "uidb64",  # the number of an account
    "object_id", "app_label", "url", "id", "content_type_id",  # the staff site
}  # fmt: skip
_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")


def secret_addresses() -> list[str]:
    """Return an address of each route with a secret in it, the secret in its place."""
    return [
        _PARAMETER.sub(lambda each: SECRET if each[2] in SECRET_PARAMETERS else "1", route)
        for route in site_routes()
        if SECRET_PARAMETERS & {name for _, name in _PARAMETER.findall(route)}
    ]


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Write every line as a web process in production does."""
    form = logs.settings(as_json=True)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.config.DictConfigurator(form).configure_formatter(form["formatters"]["events"]))  # type: ignore[attr-defined]
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def test_every_parameter_is_known_as_secret_or_as_none() -> None:
    """A new parameter of text is put here or there."""
    found = {name for route in site_routes() for kind, name in _PARAMETER.findall(route) if kind != "int"}
    assert found - PLAIN_PARAMETERS == SECRET_PARAMETERS
    assert len(secret_addresses()) >= 6


@pytest.mark.parametrize("fault", [None, SuspiciousOperation("odd"), ValueError("ours")])
def test_no_line_has_the_secret_of_an_address(
    fault: Exception | None, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(signed_up())
    if fault is not None:

        def fail(*_: Any) -> None:
            raise fault

        monkeypatch.setattr("config.browser.headers.PrivateAnswers.process_view", fail, raising=False)
    for address in secret_addresses():
        for method in ("get", "post", "delete"):
            getattr(client, method)(address)
        client.get(address.removesuffix("/"))
        client.get(f"{address}nothing/")
    written = lines.getvalue()
    assert written.count("\n") > len(secret_addresses())
    assert SECRET not in written
    assert json.dumps(logs.HIDDEN)[1:-1] in written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Not Found: /private/ABCD2345/", "Not Found: /private/■/"),
        ("<ASGIRequest: GET '/shared/tok-en_1/?x=1'>", "<ASGIRequest: GET '/shared/■/?x=1'>"),
        (
            "https://play.example/login/forgotten/MQ/abc-123/ was sent",
            "https://play.example/login/forgotten/MQ/■/ was sent",
        ),
        ("GET /tables/41/ and 3/4 of it", "GET /tables/41/ and 3/4 of it"),
        ("no address", "no address"),
    ],
)
def test_only_the_secret_part_of_an_address_is_hidden(text: str, shown: str) -> None:
    assert hide_secrets(text) == shown


def test_the_proxy_in_front_hides_them_as_well() -> None:
    conf = (Path(settings.BASE_DIR) / "config/deploy/nginx.conf").read_text()
    pattern = re.search(r'map \$uri \$logged_path \{.*?"~(\^[^"]+)" "\$opened-"', conf, re.S)
    assert (
        pattern is not None
        and '"path":"$logged_path"' in conf
        and "$request"
        not in re.findall(r"log_format[^;]+", conf)[0].replace("$request_method", "").replace("$request_time", "")
    )
    hides = re.compile(pattern[1].replace("(?<", "(?P<"))
    for address in secret_addresses():
        match = hides.match(address)
        assert match is not None and SECRET not in match["opened"], address
