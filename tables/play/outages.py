"""Whether the platform serves: the heartbeat of its web processes, outages in which none ran, and the time these cost.

Only web processes note the heartbeat: without one no player can act, even if the workers run. While none serves, no
clock runs out. The first process to serve again records the outage, and each running clock gets back the time that it
lost.

A database that answers and refuses what a move writes, as its disk is full, is an outage as well. The process that was
refused says so in the row of the heartbeat, which can still be changed; from then on nobody serves, until a web process
has tried that rows are taken again.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from django.db import DatabaseError, connection, transaction
from django.db.models import F, Subquery

from rules import game
from rules.game import Clock
from tables.models import LoggedEvent, Outage, Seating, ServerHeartbeat
from tables.play import store
from tables.play.seating import is_connected
from tables.play.store import TableSnapshot
from wallet.base.findings import CLOCK_SOURCES, ClockRollback
from wallet.base.queries import one_or_none
from wallet.ledger import settlement_freeze
from wallet.ledger.writing import preparing_cursor

log = logging.getLogger(__name__)

#: Each web process notes the heartbeat twice a second. After this many ms without a heartbeat nobody serves.
OUTAGE_AFTER_MS = 3_000
#: The same for a process that has just started, in ms: it cannot have noted the last heartbeat.
STARTING_AFTER_MS = 1_500
#: A heartbeat as recent as this, in ms, is not noted again.
BEAT_MS = 100
#: The heartbeat is at most this far ahead of the database clock, in ms, unless that clock was set back.
AHEAD_MS = 1_000
#: A player who must act after an outage has at least this long, in ms.
GRACE_MS = 10_000
#: A deadline found overdue by more than this, in ms, was forgotten by the platform: nobody looked at this table.
FORGOTTEN_AFTER_MS = 5_000
#: A web process that serves notes once more that its sockets live within this many ms before a clock between two deals
#: ends.
LAST_NOTE_MS = 4_000
#: PostgreSQL: the disk is full, or memory is; it reads only; it fails. SQLite: the same.
_REFUSING_STATES = frozenset({"53100", "53200", "25006", "58030"})
_REFUSING_CODES = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR})
_BEAT = f"UPDATE {ServerHeartbeat._meta.db_table} SET at_ms = %s WHERE id = %s AND at_ms = %s"  # noqa: S608
_LAST_FIRST = Outage.objects.order_by("-pk")
#: The id of the last outage, within another query; NULL where there was none.
LATEST = Subquery(_LAST_FIRST.values("pk")[:1])


def record_heartbeat(*, starting: bool = False, since: int = 0) -> None:
    """Note that a web process serves, as `note_heartbeat` does, after reading when one last did."""
    note_heartbeat(last_heartbeat(), store.now_ms(), starting=starting, since=since)


def note_heartbeat(heartbeat: ServerHeartbeat | None, now: int, *, starting: bool = False, since: int = 0) -> None:
    """Note that a web process serves `now`, unless the `heartbeat` was noted lately and after `since`, in ms.

    If none has served for long, or the clock was set back, record an outage that ends now. While the database refuses
    moves, nothing is noted.
    """
    if heartbeat is None:
        ServerHeartbeat.objects.get_or_create(pk=1, defaults={"at_ms": now})
        return
    if heartbeat.refused_ms is not None:
        _try_again(heartbeat, heartbeat.refused_ms)
        return
    silent = now - heartbeat.at_ms
    if -AHEAD_MS <= silent < BEAT_MS and heartbeat.at_ms >= since:
        return
    current = ServerHeartbeat.objects.filter(pk=heartbeat.pk, at_ms=heartbeat.at_ms)
    if -AHEAD_MS <= silent < longest_silence(starting=starting):
        with preparing_cursor() as cursor:
            cursor.execute(_BEAT, [now, heartbeat.pk, heartbeat.at_ms])
        return
    with transaction.atomic():
        if current.update(at_ms=now):
            Outage.objects.create(began_ms=heartbeat.at_ms, ended_ms=now)


def longest_silence(*, starting: bool) -> int:
    """Return for how many ms nobody may have noted the heartbeat until that is an outage."""
    return STARTING_AFTER_MS if starting else OUTAGE_AFTER_MS


def _try_again(heartbeat: ServerHeartbeat, refused_ms: int) -> None:
    """Record the outage that began at `refused_ms` if the database takes what a move writes again."""
    with suppress(DatabaseError), transaction.atomic():
        try_writing()
        now = store.now_ms()
        refused = ServerHeartbeat.objects.filter(pk=heartbeat.pk, refused_ms=refused_ms)
        if refused.update(at_ms=now, refused_ms=None):
            Outage.objects.create(began_ms=refused_ms, ended_ms=now)


def try_writing() -> None:
    """Write an event as a move does, and take it back. DatabaseError if the database refuses it.

    A row may find room on a page that is there while the disk is full. So PostgreSQL sorts something on disk, too.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL work_mem = '64kB'")
                cursor.execute("SELECT count(*) FROM generate_series(1, 20000)")
        LoggedEvent.objects.bulk_create([LoggedEvent(table_id=0, version=0, number=0, kind="", at_ms=0, payload=b"")])
        transaction.set_rollback(True)


