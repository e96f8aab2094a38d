"""Clocks and computer players: the stored moment decides, everything here only nudges."""

import logging
import random
import threading
import time
from collections.abc import Collection
from functools import lru_cache, partial
from queue import Empty, Full, Queue

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Least

from rules import game
from rules.game import Clock, Phase, TableState
from tables.models import Seating, Table
from tables.play import outages, store
from tables.play.computers import practice
from tables.play.store import LockedTable
from wallet.audit import freeze

log = logging.getLogger(__name__)

#: A deadline found overdue by more than this, in ms, was forgotten by the platform: nobody looked at this table.
FORGOTTEN_AFTER_MS = 5_000
#: No computer player thinks for so long, in ms: a moment further ahead was set by a clock that was wrong.
FAR_AHEAD_MS = 60_000
#: Who waits for company without a connection for so long gives up their seat, in ms. A practice table waits for longer.
ABANDONED_AFTER_MS = 600_000
#: Seconds that a nudge keeps behind its moment so that it is never early.
SLACK = 0.02
#: At most so many tables are swept at once.
SWEEP = 500
#: Later than any deadline, in ms since 1970.
_NEVER = 2**62
#: When the last nudge comes that this process has sent to a table, in ms; those that have come are forgotten in time.
_under_way: dict[int, int] = {}
MOST_UNDER_WAY = 10_000
#: The tables at which the last sweeps of this process failed.
_failures: set[int] = set()
#: So many nudges may wait for the broker; more are dropped, and the sweep or a socket sees to those tables.
MOST_WAITING = 1_000

Nudge = tuple[int, float]

#: What a computer player is waited for, and how long, in ms, it seems to think.
_THINKING: dict[str, tuple[int, int]] = {
    "draw": (900, 2_600),
    "discard": (900, 3_000),
    "submit": (2_500, 6_000),
    "continue": (1_500, 4_000),
    "rejoin": (2_000, 5_000),
    "answer_split": (2_000, 6_000),
}


def arm(table: LockedTable) -> None:
    """Write into the row when a computer player moves next; after the commit, nudge whatever is due next."""
    was_due = {table.row.deadline_ms, table.row.computer_due_ms}
    table.row.deadline_ms = table.state.clock.deadline if table.state.clock else None
    if table.row.computer_due_ms is None or _waits(table.before) != _waits(table.state):
        table.row.computer_due_ms = _computer_due(table)
    for moment in {table.row.deadline_ms, table.row.computer_due_ms} - was_due - {None}:
        transaction.on_commit(partial(_nudge_at, table.row.pk, moment or 0, table.now))


def nudge(table: LockedTable) -> None:
    """Have a nudge under way to the clock that runs, as `arm` does, for a change that is committed."""
    if table.state.clock is not None:
        _nudge_at(table.row.pk, table.state.clock.deadline, table.now)


def nudge_again(table_id: int) -> None:
    """Have the next nudge under way to a table whose last one has come, early for a clock that was set since."""
    now = store.now_ms()
    open_tables = Table.objects.filter(pk=table_id, status=Table.Status.OPEN)
    due = open_tables.values_list("deadline_ms", "computer_due_ms").first() or ()
    later = [moment for moment in due if moment is not None and moment > now]
    if later:
        _nudge_at(table_id, min(later), now)


def _nudge_at(table_id: int, moment: int, now: int) -> None:
    """Send a nudge, unless one is under way that comes no later: that one sees to the next by itself."""
    if now < _under_way.get(table_id, 0) <= moment:
        return
    if len(_under_way) >= MOST_UNDER_WAY:
        for each in [pk for pk, comes in _under_way.items() if comes <= now]:
            del _under_way[each]
    _under_way[table_id] = moment
    _nudge(table_id, max(0, moment - now) / 1000 + SLACK)


def forget_nudges() -> None:
    """Take no nudge for under way: the database is another one."""
    _under_way.clear()


def _nudge(table_id: int, delay: float) -> None:
    """Let Celery look at the table in `delay` seconds; if the broker is not well, the sweep or a socket will."""
    _send_nudge(table_id, delay)


def overdue_tables(now: int) -> list[int]:
    """Return the ids of open tables where a clock or a computer player is due, or a clock is to be put forward after an
    outage: the longest overdue first, at most SWEEP.

    Where the last sweeps of this process failed comes after all others: bad tables, however many, starve no good one.
    """
    ids = list(_due(now).annotate(since=Least(_or_never("deadline_ms"), _or_never("computer_due_ms")))
               .order_by("since", "pk").values_list("pk", flat=True))  # fmt: skip
    _failures.intersection_update(ids)
    return sorted(ids, key=_failures.__contains__)[:SWEEP]


