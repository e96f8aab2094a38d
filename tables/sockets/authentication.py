"""Authentication of sockets: the Origin check, the session cookie or the token, and the limits on open sockets."""

import logging
import time
from typing import Any
from urllib.parse import parse_qs

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.db import DatabaseError
from django.http import parse_cookie
from django.http.request import split_domain_port, validate_host

from tables.loop_local import LoopLocal
from tables.play.executors import SIGN_INS
from tables.sockets import credentials
from tables.sockets.admission import address_of, connections
from tables.sockets.base import SIGNED_OUT, TRY_LATER
from tables.sockets.batching import Batcher, Take

log = logging.getLogger(__name__)

_DEFAULT_PORTS = {"http": 80, "https": 443}


class SocketAuthMiddleware:
    """Middleware that sets `scope["user"]` from `Authorization: Token KEY`, `?token=KEY` or the session cookie.

    A browser always names its Origin, which must be the site itself or a trusted one; only a program with a token may
    leave it out, since no browser can be tricked into sending a token. The Host must be one of ALLOWED_HOSTS, or a
    foreign name that leads here would pass as the site itself. Addresses with too many sockets are turned away before
    any query.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = _PerUser(inner)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        address = address_of(scope)
        if not connections.acquire(address, time.monotonic()):
            return await WebsocketDenier()(scope, receive, send)
        try:
            return await self._authenticate(scope, receive, send)
        except DatabaseError:
            log.warning("a socket could not be let in: the database is not well", exc_info=True)
            return await send({"type": "websocket.close", "code": TRY_LATER})
        finally:
            connections.release(address)

    async def _authenticate(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = _headers(scope)
        key = _token(headers.get("authorization", ""), scope.get("query_string", b""))
        if not _is_origin_allowed(headers, secure=scope.get("scheme") in {"wss", "https"}, with_token=bool(key)):
            return await WebsocketDenier()(scope, receive, send)
        session = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME, "")
        handshake = credentials.HandshakeKey(key, "" if key else session)
        bearer = await _batcher().submit(handshake) if key or handshake.session else credentials.Bearer()
        identity = {
            "user": bearer.user, "session": bearer.session, "session_key": bearer.session_key, "token": bearer.token,
        }  # fmt: skip
        return await self._inner({**scope, **identity}, receive, send)


class _PerUser:
    """Middleware that closes a user's sockets beyond the limit with 1013, and staff's with 4003 if not admitted."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        user = scope.get("user")
        if user is None or not user.is_authenticated:
            return await self._inner(scope, receive, send)
        if credentials.is_staff(user) and not await SIGN_INS.read(credentials.is_admitted, scope):
            return await _close(receive, send, SIGNED_OUT)
        if not connections.acquire_user(user.pk):
            return await _close(receive, send, TRY_LATER)
        try:
            return await self._inner(scope, receive, send)
        finally:
            connections.release_user(user.pk)


async def _close(receive: Any, send: Any, code: int) -> None:
    """Close with that code; accept first, since a socket that was never open has no close code."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})


def _token(authorization: str, query: bytes) -> str:
    scheme, _, key = authorization.partition(" ")
    from_header = key.strip() if scheme.lower() == "token" else ""
    return from_header or parse_qs(query.decode("latin1")).get("token", [""])[0]


async def _all_bearers(take: Take[credentials.HandshakeKey]) -> Any:
    return await SIGN_INS.read(lambda: credentials.bearers(take()))


#: Where the sockets of the running loop sign in: those that come at once share their queries.
_batcher: LoopLocal[Batcher[credentials.HandshakeKey]] = LoopLocal(lambda: Batcher(_all_bearers))


def _headers(scope: dict[str, Any]) -> dict[str, str]:
    """Return the headers by name; one that was sent twice is joined by a comma, and so matches nothing."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin1").lower(), raw_value.decode("latin1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def _is_origin_allowed(headers: dict[str, str], *, secure: bool, with_token: bool) -> bool:
    host, origin = headers.get("host", ""), headers.get("origin")
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    return with_token if origin is None else _is_same_site(origin, host, secure=secure)


def _is_same_site(origin: str, host: str, *, secure: bool) -> bool:
    """Return whether the origin is the requested site, scheme and port included, or one of CSRF_TRUSTED_ORIGINS."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    scheme = "https" if secure else "http"
    default = f":{_DEFAULT_PORTS[scheme]}"
    return origin.lower() in {f"{scheme}://{name}" for name in (host.lower(), host.lower().removesuffix(default))}
