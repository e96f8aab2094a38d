"""Moves of seating: sit, add chips, leave; and the start clock."""

from __future__ import annotations

from rules.books import Leaving
from rules.game import events as e
from rules.game.lookups import able, free_seats, hand_of, here, in_match
from rules.game.moves import AddChips, Leave, Sit
from rules.game.phases.deal_end import (
    HURRY,
    award_to_last,
    end_deal,
    go_on_or_split,
    offer_rejoin,
    show_result,
    split_at_once,
)
from rules.game.phases.melding import wrong_show
from rules.game.phases.turns import next_turn
from rules.game.prices import price_of_leaving
from rules.game.state import IN_DEAL, ClockKind, Phase, Place, Standing
from rules.game.transitions import Progress
from rules.messages import refuse


def sit(p: Progress, move: Sit) -> None:
    """Take the seat; with the second player the start clock runs.

    Raises Refused: wrong_phase, bad_seat, seat_taken, below_minimum, above_maximum, bad_amount.
    """
    match_runs = p.state.match is not None and not p.book.per_point
    if p.state.phase is Phase.OVER or match_runs:
        refuse("wrong_phase")
    if not 0 <= move.seat < len(p.state.seats):
        refuse("bad_seat")
    if move.seat not in free_seats(p.state):
        refuse("seat_taken")
    _check_stack(p, move.stack)
    p.emit(e.SeatTaken(seat=move.seat, stack=move.stack, computer=move.computer))
    _start_clock(p)


def add_chips(p: Progress, move: AddChips) -> None:
    """Put the amount on the stack. Raises Refused: bad_amount, above_maximum."""
    if move.amount <= 0:
        refuse("bad_amount")
    maximum = p.state.terms.maximum
    if maximum is not None and p.state.seat(move.seat).stack + move.amount > maximum:
        refuse("above_maximum")
    p.emit(e.ChipsAdded(seat=move.seat, amount=move.amount))
    hurry_if_all_continue(p)


def leave(p: Progress, move: Leave) -> None:
    """Let the player leave, at the book's price if they are in a running deal or match."""
    if p.state.phase in IN_DEAL and hand_of(p.state, move.seat) is not None:
        _leave_deal(p, move.seat)
    elif p.state.match is not None and p.book.leaving is not Leaving.SEAT:
        _leave_match(p, move.seat)
    else:
        p.emit(e.SeatLeft(seat=move.seat, returned=p.state.seat(move.seat).stack))
        if p.state.phase is Phase.STARTING and len(able(p.state)) < p.book.min_seats:
            p.emit(e.WaitingBegan(seats=here(p.state)))
        hurry_if_all_continue(p)


def hurry_if_all_continue(p: Progress) -> None:
    """End the result clock soon if nobody is left to wait for, to continue or to add chips."""
    if p.state.phase is not Phase.RESULT or p.state.clock is None:
        return
    playing_on = able(p.state)
    players = [seat for seat in here(p.state) if hand_of(p.state, seat) is not None]
    soon = p.clock(ClockKind.RESULT, HURRY)
    all_set = all(p.state.seat(seat).ready and seat in playing_on for seat in players)
    if all_set and soon.deadline < p.state.clock.deadline:
        p.emit(e.ClockSet(clock=soon))


def _check_stack(p: Progress, stack: int) -> None:
    terms = p.state.terms
    if not p.book.per_point:
        if stack != terms.entry:
            refuse("bad_amount")
        return
    if stack < max(terms.minimum, p.book.least_stack(terms.point_value)):
        refuse("below_minimum")
    if terms.maximum is not None and stack > terms.maximum:
        refuse("above_maximum")


def _start_clock(p: Progress) -> None:
    """Start the clock: two-seat tables wait 10 s, larger ones 30 s, but full ones 5 s at most (RULES.md, Clocks)."""
    larger = len(p.state.seats) > p.book.min_seats
    if p.state.phase is Phase.WAITING and len(able(p.state)) >= p.book.min_seats:
        length = p.clocks.start_more if larger else p.clocks.start_two
        p.emit(e.StartingBegan(clock=p.clock(ClockKind.START, length)))
    clock, soon = p.state.clock, p.clock(ClockKind.START, p.clocks.start_full)
    if p.state.phase is not Phase.STARTING or clock is None:
        return
    if larger and not free_seats(p.state) and soon.deadline < clock.deadline:
        p.emit(e.ClockSet(clock=soon))


def _leave_deal(p: Progress, seat: int) -> None:
    """Leave the deal: what was paid already is kept, a declarer has made a wrong show (RULES.md, The books)."""
    hand, deal, points = p.deal.hand(seat), p.deal, price_of_leaving(p.state, seat)
    if p.state.melding_by == seat:
        wrong_show(p, seat, hand.groups, e.By.LEAVING)
    lost = points * p.state.terms.point_value if p.book.per_point else 0
    p.emit(e.PlayerLeft(seat=seat, points=points, returned=p.state.seat(seat).stack - lost))
    if hand.standing is not Standing.IN:
        return
    if deal.winner is not None:
        if not p.deal.alive:
            end_deal(p, deal.winner)
    elif len(p.deal.alive) == 1 or (deal.turn is not None and deal.turn.seat == seat):
        next_turn(p, seat)


def _leave_match(p: Progress, seat: int) -> None:
    """Leave the match without refund or rejoin, between two deals or when out of it; the last one left has won.

    A deal that others play is not touched: whether the prize is split at once is asked between deals only (RULES.md,
    Pool).
    """
    if p.state.rejoin is not None and seat in p.state.rejoin.seats:
        p.emit(e.RejoinDeclined(seat=seat, by=e.By.PLAYER))
    was_in = p.state.seat(seat).place is Place.HERE
    p.emit(e.PlayerLeft(seat=seat, points=None, returned=p.state.seat(seat).stack))
    if was_in and len(in_match(p.state)) == 1:
        _close_prompts(p)
        award_to_last(p)
    elif p.state.rejoin is not None:
        offer_rejoin(p, p.state.rejoin.seats)
        close_rejoin_if_answered(p)
    elif p.state.phase is Phase.SPLIT and was_in:
        end_split(p)
    elif p.state.phase not in IN_DEAL and not split_at_once(p):
        hurry_if_all_continue(p)


def _close_prompts(p: Progress) -> None:
    """Return to the result before the prize is paid, since nobody is left to answer."""
    decline_rejoins(p)
    if p.state.rejoin is not None:
        p.emit(e.RejoinClosed(seats=in_match(p.state)))
    if p.state.split is not None:
        p.emit(e.SplitEnded(agreed=False))


def decline_rejoins(p: Progress) -> None:
    """Count players who have not answered as out for good."""
    for seat in p.state.rejoin.seats if p.state.rejoin is not None else ():
        p.emit(e.RejoinDeclined(seat=seat, by=e.By.PLATFORM))


def close_rejoin_if_answered(p: Progress) -> None:
    """Go on to the split or the result clock once every choice is made."""
    assert p.state.rejoin is not None
    if not p.state.rejoin.seats:
        p.emit(e.RejoinClosed(seats=in_match(p.state)))
        go_on_or_split(p)


def end_split(p: Progress) -> None:
    """End an offer that has failed: the next deal comes soon, unless the prize is split without one."""
    p.emit(e.SplitEnded(agreed=False))
    if not split_at_once(p):
        show_result(p, HURRY)
