"""Clocks and computer players: the stored moment decides, everything here only nudges."""

import random
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Least

from rules.game import engine
from rules.game.state import Clock, Phase, TableState
from tables import nudges, practice
from tables.models import Pulse, Seating, Table
from tables.store import Held
from wallet import condition

#: A deadline found overdue by more than this, in ms, fell into an outage of the platform, not of the player.
OUTAGE_AFTER_MS = 5_000
#: What those at the table get instead, in ms from now.
GRACE_MS = 10_000
#: The platform was away when nobody who watches clocks gave a sign of life for so long, in ms; sockets give one in ten
#: seconds, the sweep one a second.
AWAY_AFTER_MS = 15_000
#: A sign of life is written at most so often, in ms.
BEAT_MS = 900
#: Who waits for company without a connection for so long gives up his seat, in ms; at a practice table, who is waited
#: for between two deals.
ABANDONED_AFTER_MS = 600_000
#: Seconds that a nudge keeps behind its moment so that it is never early.
SLACK = 0.02
#: At most so many tables are swept at once.
SWEEP = 500
#: Later than any deadline, in ms since 1970.
_NEVER = 2**62
#: The tables at which the last sweeps of this process failed.
_failures: set[int] = set()

#: What a computer player is waited for, and how long, in ms, it seems to think.
_THINKING: dict[str, tuple[int, int]] = {
    "draw": (900, 2_600),
    "discard": (900, 3_000),
    "submit": (2_500, 6_000),
    "continue": (1_500, 4_000),
    "rejoin": (2_000, 5_000),
    "answer_split": (2_000, 6_000),
}


def arm(held: Held) -> None:
    """The row says when a computer player moves next; after the commit whatever is newly due has its nudge."""
    was_due = {held.row.deadline_ms, held.row.computer_due_ms}
    held.row.deadline_ms = held.state.clock.deadline if held.state.clock else None
    if held.row.computer_due_ms is None or _waits(held.before) != _waits(held.state):
        held.row.computer_due_ms = _computer_due(held)
    for moment in {held.row.deadline_ms, held.row.computer_due_ms} - was_due - {None}:
        delay = max(0, (moment or 0) - held.now) / 1000 + SLACK
        transaction.on_commit(partial(_nudge, held.row.pk, delay))


def _nudge(table_id: int, delay: float) -> None:
    """Celery looks at the table in `delay` seconds; if the broker is not well, the sweep or a socket will."""
    nudges.send(table_id, delay)


def overdue_tables(now: int) -> list[int]:
    """The ids of open tables where a clock or a computer player is due, the longest overdue first, at most SWEEP.

    Where the last sweeps of this process failed comes after all others: bad tables, however many, starve no good one.
    """
    ids = list(_due(now).annotate(since=Least(_or_never("deadline_ms"), _or_never("computer_due_ms")))
               .order_by("since", "pk").values_list("pk", flat=True))  # fmt: skip
    _failures.intersection_update(ids)
    return sorted(ids, key=_failures.__contains__)[:SWEEP]


def is_due(table_id: int, now: int) -> bool:
    """Whether a clock or a computer player is due at the open table; nothing is locked for the answer."""
    return _due(now).filter(pk=table_id).exists()


def _due(now: int) -> QuerySet[Table]:
    tables = Table.objects.filter(status=Table.Status.OPEN)
    return tables.filter(Q(deadline_ms__lte=now) | Q(computer_due_ms__lte=now))


def abandoned_tables(now: int) -> list[int]:
    """The ids of open tables that wait for company, or to practise, for somebody not heard of for long."""
    gone = Seating.objects.filter(left_at=None, user__isnull=False, seen_ms__lt=now - ABANDONED_AFTER_MS)
    patient = Q(table__practice_for__isnull=False, table__phase__in=[each.value for each in practice.BETWEEN_DEALS])
    waiting = gone.filter(Q(table__phase=Phase.WAITING.value) | patient, table__status=Table.Status.OPEN)
    return list(waiting.order_by("table_id").values_list("table_id", flat=True).distinct()[:SWEEP])


def beat(now: int) -> None:
    """The platform is alive at `now`; if nothing has been heard of it for long, it is back from an outage."""
    stale = Pulse.objects.filter(at_ms__lt=now - BEAT_MS)
    away = When(at_ms__lt=now - AWAY_AFTER_MS, then=Value(now))
    back = Case(away, default=F("resumed_ms"), output_field=BigIntegerField())
    if not stale.update(at_ms=now, resumed_ms=back) and not Pulse.objects.exists():
        Pulse.objects.get_or_create(pk=1, defaults={"at_ms": now})


def grace(clock: Clock, now: int) -> int:
    """The ms from `now` that an overdue clock still runs, because the platform was away while it ran; 0 for none.

    Nobody could act meanwhile: from the moment of return there are GRACE_MS, and no outage is counted twice. A clock
    that waits for settlement while the platform is at work gets none before settlement goes on: it would only run, and
    wait, again and again.
    """
    pulse = Pulse.objects.first()
    if now - clock.deadline > OUTAGE_AFTER_MS:
        at_work = pulse is not None and pulse.resumed_ms <= clock.deadline and pulse.at_ms >= now - AWAY_AFTER_MS
        return 0 if at_work and condition.is_frozen() else GRACE_MS
    if pulse is not None and pulse.at_ms < now - AWAY_AFTER_MS:
        beat(now)
        return GRACE_MS
    was_running = pulse is not None and pulse.resumed_ms > clock.deadline - clock.length
    return max(0, pulse.resumed_ms + GRACE_MS - now) if pulse is not None and was_running else 0


def failed(table_id: int) -> None:
    """The sweep could do nothing at the table: the others come first from now on."""
    _failures.add(table_id)


def _or_never(field: str) -> Coalesce:
    return Coalesce(F(field), Value(_NEVER), output_field=BigIntegerField())


def awaited_computers(held: Held) -> list[int]:
    """The seats of computer players from whom the table waits for something, in seat order."""
    if not practice.has_person(held):
        return []
    waits = _waits(held.state)
    computers = [seat for seat, seating in held.seatings.items() if seating.is_computer and seating.left_at is None]
    return sorted(seat for seat in computers if waits[seat])


def _waits(state: TableState) -> list[frozenset[str]]:
    """For each seat, which of the moves that a computer player is waited for are open to it."""
    return [frozenset(_THINKING).intersection(engine.legal_moves(state, seat)) for seat in range(state.terms.seats)]


def _computer_due(held: Held) -> int | None:
    waits = _waits(held.state)
    thoughts = [_THINKING[move] for seat in awaited_computers(held) for move in waits[seat]]
    if not thoughts:
        return None
    return held.now + int(random.uniform(*min(thoughts)) * settings.COMPUTER_PACE)  # noqa: S311  a pause, not a card
