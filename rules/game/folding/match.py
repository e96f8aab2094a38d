"""After a deal: results, money, elimination, rejoin, split, prizes."""

from __future__ import annotations

from rules.game import events as e
from rules.game.folding.register import folds, with_match
from rules.game.state import Phase, Place, RejoinOffer, Result, SplitOffer, TableState
from rules.game.values import changed


@folds(e.DealVoided)
def deal_voided(state: TableState, event: e.DealVoided) -> TableState:
    """The cards stay on the table until the next phase clears it."""
    return changed(state.with_deal(turn=None), phase=Phase.RESULT, clock=None)


@folds(e.DealEnded)
def deal_ended(state: TableState, event: e.DealEnded) -> TableState:
    for row in event.rows:
        if row.total is not None:
            state = state.with_seat(row.seat, total=row.total)
    assert state.match is not None
    state = with_match(state.with_deal(turn=None, winner=event.winner), deals=state.match.deals + 1)
    result = Result(deal_id=event.deal_id, winner=event.winner, rows=event.rows)
    return changed(state, phase=Phase.RESULT, clock=None, result=result)


@folds(e.DealSettled)
def deal_settled(state: TableState, event: e.DealSettled) -> TableState:
    for seat, amount in event.losses:
        state = state.with_seat(seat, stack=state.seat(seat).stack - amount)
    won = sum(amount for _, amount in event.losses) - event.fee
    return state.with_seat(event.winner, stack=state.seat(event.winner).stack + won)


@folds(e.PlayerEliminated)
def player_eliminated(state: TableState, event: e.PlayerEliminated) -> TableState:
    return state.with_seat(event.seat, place=Place.OUT)


@folds(e.RejoinOpened)
def rejoin_opened(state: TableState, event: e.RejoinOpened) -> TableState:
    offer = RejoinOffer(seats=event.seats, price=event.price, score=event.score)
    return changed(state, phase=Phase.REJOIN, rejoin=offer, clock=event.clock)


@folds(e.PlayerRejoined)
def player_rejoined(state: TableState, event: e.PlayerRejoined) -> TableState:
    assert state.match is not None
    pot, rejoins = state.match.pot + event.amount, state.seat(event.seat).rejoins + 1
    state = state.with_seat(event.seat, place=Place.HERE, total=event.total, rejoins=rejoins)
    return with_match(_rejoin_answered(state, event.seat), pot=pot)


@folds(e.RejoinDeclined)
def rejoin_declined(state: TableState, event: e.RejoinDeclined) -> TableState:
    return _rejoin_answered(state, event.seat)


def _rejoin_answered(state: TableState, seat: int) -> TableState:
    assert state.rejoin is not None
    seats = tuple(other for other in state.rejoin.seats if other != seat)
    return changed(state, rejoin=changed(state.rejoin, seats=seats))


@folds(e.RejoinClosed)
def rejoin_closed(state: TableState, event: e.RejoinClosed) -> TableState:
    return changed(state, phase=Phase.RESULT, rejoin=None, clock=None)


@folds(e.SplitOffered)
def split_offered(state: TableState, event: e.SplitOffered) -> TableState:
    split = SplitOffer(by=event.seat, lines=event.lines, accepted=(event.seat,))
    return changed(with_match(state, split_offered=True), phase=Phase.SPLIT, split=split, clock=event.clock)


@folds(e.SplitAnswered)
def split_answered(state: TableState, event: e.SplitAnswered) -> TableState:
    assert state.split is not None
    accepted = (*state.split.accepted, event.seat) if event.accept else state.split.accepted
    return changed(state, split=changed(state.split, accepted=accepted))


@folds(e.SplitEnded)
def split_ended(state: TableState, event: e.SplitEnded) -> TableState:
    return changed(state, phase=Phase.RESULT, split=None, clock=None)


@folds(e.PrizeAwarded)
def prize_awarded(state: TableState, event: e.PrizeAwarded) -> TableState:
    return with_match(state, pot=0, shares=event.shares)


@folds(e.MatchEnded)
def match_ended(state: TableState, event: e.MatchEnded) -> TableState:
    return _over(state)


@folds(e.MatchCancelled)
def match_cancelled(state: TableState, event: e.MatchCancelled) -> TableState:
    return _over(state if state.match is None else with_match(state, pot=0))


def _over(state: TableState) -> TableState:
    """Nothing more happens at this table."""
    if state.deal is not None:
        state = state.with_deal(turn=None)
    return changed(state, phase=Phase.OVER, clock=None, prepared=None, rejoin=None, split=None)
