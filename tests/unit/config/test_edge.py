"""What a client claims about itself, its origin and the site it requests, at the edge of a web process."""

from typing import Any

import pytest
from channels.testing import HttpCommunicator

from config.asgi import application, routes
from config.proxy_headers import truthful
from tests.support.sockets import PatientSocket

ROUTES = ("/ws/lobby/", "/ws/tables/1/", "/ws/tables/1/watch/")
HOSTILE = (
    "https://evil.test", "http://evil.test", "null", "NULL", "", " ", "http://", "http://[", "file://",
    "https://play.test.evil.test", "https://evil-play.test", "https://play.test@evil.test",
    "https://evil.test#https://play.test", "https://play.test.", "https://play.test:444", "http://play.test",
    "http://play.test:443", "wss://play.test", "https://play.test/", "https://play.test, https://evil.test",
    "//play.test", "play.test", "https://xn--ply-8na.test", "https://play.test%00.evil.test",
)  # fmt: skip


def scope(kind: str = "http", client: str = "10.0.0.1", **headers: str) -> dict[str, Any]:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": kind, "client": [client, 4711], "headers": raw, "root_path": "/elsewhere"}


@pytest.fixture
def site(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["play.test"]
    settings.PROXIES = 1


def asking(path: str, origin: str | None, host: str = "play.test") -> PatientSocket:
    headers = [(b"host", host.encode()), (b"x-forwarded-proto", b"https"), (b"x-forwarded-for", b"9.9.9.9")]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    return PatientSocket(application, path, headers=headers)


@pytest.mark.asyncio
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("path", ROUTES)
async def test_no_hostile_origin_opens_a_socket(path: str) -> None:
    assert len(HOSTILE) >= 20
    for origin in (*HOSTILE, None):
        assert not (await asking(path, origin).connect())[0], origin


@pytest.mark.asyncio
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("path", ROUTES)
async def test_an_unknown_host_is_refused(path: str) -> None:
    """Otherwise anybody who points their own name to our address is same-origin with us."""
    for host in ("evil.test", "play.test.evil.test", "127.0.0.1", "", "play.test, evil.test", "evil.test:443"):
        assert not (await asking(path, f"https://{host}", host).connect())[0], host


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(("origin", "host"), [
    ("https://play.test", "play.test"), ("https://play.test", "play.test:443"),
    ("https://play.test:8443", "play.test:8443"),
    ("https://www.play.test", "play.test"),
])  # fmt: skip
async def test_the_site_itself_and_a_trusted_one_open_it(path: str, origin: str, host: str, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://www.play.test"]
    socket = asking(path, origin, host)
    assert (await socket.connect())[0]
    await socket.disconnect()


def test_every_socket_route_is_tried() -> None:
    assert len(routes) == len(ROUTES)


@pytest.mark.parametrize("proxies", [0, 1, 2])
def test_an_address_counts_only_from_our_own_proxies(proxies: int) -> None:
    true = truthful(scope(x_forwarded_for="6.6.6.6, 1.2.3.4,5.6.7.8", x_real_ip="6.6.6.6"), proxies)
    assert true["client"][0] == {0: "10.0.0.1", 1: "5.6.7.8", 2: "1.2.3.4"}[proxies]
    assert true["headers"] == []
    assert true["root_path"] == ""


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("1.2.3.4:5678", "1.2.3.4"),
        ("2001:DB8::1", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("", "10.0.0.1"),
        ("unknown", "10.0.0.1"),
        ("1.2.3.4\u00a0evil", "10.0.0.1"),
        ("1.2.3.4\r\nX: y", "10.0.0.1"),
    ],
)
def test_only_ip_addresses_are_accepted(text: str, address: str) -> None:
    assert truthful(scope(x_forwarded_for=text), 1)["client"][0] == address


def test_fewer_addresses_than_proxies_name_nobody() -> None:
    assert truthful(scope(x_forwarded_for="6.6.6.6"), 2)["client"][0] == "10.0.0.1"


def test_the_scheme_is_what_our_own_proxy_says() -> None:
    assert "scheme" not in truthful(scope(x_forwarded_proto="https"), 0)
    assert truthful(scope(x_forwarded_proto="https"), 1)["scheme"] == "https"
    assert truthful(scope(x_forwarded_proto="https, http"), 1).get("scheme") != "https"
    assert truthful(scope("websocket", x_forwarded_proto="https"), 1)["scheme"] == "wss"


def test_a_cookie_with_a_zero_byte_does_not_come_in() -> None:
    true = truthful(scope(cookie=r'sessionid="abcdefgh\000ijkl"', accept="*/*"), 0)
    assert true["headers"] == [(b"accept", b"*/*")]


@pytest.mark.parametrize("charset", ["hex", "base64", "rot13", "idna", "undefined", "nonsense", "a\xe9", "x" * 5_000])
def test_a_charset_by_which_nothing_can_be_read_does_not_come_in(charset: str) -> None:
    for named in (f"charset={charset}", f'Charset="{charset}"'):
        [(_, kept)] = truthful(scope(content_type=f"multipart/form-data; {named}; boundary=B"), 0)["headers"]
        assert kept == b"multipart/form-data; boundary=B"


@pytest.mark.parametrize("charset", ["unicode_escape", "raw_unicode_escape", "utf-7", "utf-16", "punycode", "cp037"])
def test_no_charset_comes_in_by_which_forms_have_half_characters_or_other_fields(charset: str) -> None:
    [(_, kept)] = truthful(scope(content_type=f"application/x-www-form-urlencoded; charset={charset}"), 0)["headers"]
    assert kept == b"application/x-www-form-urlencoded"


@pytest.mark.parametrize("rest", ["charset*=UTF-8''hex", "charset*=foo''x", "x*=foo''x", "charset*0=he; charset*1=x"])
def test_what_breaks_off_a_request_before_any_page_does_not_come_in(rest: str) -> None:
    assert truthful(scope(content_type=f"text/plain; {rest}"), 0)["headers"] == [(b"content-type", b"text/plain")]
    twice = "multipart/form-data; charset=utf-8; charset=hex; boundary=B"
    assert truthful(scope(content_type=twice), 0)["headers"] == [(b"content-type", b"multipart/form-data; boundary=B")]


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=charset", "text/plain; charset=UTF-8", "a/b; charset=latin1", ""]
)
def test_any_other_type_of_content_comes_in_as_it_is(kind: str) -> None:
    assert truthful(scope(content_type=kind), 0)["headers"] == [(b"content-type", kind.encode())]


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
@pytest.mark.usefixtures("site")
async def test_pages_of_another_host_are_refused_whatever_is_forwarded() -> None:
    headers = [(b"host", b"evil.test"), (b"x-forwarded-host", b"play.test"), (b"x-forwarded-proto", b"https")]
    answer = await HttpCommunicator(application, "GET", "/how-to-play/", headers=headers).get_response(timeout=30)
    assert answer["status"] == 400
    assert b"evil.test" not in answer["body"]