def is_refusal(error: BaseException) -> bool:
    """Return whether the database refuses to write at all: its disk is full or fails, or it may only be read."""
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    return getattr(cause, "sqlstate", None) in _REFUSING_STATES or (code is not None and code & 0xFF in _REFUSING_CODES)


def note_refusal() -> None:
    """Note, unless it is noted already, that the database refuses to write moves. Call it outside transactions."""
    with suppress(DatabaseError):
        if ServerHeartbeat.objects.filter(refused_ms=None).update(refused_ms=store.now_ms()):
            log.error("the database takes no moves: clocks stand until it does")


def are_refused() -> bool:
    """Return whether the database refused moves when one was last tried."""
    heartbeat = last_heartbeat()
    return heartbeat is not None and heartbeat.refused_ms is not None


def last_heartbeat() -> ServerHeartbeat | None:
    """Return the heartbeat; None where none was ever noted, as in a simulation."""
    return one_or_none(ServerHeartbeat.objects.all())


def is_fresh(heartbeat: ServerHeartbeat | None, now: int) -> bool:
    """Return whether a web process has noted this heartbeat lately, or none was ever noted.

    A heartbeat in the future was noted by a wrong clock and does not count, nor does one since which moves are refused.
    """
    return heartbeat is None or (heartbeat.refused_ms is None and -AHEAD_MS <= now - heartbeat.at_ms < OUTAGE_AFTER_MS)


def nobody_serves(now: int) -> bool:
    """Return whether no web process has noted the heartbeat lately."""
    return not is_fresh(last_heartbeat(), now)


def served_now() -> int | None:
    """Return the database clock, in ms since 1970 UTC; None while nobody serves."""
    now = store.now_ms()
    return None if nobody_serves(now) else now


def was_served(moment: int, now: int, *, is_served: bool) -> bool:
    """Return whether somebody served at that moment, which is past.

    `is_served`: a web process asks, so somebody serves now.
    """
    heartbeat = last_heartbeat()
    return heartbeat is None or (is_fresh(heartbeat, now) and (is_served or heartbeat.at_ms >= moment))


def served_since(since: int, now: int) -> bool:
    """Return whether the platform has served from then to now without an outage."""
    return not nobody_serves(now) and not Outage.objects.filter(ended_ms__gt=since, ended_ms__lte=now).exists()


def latest_outage() -> int:
    """Return the id of the last outage; 0 where there was none."""
    return _LAST_FIRST.values_list("pk", flat=True).first() or 0