def is_due(table_id: int, now: int) -> bool:
    """Return whether there is anything to do at the open table, as above; nothing is locked for the answer."""
    return _due(now).filter(pk=table_id).exists()


def _due(now: int) -> QuerySet[Table]:
    tables = Table.objects.filter(status=Table.Status.OPEN)
    computers = Q(computer_due_ms__lte=now) | Q(computer_due_ms__gt=now + FAR_AHEAD_MS)
    cut = Q(deadline_ms__isnull=False, outages_seen__lt=outages.latest_outage())
    return tables.filter(Q(deadline_ms__lte=now) | computers | cut)


def is_computer_due(due_ms: int | None, now: int) -> bool:
    """Return whether a computer player who is due at that moment moves now."""
    return due_ms is not None and not now < due_ms <= now + FAR_AHEAD_MS


def abandoned_tables(now: int) -> list[int]:
    """Return the ids of open tables that wait for company, or to practise, for somebody not heard of for long."""
    alone = _silent(now, ABANDONED_AFTER_MS) & Q(table__phase=Phase.WAITING.value)
    practising = _silent(now, practice.PATIENCE_MS) & Q(table__practice_for__isnull=False)
    gone = Seating.objects.filter(alone | practising, left_at=None, user__isnull=False)
    waiting = gone.filter(table__status=Table.Status.OPEN)
    return list(waiting.order_by("table_id").values_list("table_id", flat=True).distinct()[:SWEEP])


def _silent(now: int, since: int) -> Q:
    return Q(seen_ms__lt=now - since) | Q(seen_ms__gt=now + since)


def grace(clock: Clock, now: int) -> int:
    """Return the ms from `now` that a clock still runs which nobody looked at for long after its end; 0 for none.

    One that waited for settlement gets none before settlement goes on: it would only run, and wait, again and again.
    """
    forgotten = now - clock.deadline > FORGOTTEN_AFTER_MS and not freeze.is_frozen()
    return outages.GRACE_MS if forgotten else 0


def failed(table_id: int) -> None:
    """Note that the sweep could do nothing at the table: the others come first from now on."""
    _failures.add(table_id)


def _or_never(field: str) -> Coalesce:
    return Coalesce(F(field), Value(_NEVER), output_field=BigIntegerField())


def awaited_computers(table: LockedTable) -> list[int]:
    """Return the seats of computer players from whom the table waits for something, in seat order."""
    if not practice.is_watched(table):
        return []
    waits = _waits(table.state)
    computers = [seat for seat, seating in table.seatings.items() if seating.is_computer and seating.left_at is None]
    return sorted(seat for seat in computers if waits[seat])


def _waits(state: TableState) -> list[frozenset[str]]:
    """Return, for each seat, which of the moves that a computer player is waited for are open to it."""
    return [frozenset(_THINKING).intersection(game.legal_moves(state, seat)) for seat in range(state.terms.seats)]


def _computer_due(table: LockedTable) -> int | None:
    waits = _waits(table.state)
    thoughts = [_THINKING[move] for seat in awaited_computers(table) for move in waits[seat]]
    if not thoughts:
        return None
    pace = settings.COMPUTER_PACE * practice.pace(table)
    return table.now + int(random.uniform(*min(thoughts)) * pace)  # noqa: S311  a pause, not a card


def wake_computers(table_ids: Collection[int], now: int) -> None:
    """Have computer players look again at the tables where they waited for their player, who is back."""
    practised = Table.objects.filter(pk__in=table_ids, practice_for__isnull=False, status=Table.Status.OPEN)
    practised.filter(computer_due_ms=None).update(computer_due_ms=now)


def _send_nudge(table_id: int, delay: float) -> None:
    """Let Celery look at the table in `delay` seconds, if the broker takes it; return at once and never fail."""
    try:
        _waiting().put_nowait((table_id, time.monotonic() + delay))
    except Full:
        log.warning("a nudge was dropped: the broker is behind")


@lru_cache(maxsize=1)
def _waiting() -> Queue[Nudge]:
    waiting: Queue[Nudge] = Queue(MOST_WAITING)
    threading.Thread(target=_send_on, args=(waiting,), name="nudges", daemon=True).start()
    return waiting


def _send_on(waiting: Queue[Nudge]) -> None:
    while True:
        table_id, moment = waiting.get()
        delay = max(0.0, moment - time.monotonic())
        try:
            current_app.send_task("tables.tasks.nudge", (table_id,), countdown=delay, retry=False)
        except Exception as fault:
            log.warning("the broker takes no nudges: %r; %s are dropped", fault, 1 + _emptied(waiting))


def _emptied(waiting: Queue[Nudge]) -> int:
    """Return how many waited. They would be late: whoever looks at the clocks themselves has seen to them by then."""
    count = 0
    try:
        while True:
            waiting.get_nowait()
            count += 1
    except Empty:
        return count
