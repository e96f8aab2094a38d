"""The outermost layer of a web process: from here on the scope says only what is true."""

import ipaddress
import re
from typing import Any

from django.conf import settings
from django.utils.http import parse_header_parameters

#: What a proxy says of the client. From anybody else it is a lie; nobody behind this layer reads it.
_FORWARDED = frozenset({
    b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-port", b"x-forwarded-proto",
    b"x-forwarded-scheme", b"x-forwarded-ssl", b"x-real-ip", b"x-scheme", b"front-end-https",
})  # fmt: skip
#: A zero byte, as a cookie spells it. No cookie of ours has one, and PostgreSQL fails on it.
_ZERO = rb"\000"
#: All of ASCII, and what some charsets read as half a character, which no database takes.
_ASCII = bytes(range(128)).replace(b"\\", b"") + rb"\ud800+2AA-"
#: The charset of a Content-Type, as it is usually written.
_CHARSET = re.compile(rb";\s*charset\s*=\s*\"?([^\";,]*)\"?", re.I)


class ProxyHeaders:
    """Set `client` and `scheme` to those of the real client behind `settings.PROXIES` proxies of our own.

    Each proxy appends the address of its caller to X-Forwarded-For, so only the last PROXIES entries can be trusted:
    a client may have made up the ones before. Nor can a client move the site to another root path.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        if scope["type"] in ("http", "websocket"):
            scope = truthful(scope, settings.PROXIES)
        return await self._inner(scope, receive, send)


def truthful(scope: dict[str, Any], proxies: int) -> dict[str, Any]:
    """Return the scope with `client` and `scheme` as the innermost `proxies` proxies saw them, without what clients
    claim.
    """
    headers = [(name, _readable(name, value)) for name, value in scope["headers"] if _passes(name.lower(), value)]
    trusted = {**scope, "headers": headers, "root_path": ""}
    if not proxies:
        return trusted
    forwarded = [part.strip() for value in _values(scope, b"x-forwarded-for") for part in value.split(",")]
    if len(forwarded) >= proxies and (address := _address(forwarded[-proxies])):
        trusted["client"] = [address, 0]
    schemes = [part.strip().lower() for value in _values(scope, b"x-forwarded-proto") for part in value.split(",")]
    if schemes and schemes[-1] in {"https", "wss"}:
        trusted["scheme"] = "https" if scope["type"] == "http" else "wss"
    return trusted


def _passes(name: bytes, value: bytes) -> bool:
    return name not in _FORWARDED and not (name == b"cookie" and _ZERO in value)


def _readable(name: bytes, value: bytes) -> bytes:
    """Return the value; of a Content-Type without a charset by which forms cannot be read, such as hex, on which their
    parser breaks off: UTF-8 holds then, as for one that nobody knows. What cannot be read even then loses the rest.
    """
    if name.lower() != b"content-type" or b";" not in value:
        return value
    named = (value, _CHARSET.sub(b"", value))
    return next((kind for kind in named if _can_be_read(kind)), value.partition(b";")[0])


def _can_be_read(kind: bytes) -> bool:
    """Return whether Django can read the Content-Type, and by its charset ASCII as what it is."""
    try:
        charset = parse_header_parameters(kind.decode("latin1"))[1].get("charset", "utf-8")
        return _ASCII.decode(charset, "replace") == _ASCII.decode("ascii")
    except (LookupError, ValueError):
        return False


def _values(scope: dict[str, Any], header: bytes) -> list[str]:
    return [value.decode("latin1") for name, value in scope["headers"] if name.lower() == header]


def _address(text: str) -> str | None:
    """Return the IP address in the text, without a port; None where there is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