def allowance(
    clock: Clock, now: int, missed: Sequence[Outage] = (), *, returns: bool = False, unheard: bool = False
) -> int:
    """Return for how many ms from `now` the clock must run, at least, for time that its players could not use.

    | the clock | must run for |
    | --- | --- |
    | has `missed` outages, and more left than its length: the database clock was ahead when it was set | its length |
    | was cut by `missed` outages | what it had left before them, and GRACE_MS from the last one's end at least |
    | has less than GRACE_MS left for a player who `returns` after an outage | GRACE_MS |
    | ended over FORGOTTEN_AFTER_MS ago while we served: nobody looked at it; settlement is not frozen | GRACE_MS |
    | has ended, and somebody is `unheard` (`is_anybody_unheard`) | GRACE_MS |
    | any other | 0: it runs on or, if it has ended, out |

    While settlement is frozen a clock that has ended waits for that, and would only end and wait again and again. With
    `missed` outages nothing else counts: whether we served at its end is known only once they are given back.
    """
    if missed:
        return _lost_time(clock, now, missed)
    if returns and clock.deadline < now + GRACE_MS:
        return GRACE_MS
    forgotten = now - clock.deadline > FORGOTTEN_AFTER_MS and not settlement_freeze.is_frozen()
    return GRACE_MS if forgotten or (unheard and clock.deadline <= now) else 0


def _lost_time(clock: Clock, now: int, missed: Iterable[Outage]) -> int:
    if clock.deadline - now > clock.length:
        return clock.length
    cut = [outage for outage in missed if _cut_into(outage, clock, now)]
    if not cut:
        return 0
    lost = sum(outage.ended_ms - max(outage.began_ms, _began(clock)) for outage in cut)
    deadline = max(clock.deadline + lost, cut[-1].ended_ms + GRACE_MS)
    return max(0, deadline - now) if deadline > clock.deadline else 0


def is_anybody_unheard(table: TableSnapshot) -> bool:
    """Return whether the end of a clock between two deals would speak for somebody whose web process is silent.

    What such a player says waits with their process, which stands or has died. Once it is back, another one has let
    them in, or they count as disconnected, the clock runs out.
    """
    clock, unready = table.state.clock, game.unready(table.state)
    if clock is None:
        return False
    waits = any(
        not seating.is_computer and is_connected(seating, table.now) and seating.seen_ms < clock.deadline - LAST_NOTE_MS
        for seat, seating in table.seatings.items()
        if seat in unready
    )
    # Without a heartbeat, as in a simulation, there are no web processes.
    return waits and last_heartbeat() is not None


def ended_after(outage_id: int) -> list[Outage]:
    """Return the outages after the one with that id, in order."""
    return list(Outage.objects.filter(pk__gt=outage_id).order_by("pk"))


def ended_since(moment: int) -> list[Outage]:
    """Return the outages that have ended after that moment, in ms, the last one last."""
    return sorted(Outage.objects.filter(ended_ms__gt=moment), key=lambda outage: outage.pk)


def missed_by(table: TableSnapshot, seating: Seating, ended_outages: Iterable[Outage]) -> Outage | None:
    """Return the last of these outages since the socket's last sign of life, if that one cut into the running clock."""
    missed = [outage for outage in ended_outages if seating.seen_ms < outage.ended_ms <= table.now]
    clock = table.state.clock
    return missed[-1] if missed and clock is not None and _cut_into(missed[-1], clock, table.now) else None


def clock_rollbacks() -> Iterator[ClockRollback]:
    """Yield when the database clock was set back, for the audit."""
    for outage in Outage.objects.filter(ended_ms__lt=F("began_ms")):
        yield ClockRollback(ahead=store.moment(outage.began_ms), back=store.moment(outage.ended_ms))


CLOCK_SOURCES.append(clock_rollbacks)


def is_for(clock: Clock | None, seat: int) -> bool:
    """Return whether a clock runs for the player in the seat, alone or among others."""
    return clock is not None and clock.seat in (None, seat)


def _began(clock: Clock) -> int:
    return clock.deadline - clock.length


def _cut_into(outage: Outage, clock: Clock, now: int) -> bool:
    # A clock that had run for no longer than the last heartbeat is old got all its time back: it begins with the end.
    return max(outage.began_ms, _began(clock)) <= outage.ended_ms <= now
