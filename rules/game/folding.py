"""What each event does to the state: the only code that makes a new state out of an old one.

The functions trust their events; whether an event may happen is decided before it is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rules.cards import Card
from rules.game import events as e
from rules.game.moves import Pile
from rules.game.state import (
    Deal,
    Discarded,
    Finished,
    Groups,
    Hand,
    Match,
    Phase,
    Place,
    Prepared,
    RejoinOffer,
    Result,
    Seat,
    SplitOffer,
    Standing,
    TableState,
    Terms,
    Turn,
)  # fmt: skip

E = TypeVar("E", bound=e.Event)
Fold = Callable[[TableState, Any], TableState]
_FOLDS: dict[type[e.Event], Fold] = {}


def start(terms: Terms) -> TableState:
    """An empty table with these terms: waiting, version 0."""
    return TableState(terms=terms, seats=(None,) * terms.seats, seen=(0,) * terms.seats)


def fold(state: TableState, event: e.Event) -> TableState:
    """The state after one event, the version untouched."""
    return _FOLDS[type(event)](state, event)


def sealed(state: TableState, events: Iterable[e.Event]) -> TableState:
    """The state after a whole transition: one version further, `seen` moved on for each seat that saw something."""
    version = state.version + 1
    seen = list(state.seen)
    for event in events:
        for seat in range(len(seen)):
            if seen[seat] != version and event.visible(seat):
                seen[seat] = version
    return replace(state, version=version, seen=tuple(seen))


def rebuild(terms: Terms, transitions: Iterable[Sequence[e.Event]]) -> TableState:
    """The state after these transitions, each given by its events, from an empty table."""
    state = start(terms)
    for events in transitions:
        for event in events:
            state = fold(state, event)
        state = sealed(state, events)
    return state


def _folds(kind: type[E]) -> Callable[[Callable[[TableState, E], TableState]], Callable[[TableState, E], TableState]]:
    def register(function: Callable[[TableState, E], TableState]) -> Callable[[TableState, E], TableState]:
        _FOLDS[kind] = function
        return function

    return register


def _seat(state: TableState, seat: int, **changes: Any) -> TableState:
    return state.with_seat(seat, replace(state.seat(seat), **changes))


def _match(state: TableState, **changes: Any) -> TableState:
    assert state.match is not None
    return replace(state, match=replace(state.match, **changes))


def _without(groups: Groups, card: Card) -> Groups:
    """The groups after a card has left them; an emptied group is gone."""
    kept = (tuple(other for other in group if other != card) for group in groups)
    return tuple(group for group in kept if group)


# --- seats and money on the table -----------------------------------------------------------------------------------


@_folds(e.SeatTaken)
def _(state: TableState, event: e.SeatTaken) -> TableState:
    return state.with_seat(event.seat, Seat(stack=event.stack, computer=event.computer))


@_folds(e.ChipsAdded)
def _(state: TableState, event: e.ChipsAdded) -> TableState:
    return _seat(state, event.seat, stack=state.seat(event.seat).stack + event.amount)


@_folds(e.SeatLeft)
def _(state: TableState, event: e.SeatLeft) -> TableState:
    state = state.with_seat(event.seat, None)
    if state.prepared is None:
        return state
    seeds = tuple(item for item in state.prepared.seeds if item[0] != event.seat)
    return replace(state, prepared=replace(state.prepared, seeds=seeds))


@_folds(e.SeatContinued)
def _(state: TableState, event: e.SeatContinued) -> TableState:
    return _seat(state, event.seat, ready=True)


@_folds(e.PlayerLeft)
def _(state: TableState, event: e.PlayerLeft) -> TableState:
    stack = state.seat(event.seat).stack - event.returned
    state = _seat(state, event.seat, stack=stack, place=Place.GONE)
    if event.points is None or state.current.hand(event.seat).standing is not Standing.IN:
        return state
    return _out_of_deal(state, event.seat, Standing.LEFT, event.points)


def _out_of_deal(state: TableState, seat: int, standing: Standing, points: int) -> TableState:
    """His hand is frozen; if it was his turn it is over, and a card he had put into the finish slot is discarded."""
    deal = state.current
    state = state.with_hand(seat, standing=standing, points=points, auto_drop=False)
    if deal.turn is None or deal.turn.seat != seat:
        return state
    if deal.finished is not None:
        state = _finish_card_discarded(state)
    state = state.with_deal(turn=None)
    return replace(state, phase=Phase.PLAYING, clock=None)


def _finish_card_discarded(state: TableState) -> TableState:
    finished = state.current.finished
    assert finished is not None
    discards = (*state.current.discards, Discarded(seat=finished.seat, card=finished.card))
    return state.with_deal(discards=discards, finished=None)


# --- before a deal ----------------------------------------------------------------------------------------------------


@_folds(e.WaitingBegan)
def _(state: TableState, event: e.WaitingBegan) -> TableState:
    return replace(_table_cleared(state), phase=Phase.WAITING, clock=None)


@_folds(e.StartingBegan)
def _(state: TableState, event: e.StartingBegan) -> TableState:
    return replace(_table_cleared(state), phase=Phase.STARTING, clock=event.clock)


def _table_cleared(state: TableState) -> TableState:
    """The last deal is off the table; a match that a pot is played for goes on."""
    return replace(state, deal=None, result=None, match=None if state.per_point else state.match)


@_folds(e.ClockSet)
def _(state: TableState, event: e.ClockSet) -> TableState:
    return replace(state, clock=event.clock)


@_folds(e.ClockCredited)
def _(state: TableState, event: e.ClockCredited) -> TableState:
    return replace(state, clock=event.clock)


@_folds(e.DealPrepared)
def _(state: TableState, event: e.DealPrepared) -> TableState:
    prepared = Prepared(deal_id=event.deal_id, seed=event.seed, commitment=event.commitment)
    return replace(state, prepared=prepared)


@_folds(e.ClientSeedAdded)
def _(state: TableState, event: e.ClientSeedAdded) -> TableState:
    assert state.prepared is not None
    seeds = dict(state.prepared.seeds) | {event.seat: event.seed}
    return replace(state, prepared=replace(state.prepared, seeds=tuple(sorted(seeds.items()))))


@_folds(e.MatchStarted)
def _(state: TableState, event: e.MatchStarted) -> TableState:
    for seat in event.seats:
        state = _seat(state, seat, stack=state.seat(seat).stack - event.entry)
    return replace(state, match=Match(players=event.seats, pot=event.pot))


@_folds(e.TossMade)
def _(state: TableState, event: e.TossMade) -> TableState:
    return _match(state, order=event.order, toss=event.cards)


@_folds(e.CardsDealt)
def _(state: TableState, event: e.CardsDealt) -> TableState:
    prepared = state.prepared
    assert prepared is not None and prepared.deal_id == event.deal_id
    dealt = dict(zip(event.order, event.hands, strict=True))
    deal = Deal(
        deal_id=event.deal_id,
        number=event.number,
        seed=prepared.seed,
        commitment=prepared.commitment,
        clients=event.clients,
        packs=event.packs,
        order=event.order,
        hands=tuple(Hand(cards=dealt[seat]) if seat in dealt else None for seat in range(len(state.seats))),
        closed=event.closed,
    )
    seats = tuple(seat and replace(seat, ready=False) for seat in state.seats)
    state = _match(state, first=event.order[0], split_offered=False)
    return replace(
        state, phase=Phase.PLAYING, clock=None, deals=event.number, prepared=None, deal=deal, result=None, seats=seats
    )


@_folds(e.UpcardTurned)
def _(state: TableState, event: e.UpcardTurned) -> TableState:
    return state.with_deal(closed=state.current.closed[1:], discards=(Discarded(seat=None, card=event.card),))


@_folds(e.CutJokerTurned)
def _(state: TableState, event: e.CutJokerTurned) -> TableState:
    return state.with_deal(closed=state.current.closed[1:], cut=event.card, wild=event.wild_rank)


# --- turns ------------------------------------------------------------------------------------------------------------


@_folds(e.TurnBegan)
def _(state: TableState, event: e.TurnBegan) -> TableState:
    state = state.with_deal(turn=Turn(number=event.number, seat=event.seat), turns=event.number)
    return replace(state, clock=event.clock)


@_folds(e.ExtraTimeBegan)
def _(state: TableState, event: e.ExtraTimeBegan) -> TableState:
    return replace(state, clock=event.clock)


@_folds(e.CardDrawn)
def _(state: TableState, event: e.CardDrawn) -> TableState:
    hand = state.current.hand(event.seat)
    state = state.with_hand(event.seat, cards=(*hand.cards, event.card), draws=hand.draws + 1)
    if event.by is e.By.PLAYER:
        state = state.with_hand(event.seat, misses=0, auto=0)
    deal = state.current
    assert deal.turn is not None
    state = state.with_deal(turn=replace(deal.turn, drawn=event.card))
    if event.pile is Pile.CLOSED:
        return state.with_deal(closed=deal.closed[1:])
    return state.with_deal(discards=_picked_up(deal, event.seat))


def _picked_up(deal: Deal, seat: int) -> tuple[Discarded, ...]:
    """The discards after `seat` took the top of the open pile."""
    top = deal.open_pile[-1]
    return tuple(replace(entry, picked_by=seat) if entry is top else entry for entry in deal.discards)


@_folds(e.CardDiscarded)
def _(state: TableState, event: e.CardDiscarded) -> TableState:
    state = _card_out_of_hand(state, event.seat, event.card)
    discards = (*state.current.discards, Discarded(seat=event.seat, card=event.card))
    state = state.with_deal(turn=None, discards=discards)
    return replace(state, clock=None)


def _card_out_of_hand(state: TableState, seat: int, card: Card) -> TableState:
    hand = state.current.hand(seat)
    cards = tuple(other for other in hand.cards if other != card)
    return state.with_hand(seat, cards=cards, groups=_without(hand.groups, card))


@_folds(e.TurnAutoPlayed)
def _(state: TableState, event: e.TurnAutoPlayed) -> TableState:
    return state.with_hand(event.seat, auto=event.auto, misses=event.misses)


@_folds(e.PlayerDropped)
def _(state: TableState, event: e.PlayerDropped) -> TableState:
    return _out_of_deal(state, event.seat, Standing.DROPPED, event.points)


@_folds(e.AutoDropSet)
def _(state: TableState, event: e.AutoDropSet) -> TableState:
    return state.with_hand(event.seat, auto_drop=event.on)


@_folds(e.HandArranged)
def _(state: TableState, event: e.HandArranged) -> TableState:
    return state.with_hand(event.seat, groups=event.groups)


@_folds(e.HandSorted)
def _(state: TableState, event: e.HandSorted) -> TableState:
    return state.with_hand(event.seat, groups=event.groups, sort_used=True)


@_folds(e.ClosedDeckReshuffled)
def _(state: TableState, event: e.ClosedDeckReshuffled) -> TableState:
    """What was picked up from the discards before is forgotten with them."""
    kept = tuple(entry for entry in state.current.open_pile if entry.card not in set(event.cards))
    return state.with_deal(closed=event.cards, discards=kept, reshuffles=event.number)


# --- melding ----------------------------------------------------------------------------------------------------------


@_folds(e.FinishPlaced)
def _(state: TableState, event: e.FinishPlaced) -> TableState:
    state = _card_out_of_hand(state, event.seat, event.card)
    state = state.with_deal(finished=Finished(seat=event.seat, card=event.card))
    return replace(state, phase=Phase.MELDING, clock=event.clock)


@_folds(e.ShowAccepted)
def _(state: TableState, event: e.ShowAccepted) -> TableState:
    state = state.with_hand(event.seat, standing=Standing.SUBMITTED, points=0, groups=event.groups)
    state = state.with_deal(turn=None, winner=event.seat)
    return replace(state, clock=event.clock)


@_folds(e.ShowRefused)
def _(state: TableState, event: e.ShowRefused) -> TableState:
    state = state.with_hand(event.seat, groups=event.groups)
    return _out_of_deal(state, event.seat, Standing.WRONG, event.points)


@_folds(e.HandSubmitted)
def _(state: TableState, event: e.HandSubmitted) -> TableState:
    return state.with_hand(event.seat, standing=Standing.SUBMITTED, points=event.points, groups=event.groups)


# --- after a deal -----------------------------------------------------------------------------------------------------


@_folds(e.DealVoided)
def _(state: TableState, event: e.DealVoided) -> TableState:
    """The cards stay on the table until the next phase clears it."""
    return replace(state.with_deal(turn=None), phase=Phase.RESULT, clock=None)


@_folds(e.DealEnded)
def _(state: TableState, event: e.DealEnded) -> TableState:
    for row in event.rows:
        if row.total is not None:
            state = _seat(state, row.seat, total=row.total)
    assert state.match is not None
    state = _match(state.with_deal(turn=None, winner=event.winner), deals=state.match.deals + 1)
    result = Result(deal_id=event.deal_id, winner=event.winner, rows=event.rows)
    return replace(state, phase=Phase.RESULT, clock=None, result=result)


@_folds(e.DealSettled)
def _(state: TableState, event: e.DealSettled) -> TableState:
    for seat, amount in event.losses:
        state = _seat(state, seat, stack=state.seat(seat).stack - amount)
    won = sum(amount for _, amount in event.losses) - event.fee
    return _seat(state, event.winner, stack=state.seat(event.winner).stack + won)


@_folds(e.PlayerEliminated)
def _(state: TableState, event: e.PlayerEliminated) -> TableState:
    return _seat(state, event.seat, place=Place.OUT)


@_folds(e.RejoinOpened)
def _(state: TableState, event: e.RejoinOpened) -> TableState:
    offer = RejoinOffer(seats=event.seats, price=event.price, score=event.score)
    return replace(state, phase=Phase.REJOIN, rejoin=offer, clock=event.clock)


@_folds(e.PlayerRejoined)
def _(state: TableState, event: e.PlayerRejoined) -> TableState:
    assert state.match is not None
    pot, rejoins = state.match.pot + event.amount, state.seat(event.seat).rejoins + 1
    state = _seat(state, event.seat, place=Place.HERE, total=event.total, rejoins=rejoins)
    return _match(_rejoin_answered(state, event.seat), pot=pot)


@_folds(e.RejoinDeclined)
def _(state: TableState, event: e.RejoinDeclined) -> TableState:
    return _rejoin_answered(state, event.seat)


def _rejoin_answered(state: TableState, seat: int) -> TableState:
    assert state.rejoin is not None
    seats = tuple(other for other in state.rejoin.seats if other != seat)
    return replace(state, rejoin=replace(state.rejoin, seats=seats))


@_folds(e.RejoinClosed)
def _(state: TableState, event: e.RejoinClosed) -> TableState:
    return replace(state, phase=Phase.RESULT, rejoin=None, clock=None)


@_folds(e.SplitOffered)
def _(state: TableState, event: e.SplitOffered) -> TableState:
    split = SplitOffer(by=event.seat, lines=event.lines, accepted=(event.seat,))
    return replace(_match(state, split_offered=True), phase=Phase.SPLIT, split=split, clock=event.clock)


@_folds(e.SplitAnswered)
def _(state: TableState, event: e.SplitAnswered) -> TableState:
    assert state.split is not None
    accepted = (*state.split.accepted, event.seat) if event.accept else state.split.accepted
    return replace(state, split=replace(state.split, accepted=accepted))


@_folds(e.SplitEnded)
def _(state: TableState, event: e.SplitEnded) -> TableState:
    return replace(state, phase=Phase.RESULT, split=None, clock=None)


@_folds(e.PrizeAwarded)
def _(state: TableState, event: e.PrizeAwarded) -> TableState:
    return _match(state, pot=0)


@_folds(e.MatchEnded)
def _(state: TableState, event: e.MatchEnded) -> TableState:
    return _over(state)


@_folds(e.MatchCancelled)
def _(state: TableState, event: e.MatchCancelled) -> TableState:
    return _over(state if state.match is None else _match(state, pot=0))


def _over(state: TableState) -> TableState:
    """Nothing more happens at this table."""
    if state.deal is not None:
        state = state.with_deal(turn=None)
    return replace(state, phase=Phase.OVER, clock=None, prepared=None, rejoin=None, split=None)
