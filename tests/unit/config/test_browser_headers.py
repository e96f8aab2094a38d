"""What every answer tells browsers, whoever makes it; and cookies that belong to this host alone."""

from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.test import Client

from config.browser.headers import PERMISSIONS_POLICY
from config.health.probes import Probes
from lobby.accounts.devices import known_device
from tests.support.players import PASSWORD, signed_up

pytestmark = pytest.mark.django_db

EXPECTED = {"X-Content-Type-Options": "nosniff", "Permissions-Policy": PERMISSIONS_POLICY}
HSTS = "max-age=31536000; includeSubDomains; preload"


@pytest.fixture
def as_in_production(settings: Any) -> None:
    settings.COOKIE_PREFIX = "__Host-"
    for name, cookie in (("SESSION", "sessionid"), ("CSRF", "csrftoken"), ("LANGUAGE", "language")):
        setattr(settings, f"{name}_COOKIE_NAME", f"__Host-{cookie}")
        setattr(settings, f"{name}_COOKIE_SECURE", True)
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = settings.SECURE_HSTS_PRELOAD = True


@pytest.mark.parametrize("path", ["/static/css/base.css", "/static/img/brand.svg", "/login/", "/api/me/", "/nothing/"])
def test_files_pages_and_calls_say_the_same(path: str, as_in_production: None) -> None:
    answer = Client().get(path, secure=True)
    for name, value in EXPECTED.items():
        assert answer[name] == value
    policy = answer["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert answer["Strict-Transport-Security"] == HSTS


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), [("GET", "/healthz"), ("GET", "/metrics"), ("POST", "/readyz")])
async def test_probes_say_so_too(method: str, path: str, as_in_production: None) -> None:
    for scheme in ("https", "http"):
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "scheme": scheme,
            "headers": [],
            "client": ["8.8.8.8", 1],
        }
        asking = ApplicationCommunicator(Probes(None), scope)
        headers = {name.decode(): value.decode() for name, value in (await asking.receive_output(10))["headers"]}
        for name, value in EXPECTED.items():
            assert headers[name.lower()] == value
        assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert headers.get("strict-transport-security") == (HSTS if scheme == "https" else None)


def test_every_cookie_of_production_belongs_to_this_host_alone(as_in_production: None) -> None:
    signed_up("asha")
    client = Client()
    client.get("/login/", secure=True)
    client.post("/language/", {"language": "hi"}, secure=True)
    client.post("/login/", {"username": "asha", "password": PASSWORD, "remember": "on"}, secure=True)
    client.post("/account/", {"display_name": "Moon", "avatar": ""}, secure=True)
    names = {"__Host-sessionid", "__Host-csrftoken", "__Host-language", "__Host-device", "__Host-messages"}
    assert set(client.cookies) == names
    for cookie in client.cookies.values():
        assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", ""), cookie.key
    assert "Moon" in client.get("/account/", secure=True).content.decode()


def test_a_known_device_is_known_by_the_cookie_of_its_name(as_in_production: None, rf: Any) -> None:
    signed_up("asha")
    client = Client()
    client.post("/login/", {"username": "asha", "password": PASSWORD}, secure=True)
    cookie = client.cookies["__Host-device"].value
    for name, known in (("__Host-device", True), ("device", False)):
        request = rf.get("/login/")
        request.COOKIES[name] = cookie
        assert (known_device(request, "asha") is not None) is known
