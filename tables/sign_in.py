"""Who is at the other end of a socket: the Origin check, the session cookie, the token."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from rest_framework.authtoken.models import Token

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


class SocketSignIn:
    """Sets `scope["user"]` from `Authorization: Token KEY`, `?token=KEY` or the session cookie.

    A browser always names its Origin, and it must be the site itself or a trusted one; only a program
    that brings a token may leave it out, since no browser can be tricked into sending one.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._with_session = AuthMiddlewareStack(inner)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
        key = _token(headers.get("authorization", ""), scope.get("query_string", b""))
        origin = headers.get("origin")
        if not (_is_allowed(origin, headers.get("host", "")) if origin is not None else key):
            return await WebsocketDenier()(scope, receive, send)
        if not key:
            return await self._with_session(scope, receive, send)
        user = await database_sync_to_async(_user_of, thread_sensitive=False)(key)
        return await self._inner({**scope, "user": user, "session": None}, receive, send)


def _token(authorization: str, query: bytes) -> str:
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() == "token" and key.strip():
        return key.strip()
    return parse_qs(query.decode("latin1")).get("token", [""])[0]


def _user_of(key: str) -> Any:
    token = Token.objects.select_related("user").filter(key=key).first()
    return token.user if token is not None and token.user.is_active else None


def _is_allowed(origin: str, host: str) -> bool:
    """True for the very host that was asked, port included, and for the origins in CSRF_TRUSTED_ORIGINS."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        asked = urlsplit(origin)
        own = urlsplit(f"//{host}")
        default = _DEFAULT_PORTS.get(asked.scheme)
        return (
            default is not None
            and bool(own.hostname)
            and asked.hostname == own.hostname
            and (asked.port or default) == (own.port or default)
        )
    except ValueError:
        return False
