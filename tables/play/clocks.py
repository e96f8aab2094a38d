"""When clocks end and computer players move: the stored time decides, everything here only nudges."""

import logging
import random
import threading
import time
from collections.abc import Collection
from functools import lru_cache, partial
from queue import Empty, Full, Queue
from typing import NamedTuple

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, Value
from django.db.models.functions import Coalesce, Least

from rules import game
from rules.game import Phase, TableState
from tables.models import Seating, Table
from tables.play import outages, practice
from tables.play.store import TableSnapshot, moment
from wallet.base.queries import one_or_none

log = logging.getLogger(__name__)

#: No computer player thinks for this long, in ms: a time further ahead was set by a clock that was wrong.
FAR_AHEAD_MS = 60_000
#: A disconnected player who waits for company loses the seat after this long, in ms, and a table of friends at which
#: nobody sits is closed. Practice tables wait for longer.
ABANDONED_AFTER_MS = 600_000
#: Seconds by which a nudge comes after its time, so that it is never early.
SLACK = 0.02
#: At most this many tables are swept at once.
SWEEP = 500
#: Later than any deadline, in ms since 1970.
_NEVER = 2**62
#: When the last nudge that this process sent to each table comes, in ms; past ones are removed now and then.
_nudges_sent: dict[int, int] = {}
MOST_NUDGES_SENT = 10_000
#: The tables at which the last sweeps of this process failed.
_failures: set[int] = set()
#: Seconds after its moment in which a nudge is dropped: the sweep has been there by then.
STALE = 3.0
#: Workers take every other task first, above all the sweep: at Redis the greatest number is the last.
LAST = 9
#: No nudge is sent for later than this, in ms: the broker would hand it out again and again before its moment
#: (VISIBILITY_TIMEOUT in config/settings/redis.py). On such a clock a socket at the table acts, or the sweep.
FARTHEST_NUDGE_MS = 90_000
#: This many nudges may wait for the broker; more are dropped, and the sweep or a socket ticks those tables.
MOST_WAITING = 1_000

Nudge = tuple[int, float]

#: The moves that a table waits for from a computer player, and how long one seems to think (least and most, in ms).
_THINKING: dict[str, tuple[int, int]] = {
    "draw": (900, 2_600),
    "discard": (900, 3_000),
    "submit": (2_500, 6_000),
    "continue": (1_500, 4_000),
    "rejoin": (2_000, 5_000),
    "answer_split": (2_000, 6_000),
}


def arm(table: TableSnapshot) -> None:
    """Set on the row when the clock ends and a computer player moves next; after the commit, nudge for the earlier.

    That nudge sends the one for the later.
    """
    table.row.deadline_ms = table.state.clock.deadline if table.state.clock else None
    if table.row.computer_due_ms is None or _waits(table.before) != _waits(table.state):
        table.row.computer_due_ms = _computer_due(table)
    row = table.row
    transaction.on_commit(partial(_nudge_at_earlier, row.pk, row.deadline_ms, row.computer_due_ms, table.now))


def nudge(table: TableSnapshot) -> None:
    """Make sure that a nudge is under way for the running clock, as `arm` does, after a change that is committed."""
    if table.state.clock is not None:
        _nudge_at(table.row.pk, table.state.clock.deadline, table.now)


def nudge_again(table_id: int, times: "Times", now: int) -> None:
    """Send the next nudge to a table where nothing is due: its last one may have come for a clock that was set anew."""
    _nudge_at_earlier(table_id, times.deadline_ms, times.computer_due_ms, now)


def _nudge_at_earlier(table_id: int, deadline_ms: int | None, computer_due_ms: int | None, now: int) -> None:
    if moments := [moment for moment in (deadline_ms, computer_due_ms) if moment is not None]:
        _nudge_at(table_id, min(moments), now)


def _nudge_at(table_id: int, moment: int, now: int) -> None:
    """Send a nudge, unless one that comes no later is under way: that one sends the next by `nudge_again`."""
    if moment > now + FARTHEST_NUDGE_MS or now < _nudges_sent.get(table_id, 0) <= moment:
        return
    if len(_nudges_sent) >= MOST_NUDGES_SENT:
        for stale in [pk for pk, arrival in _nudges_sent.items() if arrival <= now]:
            del _nudges_sent[stale]
    _nudges_sent[table_id] = moment
    _nudge(table_id, max(0, moment - now) / 1000 + SLACK)


def overdue_tables(now: int) -> list[int]:
    """Return the ids of open tables where a clock or a computer player is due, or a clock was cut by an outage.

    The longest overdue come first, at most SWEEP. Tables at which this process's last sweeps failed come after all
    others, so that bad tables, however many, starve no good one.
    """
    tables = Table.objects.filter(_is_due(now), status=Table.Status.OPEN)
    since = Least(_coalesced("deadline_ms"), _coalesced("computer_due_ms"))
    ids = list(tables.annotate(since=since).order_by("since", "pk").values_list("pk", flat=True))
    _failures.intersection_update(ids)
    return sorted(ids, key=_failures.__contains__)[:SWEEP]


class Times(NamedTuple):
    """When the clock of a table ends and a computer player moves, in ms, and whether anything is due (as above)."""

    deadline_ms: int | None
    computer_due_ms: int | None
    is_due: bool


