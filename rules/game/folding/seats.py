"""Seats, clocks and what comes before a deal."""

from __future__ import annotations

from rules.game import events as e
from rules.game.folding.register import folds, out_of_deal
from rules.game.state import Phase, Place, Prepared, Seat, Standing, TableState
from rules.game.values import changed


@folds(e.SeatTaken)
def seat_taken(state: TableState, event: e.SeatTaken) -> TableState:
    return state.seating(event.seat, Seat(stack=event.stack, computer=event.computer))


@folds(e.ChipsAdded)
def chips_added(state: TableState, event: e.ChipsAdded) -> TableState:
    return state.with_seat(event.seat, stack=state.seat(event.seat).stack + event.amount)


@folds(e.SeatLeft)
def seat_left(state: TableState, event: e.SeatLeft) -> TableState:
    state = state.seating(event.seat, None)
    if state.prepared is None:
        return state
    seeds = tuple(item for item in state.prepared.seeds if item[0] != event.seat)
    return changed(state, prepared=changed(state.prepared, seeds=seeds))


@folds(e.SeatContinued)
def seat_continued(state: TableState, event: e.SeatContinued) -> TableState:
    return state.with_seat(event.seat, ready=True)


@folds(e.PlayerLeft)
def player_left(state: TableState, event: e.PlayerLeft) -> TableState:
    stack = state.seat(event.seat).stack - event.returned
    state = state.with_seat(event.seat, stack=stack, place=Place.GONE)
    if event.points is None or state.current.hand(event.seat).standing is not Standing.IN:
        return state
    return out_of_deal(_finish_card_back(state, event.seat), event.seat, Standing.LEFT, event.points)


def _finish_card_back(state: TableState, seat: int) -> TableState:
    """A declarer who leaves has made a wrong show before; in old logs the card went with the hand instead."""
    finished = state.current.finished
    if finished is None or finished.seat != seat or finished.card is None:
        return state
    cards = (*state.current.hand(seat).cards, finished.card)
    return state.with_hand(seat, cards=cards).with_deal(finished=None)


@folds(e.WaitingBegan)
def waiting_began(state: TableState, event: e.WaitingBegan) -> TableState:
    return changed(_table_cleared(state), phase=Phase.WAITING, clock=None)


@folds(e.StartingBegan)
def starting_began(state: TableState, event: e.StartingBegan) -> TableState:
    return changed(_table_cleared(state), phase=Phase.STARTING, clock=event.clock)


def _table_cleared(state: TableState) -> TableState:
    """The last deal is off the table; a match that a pot is played for goes on."""
    return changed(state, deal=None, result=None, match=None if state.per_point else state.match)


@folds(e.ClockSet)
def clock_set(state: TableState, event: e.ClockSet) -> TableState:
    return changed(state, clock=event.clock)


@folds(e.ClockCredited)
def clock_credited(state: TableState, event: e.ClockCredited) -> TableState:
    return changed(state, clock=event.clock)


@folds(e.DealPrepared)
def deal_prepared(state: TableState, event: e.DealPrepared) -> TableState:
    prepared = Prepared(deal_id=event.deal_id, seed=event.seed, commitment=event.commitment)
    return changed(state, prepared=prepared)


@folds(e.ClientSeedAdded)
def client_seed_added(state: TableState, event: e.ClientSeedAdded) -> TableState:
    assert state.prepared is not None
    seeds = dict(state.prepared.seeds) | {event.seat: event.seed}
    return changed(state, prepared=changed(state.prepared, seeds=tuple(sorted(seeds.items()))))
