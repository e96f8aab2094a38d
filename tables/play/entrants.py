"""What tables of a tournament write for its entrants, in the transaction of the events: counts, leaving, absence.

In points each deal is a match of its own, whose stakes change what somebody has in the arena. Where a match counts
chips, they have what it counts.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from operator import attrgetter
from typing import Any

from rules.game import Outcome, Phase, Transition, events, hand_of, legal_moves, moves
from rules.game.events.base import By
from tables.models import Entrant, Tournament
from tables.play.seating import connected_seats
from tables.play.store import LockedTable
from tables.standings import ABSENT_AFTER, STEPPED_AWAY
from wallet.base.queries import update_each

#: Everybody begins an arena with so many chips, and is given as many once more when they have none left.
ARENA_CHIPS = 1_000
#: While a tournament is paused its tables look so often, in ms, whether their next deal may begin.
HELD_MS = 20_000
_COUNTS = ("status", "chips", "deals", "deals_won", "points_lost", "automatic", "refilled", "waits_ms")
_counts_of = attrgetter(*_COUNTS)


def count_events(table: LockedTable, transition: Transition) -> None:
    """Write what the events of the transition mean for the entrants; call it before its rows are written.

    No entrant is read where the events mean nothing for any, and nobody is written whose counts stay as they are.
    """
    if table.row.tournament_id is None:
        return
    happened = [event for event in transition.events if type(event) in _COUNT and not _is_own_drop(event)]
    if not happened:
        return
    seats = _seats(table)
    rows = Entrant.objects.select_for_update().filter(pk__in=seats).order_by("pk")
    entrants = {seats[entrant.pk]: entrant for entrant in rows}
    before = {seat: _counts_of(entrant) for seat, entrant in entrants.items()}
    for event in happened:
        _COUNT[type(event)](event, entrants, table, transition)
    changed = [entrant for seat, entrant in entrants.items() if _counts_of(entrant) != before[seat]]
    for entrant in changed:
        entrant.changed_ms = table.now
    update_each(changed, [*_COUNTS, "changed_ms"])


def absent_moves(table: LockedTable) -> Iterator[moves.Move]:
    """Yield the moves that drop those who have long been absent, now or on their next turn; each is made at once.

    They are dropped as a deal begins, and out of a deal in which nobody else is left: it would go on for nobody.
    Who was removed, and could not leave then, leaves.
    """
    is_dealt = any(isinstance(event, events.CardsDealt) for event in table.events)
    left = () if is_dealt else _played_for(table)
    if not (is_dealt or left):
        return
    seats = _seats(table)
    absent = Entrant.objects.filter(pk__in=seats, automatic__gte=ABSENT_AFTER).values_list("pk", "status")
    found = {seats[pk]: status for pk, status in absent}
    for seat in sorted(found if found.keys() >= set(left) else ()):
        legal = legal_moves(table.state, seat)
        if found[seat] == Entrant.Status.REMOVED and "leave" in legal:
            yield moves.Leave(seat=seat)
        elif "drop" in legal:
            yield moves.Drop(seat=seat)
        elif "auto_drop" in legal:
            yield moves.AutoDrop(seat=seat, on=True)


def _played_for(table: LockedTable) -> Collection[int]:
    """Return who is left in a deal in which the platform has played the last turn of each, and nobody is connected."""
    deal = table.state.deal
    if table.state.phase is not Phase.PLAYING or deal is None or not all(deal.hand(seat).auto for seat in deal.alive):
        return ()
    return deal.alive if connected_seats(table.seatings.values(), table.now).isdisjoint(deal.alive) else ()


def holds_next_deal(table: LockedTable) -> bool:
    """Return whether the table waits with its next deal, since staff have paused its tournament."""
    if table.row.tournament_id is None or table.state.phase not in (Phase.STARTING, Phase.RESULT):
        return False
    return Tournament.objects.filter(pk=table.row.tournament_id, paused_ms__isnull=False).exists()


#: The entrants at a table, by seat.
Entrants = dict[int, Entrant]


def _seats(table: LockedTable) -> dict[int, int]:
    return {seating.entrant_id: seat for seat, seating in table.seatings.items() if seating.entrant_id is not None}


def _count_deal(event: events.DealEnded, entrants: Entrants, table: LockedTable, transition: Transition) -> None:
    for row in event.rows:
        entrant = entrants[row.seat]
        entrant.deals += 1
        entrant.deals_won += row.outcome is Outcome.WON
        entrant.points_lost += row.points
        entrant.chips = entrant.chips + row.amount if row.total is None else row.total
        if row.total is None and entrant.chips <= 0 and not entrant.refilled:
            entrant.chips, entrant.refilled = entrant.chips + ARENA_CHIPS, True
        hand = hand_of(transition.before, row.seat)
        if hand is not None and hand.draws and not hand.auto and entrant.automatic < STEPPED_AWAY:
            entrant.automatic = 0


def _count_absence(
    event: events.PlayerDropped | events.TurnAutoPlayed, entrants: Entrants, table: LockedTable, transition: Transition
) -> None:
    """Count a turn that the platform has played; after a turn of one's own the counting begins anew."""
    hand = hand_of(transition.before, event.seat)
    played_last = hand is not None and hand.draws > 0 and not hand.auto
    entrant = entrants[event.seat]
    entrant.automatic = 1 if played_last and entrant.automatic < STEPPED_AWAY else entrant.automatic + 1


def _is_own_drop(event: events.Event) -> bool:
    return isinstance(event, events.PlayerDropped) and event.by is not By.PLATFORM


def _leave(
    event: events.PlayerLeft | events.SeatLeft, entrants: Entrants, table: LockedTable, transition: Transition
) -> None:
    """Note who leaves while the table goes on: out of a knock-out for good, of an arena until they come back."""
    if isinstance(event, events.SeatLeft) and transition.after.phase is Phase.OVER:
        return
    entrant, arena = entrants[event.seat], table.state.book.per_point
    if arena:
        entrant.automatic = STEPPED_AWAY
    elif entrant.status == Entrant.Status.IN:
        entrant.status = Entrant.Status.LEFT


def _free_all(event: events.Event, entrants: Entrants, table: LockedTable, transition: Transition) -> None:
    """Let those whose deal of an arena is over wait for the next, also who left it and is back; not who is away."""
    for entrant in entrants.values() if table.state.book.per_point else ():
        if entrant.automatic < ABSENT_AFTER and entrant.table_id == table.row.pk:
            entrant.waits_ms = table.now


_COUNT: Mapping[type[events.Event], Callable[[Any, Entrants, LockedTable, Transition], None]] = {
    events.DealEnded: _count_deal,
    events.PlayerDropped: _count_absence,
    events.TurnAutoPlayed: _count_absence,
    events.PlayerLeft: _leave,
    events.SeatLeft: _leave,
    events.MatchEnded: _free_all,
    events.MatchCancelled: _free_all,
}
