"""The probes /healthz, /readyz and /metrics: three addresses for machines, answered before the site sees the request.

They check neither host nor session. /healthz answers from the event loop alone, so it is silent when the loop hangs.
"""

import asyncio
import hmac
import json
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from django.conf import settings
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from config.browser.headers import bare_headers
from config.health import metrics, report as health
from tables.sockets.admission import connections

#: Seconds after which a check that has not answered counts as failed.
PATIENCE = 4.0
#: Seconds for which a report is used again.
FRESH = 1.0
_LOOPBACK = {"127.0.0.1", "::1"}
#: Threads of their own, so that a database that hangs takes none from the tables.
_threads = ThreadPoolExecutor(3, thread_name_prefix="probe")


class Probes:
    """The ASGI layer that answers the probes, and passes everything else on to `inner`."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._latest: tuple[float, Future[list[health.Part]], Future[health.Part]] | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        probe = {"/healthz": self._alive, "/readyz": self._ready, "/metrics": self._metrics}.get(scope.get("path", ""))
        if scope["type"] != "http" or probe is None:
            return await self._inner(scope, receive, send)
        if scope["method"] not in {"GET", "HEAD"}:
            return await _send(scope, send, 405, b"", "text/plain")
        return await _send(scope, send, *await probe(scope))

    async def _alive(self, scope: dict[str, Any]) -> tuple[int, bytes, str]:
        return 200, b'{"alive": true}', "application/json"

    async def _ready(self, scope: dict[str, Any]) -> tuple[int, bytes, str]:
        try:
            report, move = self._report()
            async with asyncio.timeout(PATIENCE):
                parts = await asyncio.shield(asyncio.wrap_future(report))
                parts = [*parts, await asyncio.shield(asyncio.wrap_future(move))]
        except TimeoutError:
            parts = [health.Part("database", False, f"no answer within {PATIENCE:.0f} s")]
        if not connections.open:
            parts = [*parts, health.Part("server", False, "it is being stopped")]
        content = health.as_json(parts)
        return 200 if content["ready"] else 503, json.dumps(content).encode(), "application/json"

    def _report(self) -> tuple[Future[list[health.Part]], Future[health.Part]]:
        """Return the report and the check of moves, if fresh or still running; otherwise start new ones."""
        now = time.monotonic()
        report = self._latest
        if report is None or (report[1].done() and report[2].done() and now - report[0] > FRESH):
            report = self._latest = now, _threads.submit(health.report), _threads.submit(health.moves)
        return report[1:]

    async def _metrics(self, scope: dict[str, Any]) -> tuple[int, bytes, str]:
        if not may_read_metrics(scope):
            return 404, b"", "text/plain"
        loop = asyncio.get_running_loop()
        move = loop.run_in_executor(_threads, health.moves)
        await loop.run_in_executor(_threads, metrics.refresh)
        metrics.show([await move])
        return 200, generate_latest(), CONTENT_TYPE_LATEST


def may_read_metrics(scope: dict[str, Any]) -> bool:
    """Return whether the client may read /metrics: with the token of the settings, or without one from this machine.

    In production there is no access without a token.
    """
    if settings.METRICS_TOKEN:
        authorization = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(authorization, b"Bearer " + settings.METRICS_TOKEN.encode())
    client = scope.get("client") or [""]
    return not settings.PRODUCTION and client[0] in _LOOPBACK


async def _send(scope: dict[str, Any], send: Any, status: int, body: bytes, content_type: str) -> None:
    headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    headers += bare_headers(scope.get("scheme", "http"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
