"""What a client does wrong is a line of the log at most: no error, which is an alarm, and no traceback."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config import logs
from tests.support.players import signed_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Collect what the handler of production writes."""
    configurator: Any = logging.config.DictConfigurator(logs.settings(as_json=True))
    config = configurator.config
    for kind in ("formatter", "filter"):
        configure = getattr(configurator, f"configure_{kind}")
        config[f"{kind}s"] = {name: configure(each) for name, each in config[f"{kind}s"].items()}
    stream = io.StringIO()
    handler: logging.Handler = configurator.configure_handler({**config["handlers"]["stderr"], "stream": stream})
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def told(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/how-to-play/", {"host": "evil.test"}, 400),
        ("/admin/autocomplete/", {}, 403),
        ("/nothing/", {}, 404),
        ("/logout/", {}, 405),
    ],
)
def test_a_request_that_is_wrong_makes_no_error_and_no_traceback(
    path: str, headers: dict[str, str], status: int, lines: io.StringIO, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client(raise_request_exception=False, headers=headers)
    client.force_login(signed_up(is_staff=True, is_superuser=True))
    assert client.get(path).status_code == status
    written = told(lines)
    assert written and {line["level"] for line in written} == {"warning"}
    assert not any("exception" in line for line in written) and "Traceback" not in lines.getvalue()


def test_too_many_fields_make_no_error_either(lines: io.StringIO) -> None:
    fields = {f"field{number}": "x" for number in range(1_100)}
    assert Client(raise_request_exception=False).post("/login/", fields).status_code == 400
    assert {line["level"] for line in told(lines)} == {"warning"}


def test_a_fault_of_ours_stays_an_error_with_its_traceback(lines: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("lobby.help.views.render", fail)
    assert Client(raise_request_exception=False).get("/how-to-play/").status_code == 500
    (line,) = told(lines)
    assert line["level"] == "error" and line["exception"]
