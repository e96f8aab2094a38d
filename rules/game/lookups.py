"""Questions that the whole state answers: who is where, who may play, what the prize is."""

from __future__ import annotations

from rules.game.state import Hand, Phase, Place, TableState
from rules.payouts import fee, prize_pool


def hand_of(state: TableState, seat: int) -> Hand | None:
    """Return the hand of the player in `seat` in the deal on the table, None when they have no part in it."""
    taken, deal = state.seats[seat], state.deal
    if taken is None or deal is None or taken.dealt != deal.number:
        return None
    return deal.hands[seat]


def here(state: TableState) -> tuple[int, ...]:
    """Return the seats whose holders are at the table and not out of the match."""
    return tuple(i for i, seat in enumerate(state.seats) if seat is not None and seat.place is Place.HERE)


def in_match(state: TableState) -> tuple[int, ...]:
    """Return the players of the running match who are still in it."""
    return tuple(seat for seat in here(state) if state.match is not None and seat in state.match.players)


def free_seats(state: TableState) -> tuple[int, ...]:
    """Return the seats somebody may take now: none once a match with a pot has begun or the table is over."""
    if state.phase is Phase.OVER or (state.match is not None and not state.book.per_point):
        return ()
    return tuple(i for i, seat in enumerate(state.seats) if seat is None)


def able(state: TableState) -> tuple[int, ...]:
    """Return the seats that can play the next deal: in points and blind those that could pay a full hand."""
    if not state.book.per_point:
        return in_match(state) if state.match is not None else here(state)
    needed = state.book.least_stack(state.terms.point_value)
    return tuple(seat for seat in here(state) if state.seat(seat).stack >= needed)


def price_of_playing(state: TableState, seat: int) -> int:
    """Return what the player in `seat` has paid into the pot of the match: the entry, and as much for each rejoin."""
    taken = state.seats[seat]
    return state.terms.entry * (1 + (taken.rejoins if taken is not None else 0))


def prize(state: TableState) -> int:
    """Return the prize pool P: what was awarded, or the pot less the fee, rounded down (rules.md, Pool).

    Before the match begins it is what those at the table would play for.
    """
    match, terms = state.match, state.terms
    if match is None:
        return prize_pool(terms.entry, len(here(state)), terms.fee_percent)
    return sum(amount for _, amount in match.shares) or match.pot - fee(match.pot, terms.fee_percent)