def read_times(table_id: int, now: int) -> Times | None:
    """Return the times of the table if it is open; no lock is taken."""
    due = ExpressionWrapper(_is_due(now), BooleanField())
    tables = Table.objects.filter(pk=table_id, status=Table.Status.OPEN)
    return one_or_none(tables.annotate(is_due=due).values_list(*Times._fields, named=True))


def _is_due(now: int) -> Q:
    computers = Q(computer_due_ms__lte=now) | Q(computer_due_ms__gt=now + FAR_AHEAD_MS)
    cut = Q(deadline_ms__isnull=False, last_outage__lt=outages.LATEST)
    return Q(deadline_ms__lte=now) | computers | cut


def is_computer_due(due_ms: int | None, now: int) -> bool:
    """Return whether a computer player who is due at that moment may move now."""
    return due_ms is not None and not now < due_ms <= now + FAR_AHEAD_MS


def abandoned_tables(now: int) -> list[int]:
    """Return the ids of open tables where a player who waits for company, or practises, has long been silent."""
    alone = _silent(now, ABANDONED_AFTER_MS) & Q(table__phase=Phase.WAITING.value)
    practising = _silent(now, practice.PATIENCE_MS) & Q(table__practice_for__isnull=False)
    abandoned = Seating.objects.filter(alone | practising, left_at=None, user__isnull=False)
    waiting = abandoned.filter(table__status=Table.Status.OPEN)
    return list(waiting.order_by("table_id").values_list("table_id", flat=True).distinct()[:SWEEP])


def idle_private_tables(now: int) -> list[int]:
    """Return the ids of open tables found only by a code that were opened, and last left, long ago."""
    before = moment(now - ABANDONED_AFTER_MS)
    in_use = Seating.objects.filter(Q(freed_at=None) | Q(freed_at__gt=before), table=OuterRef("pk"))
    private = Table.objects.filter(status=Table.Status.OPEN, seated=0).exclude(private_code="")
    idle = private.filter(~Exists(in_use), opened_at__lt=before)
    return list(idle.order_by("pk").values_list("pk", flat=True)[:SWEEP])


def _silent(now: int, since: int) -> Q:
    return Q(seen_ms__lt=now - since) | Q(seen_ms__gt=now + since)


def failed(table_id: int) -> None:
    """Note that the sweep could do nothing at the table: the others come first from now on."""
    _failures.add(table_id)


def _coalesced(field: str) -> Coalesce:
    return Coalesce(F(field), Value(_NEVER), output_field=BigIntegerField())


def awaited_computers(table: TableSnapshot) -> list[int]:
    """Return the seats of the computer players whose moves the table waits for, in order."""
    computers = [seat for seat, seating in table.seatings.items() if seating.is_computer and seating.left_at is None]
    if not computers or not practice.is_watched(table):
        return []
    waits = _waits(table.state)
    return sorted(seat for seat in computers if waits[seat])


def _waits(state: TableState) -> list[frozenset[str]]:
    """Return, for each seat, which of the moves in _THINKING it may make."""
    return [frozenset(_THINKING).intersection(game.legal_moves(state, seat)) for seat in range(state.terms.seats)]


def _computer_due(table: TableSnapshot) -> int | None:
    awaited = awaited_computers(table)
    if not awaited:
        return None
    waits = _waits(table.state)
    thoughts = [_THINKING[move] for seat in awaited for move in waits[seat]]
    pace = settings.COMPUTER_PACE * practice.pace(table)
    return table.now + int(random.uniform(*min(thoughts)) * pace)  # noqa: S311  a pause, not a card


def wake_computers(table_ids: Collection[int], now: int) -> None:
    """Let computer players move again at the practice tables where they waited for their player, who is back."""
    practised = Table.objects.filter(pk__in=table_ids, practice_for__isnull=False, status=Table.Status.OPEN)
    practised.filter(computer_due_ms=None).update(computer_due_ms=now)


def _nudge(table_id: int, delay: float) -> None:
    """Have Celery tick the table in `delay` seconds; return at once and never fail.

    If the broker is not well, the sweep or a socket ticks it.
    """
    try:
        _waiting().put_nowait((table_id, time.monotonic() + delay))
    except Full:
        log.warning("a nudge was dropped: the broker is behind")


@lru_cache(maxsize=1)
def _waiting() -> Queue[Nudge]:
    waiting: Queue[Nudge] = Queue(MOST_WAITING)
    threading.Thread(target=_send_nudges, args=(waiting,), name="nudges", daemon=True).start()
    return waiting


def _send_nudges(waiting: Queue[Nudge]) -> None:
    while True:
        table_id, moment = waiting.get()
        delay = max(0.0, moment - time.monotonic())
        try:
            options = {"countdown": delay, "expires": delay + STALE, "priority": LAST, "retry": False}
            current_app.send_task("tables.tasks.nudge", (table_id,), **options)
        except Exception as fault:
            log.warning("the broker takes no nudges: %r; %s are dropped", fault, 1 + _drop_waiting(waiting))


def _drop_waiting(waiting: Queue[Nudge]) -> int:
    """Drop the nudges that wait, and return how many: the sweep or a socket will have been there before them."""
    count = 0
    try:
        while True:
            waiting.get_nowait()
            count += 1
    except Empty:
        return count
