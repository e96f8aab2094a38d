"""Is everything there that play needs? One report, for probes, measures and staff."""

import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from redis import Redis, RedisError

from config.health.models import Heartbeat
from tables.models import Pulse, Table
from tables.play import clocks, lanes, outages
from tables.play.store import now_ms
from wallet.audit import freeze

#: A part whose last sign of life is older, in ms, is not at work.
SILENT_AFTER_MS = 5_000
#: A clock overdue by more, in ms, says that nobody looks after the tables.
OVERDUE_AFTER_MS = 10_000
#: A call that was asked for so long ago, in ms, and is not answered, says that this process stands.
STANDS_AFTER_MS = 6_000
#: Two clocks so far apart, in ms, are not those of one platform.
CLOCKS_APART_MS = 5_000
#: Seconds that a move may take from its asking to its answer.
MOVE_WITHIN = 3.0
#: The row that a probe takes on the way of a move.
MOVE = "move"
#: Seconds that Redis may take to answer.
REDIS_TIMEOUT = 2

PARTS_AT_WORK = {
    "beat": "sends the sweep every second",
    "worker": "ends tasks",
    "sweep": "looks at every table that is overdue",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part, whether it is `ok`, and the `detail`; `age_ms` where it has to do with time."""

    name: str
    ok: bool
    detail: str
    age_ms: int | None = None

    def as_json(self) -> dict[str, Any]:
        age = {} if self.age_ms is None else {"age_ms": self.age_ms}
        return {"ok": self.ok, "detail": self.detail, **age}


def report() -> list[Part]:
    """Ask every part. Nothing is raised: a part that cannot be asked is not well."""
    try:
        return [database(), layer(), *heartbeats(), clock(), deadlines(), settlement(), calls()]
    except DatabaseError:
        return [Part("database", False, "does not answer"), layer(), calls()]
    finally:
        if not connection.in_atomic_block:
            connection.close()


def as_json(parts: list[Part]) -> dict[str, Any]:
    return {"ready": all(part.ok for part in parts), "parts": {part.name: part.as_json() for part in parts}}


def database() -> Part:
    """Raise DatabaseError where it does not answer."""
    now_ms()
    return Part("database", True, connection.vendor)


def layer() -> Part:
    """Redis, which carries pushes and tasks; in the embedded default both stay in the process."""
    url = settings.CELERY_BROKER_URL
    if not url.startswith(("redis", "unix")):
        return Part("layer", True, "in memory")
    try:
        with Redis.from_url(url, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT) as redis:
            redis.ping()
    except RedisError:
        return Part("layer", False, "Redis does not answer")
    return Part("layer", True, "Redis")


def calls() -> Part:
    """Return how long the oldest move, joining or leaving has waited for an answer of this process."""
    age = lanes.oldest_ms()
    return Part("calls", age <= STANDS_AFTER_MS, f"the oldest waits for {age} ms" if age else "none waits", age)


def moves() -> Part:
    """Go the way of a move once: its threads, a row under lock, a commit. Not from inside a transaction."""
    began = time.monotonic()
    try:
        lanes.MOVES.begin(_move).result(MOVE_WITHIN)
    except TimeoutError:
        return Part("moves", False, f"none is answered within {MOVE_WITHIN:.0f} s")
    except DatabaseError as fault:
        return Part("moves", False, f"the database refuses them: {type(fault).__name__}")
    return Part("moves", True, f"answered within {(time.monotonic() - began) * 1000:.0f} ms")


def _lock_heartbeat() -> Heartbeat | None:
    return Heartbeat.objects.select_for_update(skip_locked=True).filter(name=MOVE).first()


def _move() -> None:
    """Wait for no row: where another process has it, a transaction was had all the same."""
    with transaction.atomic():
        row = _lock_heartbeat()
        if row is None:
            Heartbeat.objects.bulk_create([Heartbeat(name=MOVE, at_ms=now_ms())], ignore_conflicts=True)
        else:
            row.at_ms = now_ms()
            row.save(update_fields=["at_ms"])


def heartbeats() -> list[Part]:
    """Beat, worker and sweep, by their last signs of life."""
    now = now_ms()
    last = dict(Heartbeat.objects.values_list("name", "at_ms"))
    return [_part(name, what, last.get(name), now) for name, what in PARTS_AT_WORK.items()]


def _part(name: str, what: str, at_ms: int | None, now: int) -> Part:
    if at_ms is None:
        return Part(name, False, "never seen")
    age = now - at_ms
    if age < -outages.AHEAD_MS:
        return Part(name, False, _ahead(-age), age)
    return Part(name, age <= SILENT_AFTER_MS, what if age <= SILENT_AFTER_MS else "silent", max(0, age))


def clock() -> Part:
    """Compare the pulse of the web processes with the clock of the database, and that with our own."""
    now, own = now_ms(), int(time.time() * 1000)
    if abs(now - own) > CLOCKS_APART_MS:
        told = f"the database's is {abs(now - own)} ms {'ahead of' if now > own else 'behind'} this process's"
        return Part("clock", False, told, abs(now - own))
    pulse = Pulse.objects.first()
    if pulse is None:
        return Part("clock", True, "no web process has served yet")
    return _part("clock", "a web process notes it twice a second", pulse.at_ms, now)


def _ahead(ms: int) -> str:
    return f"last seen {ms} ms in the future: the clock of the database was set back"


def deadlines() -> Part:
    """Return the clock that has been overdue longest, among tables that play."""
    now = now_ms()
    oldest = Table.objects.filter(pk__in=clocks.overdue_tables(now)).order_by("deadline_ms")
    first = oldest.values_list("deadline_ms", flat=True).exclude(deadline_ms=None).first()
    late = 0 if first is None else max(0, now - first)
    return Part(
        "deadlines",
        late <= OVERDUE_AFTER_MS,
        f"the oldest is overdue by {late} ms" if late else "no clock is overdue",
        late,
    )


def settlement() -> Part:
    """Return whether matches are settled; the audit and staff can make that stand still."""
    if freeze.is_frozen():
        return Part("settlement", False, "stands still: what is won or lost waits until staff let it go on")
    return Part("settlement", True, "goes on")
