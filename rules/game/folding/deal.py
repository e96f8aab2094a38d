"""A deal, from the cards to the last submission."""

from __future__ import annotations

from typing import Any

from rules.cards import Card
from rules.game import events as e
from rules.game.folding.register import folds, out_of_deal, with_match
from rules.game.moves import Pile
from rules.game.state import Deal, Discarded, Finished, Groups, Hand, Match, Phase, Standing, TableState, Turn
from rules.game.values import changed


@folds(e.MatchStarted)
def match_started(state: TableState, event: e.MatchStarted) -> TableState:
    for seat in event.seats:
        state = state.with_seat(seat, stack=state.seat(seat).stack - event.entry)
    return changed(state, match=Match(players=event.seats, pot=event.pot))


@folds(e.TossMade)
def toss_made(state: TableState, event: e.TossMade) -> TableState:
    return with_match(state, order=event.order, toss=event.cards)


@folds(e.CardsDealt)
def cards_dealt(state: TableState, event: e.CardsDealt) -> TableState:
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
    for seat in event.order:
        state = state.with_seat(seat, ready=False, dealt=event.number)
    state = with_match(state, first=event.order[0], split_offered=False)
    return changed(state, phase=Phase.PLAYING, clock=None, deals=event.number, prepared=None, deal=deal, result=None)


@folds(e.UpcardTurned)
def upcard_turned(state: TableState, event: e.UpcardTurned) -> TableState:
    return state.with_deal(closed=state.current.closed[1:], discards=(Discarded(seat=None, card=event.card),))


@folds(e.CutJokerTurned)
def cut_joker_turned(state: TableState, event: e.CutJokerTurned) -> TableState:
    return state.with_deal(closed=state.current.closed[1:], cut=event.card, wild=event.wild_rank)


@folds(e.TurnBegan)
def turn_began(state: TableState, event: e.TurnBegan) -> TableState:
    deal = changed(state.current, turn=Turn(number=event.number, seat=event.seat), turns=event.number)
    return changed(state, deal=deal, clock=event.clock)


@folds(e.ExtraTimeBegan)
def extra_time_began(state: TableState, event: e.ExtraTimeBegan) -> TableState:
    return changed(state, clock=event.clock)


@folds(e.CardDrawn)
def card_drawn(state: TableState, event: e.CardDrawn) -> TableState:
    """A draw of the player's own ends the row of what the platform played for them."""
    deal, hand = state.current, state.current.hand(event.seat)
    assert deal.turn is not None
    own: dict[str, int] = {"misses": 0, "auto": 0} if event.by is e.By.PLAYER else {}
    hands = deal.hands_with(event.seat, cards=(*hand.cards, event.card), draws=hand.draws + 1, **own)
    turn = changed(deal.turn, drawn=event.card)
    if event.pile is Pile.CLOSED:
        return state.with_deal(hands=hands, turn=turn, closed=deal.closed[1:])
    return state.with_deal(hands=hands, turn=turn, discards=_picked_up(deal, event.seat))


def _picked_up(deal: Deal, seat: int) -> tuple[Discarded, ...]:
    """The discards after `seat` took the top of the open pile."""
    top = deal.open_pile[-1]
    return tuple(changed(entry, picked_by=seat) if entry is top else entry for entry in deal.discards)


@folds(e.CardDiscarded)
def card_discarded(state: TableState, event: e.CardDiscarded) -> TableState:
    deal = state.current
    hands = deal.hands_with(event.seat, **_given_up(deal.hand(event.seat), event.card))
    discards = (*deal.discards, Discarded(seat=event.seat, card=event.card))
    return changed(state, deal=changed(deal, hands=hands, turn=None, discards=discards), clock=None)


def _given_up(hand: Hand, card: Card) -> dict[str, Any]:
    """What changes in a hand when a card goes out of it."""
    return {"cards": _less(hand.cards, card), "groups": _without(hand.groups, card)}


@folds(e.TurnAutoPlayed)
def turn_auto_played(state: TableState, event: e.TurnAutoPlayed) -> TableState:
    return state.with_hand(event.seat, auto=event.auto, misses=event.misses)


@folds(e.PlayerDropped)
def player_dropped(state: TableState, event: e.PlayerDropped) -> TableState:
    return out_of_deal(state, event.seat, Standing.DROPPED, event.points)


@folds(e.AutoDropSet)
def auto_drop_set(state: TableState, event: e.AutoDropSet) -> TableState:
    return state.with_hand(event.seat, auto_drop=event.on)


@folds(e.HandArranged)
def hand_arranged(state: TableState, event: e.HandArranged) -> TableState:
    return state.with_hand(event.seat, groups=event.groups)


@folds(e.HandSorted)
def hand_sorted(state: TableState, event: e.HandSorted) -> TableState:
    return state.with_hand(event.seat, groups=event.groups, sort_used=True)


@folds(e.ClosedDeckReshuffled)
def closed_deck_reshuffled(state: TableState, event: e.ClosedDeckReshuffled) -> TableState:
    """The cards go, the memory of who discarded them stays (rules.md, The books)."""
    deal, shuffled = state.current, set(event.cards)
    if event.remembered:
        discards = tuple(_back_in_deck(entry, shuffled) for entry in deal.discards)
    else:
        discards = tuple(entry for entry in deal.open_pile if entry.card not in shuffled)
    return state.with_deal(closed=event.cards, discards=discards, reshuffles=event.number)


def _back_in_deck(entry: Discarded, shuffled: set[Card]) -> Discarded:
    return changed(entry, reshuffled=True) if entry.lies and entry.card in shuffled else entry


@folds(e.FinishPlaced)
def finish_placed(state: TableState, event: e.FinishPlaced) -> TableState:
    deal = state.current
    if event.card is not None:
        hands = deal.hands_with(event.seat, **_given_up(deal.hand(event.seat), event.card))
        deal = changed(deal, hands=hands)
    deal = changed(deal, finished=Finished(seat=event.seat, card=event.card))
    return changed(state, deal=deal, phase=Phase.MELDING, clock=event.clock)


@folds(e.ShowAccepted)
def show_accepted(state: TableState, event: e.ShowAccepted) -> TableState:
    state = state.with_hand(event.seat, standing=Standing.SUBMITTED, points=0, groups=event.groups)
    state = state.with_deal(turn=None, winner=event.seat)
    return changed(state, clock=event.clock)


@folds(e.ShowRefused)
def show_refused(state: TableState, event: e.ShowRefused) -> TableState:
    placed = () if event.card is None else (Discarded(seat=event.seat, card=event.card),)
    state = state.with_hand(event.seat, groups=event.groups)
    state = state.with_deal(discards=(*state.current.discards, *placed), finished=None)
    return out_of_deal(state, event.seat, Standing.WRONG, event.points)


@folds(e.HandSubmitted)
def hand_submitted(state: TableState, event: e.HandSubmitted) -> TableState:
    return state.with_hand(event.seat, standing=Standing.SUBMITTED, points=event.points, groups=event.groups)


def _without(groups: Groups, card: Card) -> Groups:
    """The groups after a card has left them; an emptied group is gone."""
    kept = (_less(group, card) if card in group else group for group in groups)
    return tuple(group for group in kept if group)


def _less(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple(other for other in cards if other != card)
