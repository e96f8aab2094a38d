"""The report on everything that play depends on, for probes, metrics and staff."""

import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from redis import Redis, RedisError, ResponseError, TimeoutError as RedisSlow
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.health.models import Heartbeat
from tables.models import ServerHeartbeat, Table
from tables.play import clocks, executors, outages
from tables.play.store import now_ms
from wallet.base.commands import first_line
from wallet.ledger import settlement_freeze

#: A part whose last heartbeat is older, in ms, counts as not working.
SILENT_AFTER_MS = 5_000
#: A clock overdue by more, in ms, means that nothing acts on the clocks of tables.
OVERDUE_AFTER_MS = 10_000
#: A call that has waited longer for its answer, in ms, means that this process hangs.
HANGS_AFTER_MS = 6_000
#: The most by which two clocks of one platform may differ, in ms.
CLOCKS_APART_MS = 5_000
#: Seconds that a move may take from the request to its answer.
MOVE_WITHIN = 3.0
#: The heartbeat whose row the check of moves locks.
MOVE = "move"
#: Seconds that Redis may take for each answer. If it takes longer, attempts are counted without it; and workers, which
#: wait for several to each task, are not done with one sweep before the next ones have lapsed.
REDIS_TIMEOUT = 0.5
#: How Redis is asked: by itself a client would try again several times, and say its own name first.
_ONCE: dict[str, Any] = {
    **dict.fromkeys(("socket_timeout", "socket_connect_timeout"), REDIS_TIMEOUT),
    "retry": Retry(NoBackoff(), 0),
    "driver_info": None,
}
#: Seconds for which Redis keeps what it is given to see whether it takes it.
PROBE_LASTS = 2

DUTIES = {
    "beat": "sends the sweep every second",
    "worker": "ends tasks",
    "sweep": "looks at every table that is overdue",
}


@dataclass(frozen=True, slots=True)
class Part:
    """The status of one part of the platform: whether it is `ok`, a `detail`, and `age_ms` if a time is involved."""

    name: str
    ok: bool
    detail: str
    age_ms: int | None = None

    def as_json(self) -> dict[str, Any]:
        age = {} if self.age_ms is None else {"age_ms": self.age_ms}
        return {"ok": self.ok, "detail": self.detail, **age}


def report() -> list[Part]:
    """Check every part. Raises nothing: a part that cannot be checked is not ok."""
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
    """Check that the database answers. DatabaseError if it does not."""
    now_ms()
    return Part("database", True, connection.vendor)


def layer() -> Part:
    """Check that Redis, which carries pushes and tasks, takes what is new: a full one answers, and refuses it.

    It is asked for one thing, once: a slow one would keep the whole report waiting. In the embedded default both stay
    in the process.
    """
    url = settings.CELERY_BROKER_URL
    if not url.startswith(("redis", "unix")):
        return Part("layer", True, "in memory")
    try:
        with Redis.from_url(url, **_ONCE) as redis:
            redis.set(f"{settings.CACHES['default'].get('KEY_PREFIX', '')}:probe", 1, ex=PROBE_LASTS)
    except ResponseError as error:
        return Part("layer", False, f"Redis refuses what is new: {error}")
    except RedisSlow:
        return Part("layer", False, f"Redis is slow: it takes more than {REDIS_TIMEOUT} s for an answer")
    except RedisError:
        return Part("layer", False, "Redis does not answer")
    return Part("layer", True, "Redis")


def calls() -> Part:
    """Check how long the oldest move, joining or leaving has waited for its answer by this process."""
    age = executors.oldest_ms()
    return Part("calls", age <= HANGS_AFTER_MS, f"the oldest waits for {age} ms" if age else "none waits", age)


def moves() -> Part:
    """Check the path of moves by going it once: use its threads, lock a row, commit. Call it outside transactions."""
    began = time.monotonic()
    try:
        executors.MOVES.begin(_move).result(MOVE_WITHIN)
    except TimeoutError:
        return Part("moves", False, f"none is answered within {MOVE_WITHIN:.0f} s")
    except DatabaseError as error:
        reason = first_line(error) or type(error).__name__
        return Part("moves", False, f"the database refuses them: {reason}")
    return Part("moves", True, f"answered within {(time.monotonic() - began) * 1000:.0f} ms")


def _lock_heartbeat() -> Heartbeat | None:
    return Heartbeat.objects.select_for_update(skip_locked=True).filter(name=MOVE).first()


def _move() -> None:
    """Write the row in a transaction; skip it if another process has locked it, as the transaction is tested anyway.

    The row is changed where it stands, which a full disk allows; so an event is tried, too.
    """
    with transaction.atomic():
        outages.try_writing()
        row = _lock_heartbeat()
        if row is None:
            Heartbeat.objects.bulk_create([Heartbeat(name=MOVE, at_ms=now_ms())], ignore_conflicts=True)
        else:
            row.at_ms = now_ms()
            row.save(update_fields=["at_ms"])


def heartbeats() -> list[Part]:
    """Check beat, worker and sweep by their last heartbeats."""
    now = now_ms()
    last = dict(Heartbeat.objects.values_list("name", "at_ms"))
    return [_part(name, duty, last.get(name), now) for name, duty in DUTIES.items()]


def _part(name: str, duty: str, at_ms: int | None, now: int) -> Part:
    if at_ms is None:
        return Part(name, False, "never seen")
    age = now - at_ms
    if age < -outages.AHEAD_MS:
        return Part(name, False, _ahead(-age), age)
    return Part(name, age <= SILENT_AFTER_MS, duty if age <= SILENT_AFTER_MS else "silent", max(0, age))


def clock() -> Part:
    """Check the heartbeat of the web processes by the database clock, and that clock by the one of this process."""
    now, own = now_ms(), int(time.time() * 1000)
    if abs(now - own) > CLOCKS_APART_MS:
        difference = f"the database's is {abs(now - own)} ms {'ahead of' if now > own else 'behind'} this process's"
        return Part("clock", False, difference, abs(now - own))
    heartbeat = ServerHeartbeat.objects.first()
    if heartbeat is None:
        return Part("clock", True, "no web process has served yet")
    if heartbeat.refused_ms is not None:
        return Part("clock", False, "the database takes no moves, so all clocks stand", now - heartbeat.refused_ms)
    return _part("clock", "a web process notes it twice a second", heartbeat.at_ms, now)


def _ahead(ms: int) -> str:
    return f"last seen {ms} ms in the future: the clock of the database was set back"


def deadlines() -> Part:
    """Check the most overdue clock of all tables in play."""
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
    """Check that settlement is not frozen, as the audit or staff can do."""
    if settlement_freeze.is_frozen():
        return Part("settlement", False, "stands still: what is won or lost waits until staff let it go on")
    return Part("settlement", True, "goes on")
