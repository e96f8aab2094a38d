"""Prometheus metrics of play: moves, commits, sockets and pushes. Each process counts its own; /metrics shows them."""

import time
import uuid
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from prometheus_client import Counter, Gauge, Histogram
from structlog.contextvars import bind_contextvars

MOVES = Counter("rummy_moves", "Moves that came in, by type and by what became of them.", ("type", "verdict"))
PLAY_SECONDS = Histogram(
    "rummy_play_seconds",
    "From a move's arrival to its answer, the database included.",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
)
FAST = Counter(
    "rummy_fast_moves",
    "Moves tried the fast way: made, lost to what has changed since, or left to the way with the lock.",
    ("outcome",),
)
BATCH = Histogram("rummy_fast_batch", "Moves that shared one commit.", buckets=(1, 2, 4, 8, 16, 32, 64))
COMMIT_SECONDS = Histogram(
    "rummy_fast_commit_seconds",
    "From the first statement of a commit of the fast way to its end.",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1),
)
SOCKETS = Gauge("rummy_sockets", "Sockets that are open.", ("kind",))
CLOSES = Counter("rummy_socket_closes", "Sockets that this process has closed, by the code it gave.", ("code",))
PROCESSOR = Counter(
    "rummy_processor_seconds",
    "Processor time of a web process, by the part of its work; what is in none of them is the server's and the loop's.",
    ("part",),
)
PUSHES = Counter("rummy_pushes", "Messages handed to the channel layer, by what became of them.", ("outcome",))


#: The parts: the looks of the heartbeat and what follows from them; the channel layer; moves from the kernel until they
#: wait for their batch; making them; writing them; and frames, from encoding to sending.
PARTS = {part: PROCESSOR.labels(part) for part in ("heartbeat", "layer", "receiving", "making", "writing", "frames")}


def spend(part: str, since: float) -> float:
    """Count for the part what this thread has taken since its `time.thread_time` was `since`; return what it is now."""
    now = time.thread_time()
    PARTS[part].inc(now - since)
    return now


def count(kind: str, verdict: str, seconds: float) -> None:
    """Count and time one move that was answered."""
    PLAY_SECONDS.observe(seconds)
    _moves(kind, verdict).inc()


@cache
def _moves(kind: str, verdict: str) -> Any:
    """Return the counter of these moves: the library looks it up behind a lock."""
    return MOVES.labels(kind, verdict)


def measured(play: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Count and time calls of `play` by outcome: `ack`, the code of the refusal, or `fault` for an internal error."""

    @wraps(play)
    def counted(**arguments: Any) -> dict[str, Any]:
        began, verdict = time.perf_counter(), "fault"
        try:
            answer = play(**arguments)
            verdict = str(answer.get("code", answer["type"]))
            return answer
        except Exception as error:
            verdict = str(getattr(error, "code", verdict))
            raise
        finally:
            # A move that found its table locked is tried again and counted then.
            if verdict != "busy":
                count(arguments["frame"].type, verdict, time.perf_counter() - began)

    return counted


class Counted:
    """A consumer whose open sockets are counted, and whose log lines carry a socket id and the path of the socket."""

    def __init__(self, kind: str, consumer: Any) -> None:
        self._consumer = consumer
        self._open = SOCKETS.labels(kind)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        bind_contextvars(socket=uuid.uuid4().hex[:12], path=scope["path"])
        with self._open.track_inprogress():
            return await self._consumer(scope, receive, send)
