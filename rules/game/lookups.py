"""Queries of the whole state: the players at the table, those who may play, the prize."""

from __future__ import annotations

from rules.game.state import Hand, Phase, Place, TableState
from rules.payouts import fee, prize_pool
from rules.shuffling import is_fixed


def hand_of(state: TableState, seat: int) -> Hand | None:
    """Return the hand of the player in `seat` in the deal on the table, None if they have no part in it."""
    holder, deal = state.seats[seat], state.deal
    if holder is None or deal is None or holder.dealt != deal.number:
        return None
    return deal.hands[seat]


def here(state: TableState) -> tuple[int, ...]:
    """Return the seats whose players are at the table and not out of the match."""
    return tuple(i for i, seat in enumerate(state.seats) if seat is not None and seat.place is Place.HERE)


def in_match(state: TableState) -> tuple[int, ...]:
    """Return the players of the running match who are still in it."""
    return tuple(seat for seat in here(state) if state.match is not None and seat in state.match.players)


def free_seats(state: TableState) -> tuple[int, ...]:
    """Return the seats that may be taken now: none once a match with a pot has begun or the table is over."""
    if state.phase is Phase.OVER or (state.match is not None and not state.book.per_point):
        return ()
    return tuple(i for i, seat in enumerate(state.seats) if seat is None)


def able(state: TableState) -> tuple[int, ...]:
    """Return the seats that can play the next deal: in points and blind those that could pay a full hand."""
    if not state.book.per_point:
        return in_match(state) if state.match is not None else here(state)
    needed = state.book.least_stack(state.terms.point_value)
    return tuple(seat for seat in here(state) if state.seat(seat).stack >= needed)


def is_last_deal(state: TableState) -> bool:
    """Return whether no deal follows the one that has its result: its shoe was fixed beforehand for one deal only."""
    return state.result is not None and is_fixed(state.result.deal_id)


def chips(state: TableState) -> dict[int, int]:
    """Return the chips of each taken seat: its stack or, where a match counts them, what it has in the match."""
    seats = {seat: holder for seat, holder in enumerate(state.seats) if holder is not None}
    if state.book.per_point:
        return {seat: holder.stack for seat, holder in seats.items()}
    return {seat: holder.total if state.match is not None else state.book.first_total for seat, holder in seats.items()}


def price_of_playing(state: TableState, seat: int) -> int:
    """Return the player's payments into the pot of the match: the entry, and as much for each rejoin."""
    holder = state.seats[seat]
    return state.terms.entry * (1 + (holder.rejoins if holder is not None else 0))


def prize(state: TableState) -> int:
    """Return the prize pool P: the sum awarded, or the pot less the fee, rounded down (RULES.md, Pool).

    Before the match begins it is the prize for which the players at the table would play.
    """
    match, terms = state.match, state.terms
    if match is None:
        return prize_pool(terms.entry, len(here(state)), terms.fee_percent)
    return sum(amount for _, amount in match.shares) or match.pot - fee(match.pot, terms.fee_percent)
