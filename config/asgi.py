"""The ASGI application of a web process: HTTP, and the sockets, each at its path behind Origin check and sign-in."""

# ruff: noqa: E402  Django must be set up before its models are imported.
import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
_http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter
from django.urls import path

from config.health.probes import Probes
from config.proxy_headers import ProxyHeaders
from lobby.stakes.consumers import LobbyConsumer
from tables.metrics import Counted
from tables.sockets.authentication import SocketAuthMiddleware
from tables.sockets.consumer import TableConsumer
from tables.watching.shows import WatchConsumer

routes = [
    path("ws/tables/<int:table_id>/", Counted("table", TableConsumer.as_asgi())),
    path("ws/tables/<int:table_id>/watch/", Counted("watch", WatchConsumer.as_asgi())),
    path("ws/lobby/", Counted("lobby", LobbyConsumer.as_asgi())),
]
#: No table has this number, nor a larger one.
LIMIT = 2**63


class KnownPaths:
    """Answer 404 to a handshake for an unknown path, before the user is looked up."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        if _is_known(scope["path"]):
            return await self._inner(scope, receive, send)
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            return await send({"type": "websocket.close"})
        await send({"type": "websocket.http.response.start", "status": 404, "headers": []})
        return await send({"type": "websocket.http.response.body", "body": b""})


def _is_known(path: str) -> bool:
    for route in routes:
        if match := route.pattern.match(path.lstrip("/")):
            _, _, parameters = match
            return all(int(number) < LIMIT for number in parameters.values())
    return False


_sockets = KnownPaths(SocketAuthMiddleware(URLRouter(routes)))
application = ProxyHeaders(Probes(ProtocolTypeRouter({"http": _http, "websocket": _sockets})))
