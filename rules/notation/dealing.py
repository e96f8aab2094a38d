"""From the header to the first turn: a table at which exactly this deal is dealt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rules.books import Toss
from rules.cards import HAND_SIZE, Card, ordered_shoe, wild_rank
from rules.game import events as e
from rules.game.engine import apply
from rules.game.events import Event
from rules.game.moves import ClientSeed, Expire, PrepareDeal, Sit
from rules.game.state import Clock, ClockKind, MatchState, Phase, Prepared, TableState, Terms
from rules.game.transitions import Transition, commit_version, start
from rules.notation.shape import HANDS, Notation
from rules.shuffling import commitment
from rules.text import message

#: What a point is worth, so that a stack for one deal is the full count.
_POINT_VALUE: Final = 1


def dealt(notation: Notation) -> Transition:
    """Return the transition that deals the cards and begins the first turn.

    The table is the smallest that can have had this deal: nobody has points of a match, no chip more than the deal may
    cost. Raises NotationError: the seed is not the one promised, or does not give cut joker and first player.
    """
    transition = _by_seeds(notation) if notation.seed is not None else _by_cards(notation)
    deal = transition.after.deal
    assert deal is not None and deal.cut is not None, "no cards were dealt"
    if deal.cut != notation.cut:
        notation.refuse("Cut", message("The cut joker is {card}.", card=deal.cut))
    if deal.order[0] != notation.first:
        notation.refuse("First", message("The toss gives the first turn to seat {seat}.", seat=deal.order[0]))
    if notation.order is not None and deal.order != notation.order:
        order = " ".join(map(str, deal.order))
        notation.refuse("Order", message("The toss gives this order: {order}.", order=order))
    return transition


def order_of(notation: Notation) -> tuple[int, ...]:
    """Return the order of turns: as it is given, as the toss gives it, or the seats one after the other."""
    if notation.order is not None:
        return notation.order
    if notation.book.toss is Toss.BY_RANK and notation.seed is not None:
        tossed = _tossed(notation).after.current.order
        if tossed[0] == notation.first:
            return tossed
    place = notation.dealt.index(notation.first)
    return notation.dealt[place:] + notation.dealt[:place]


def _by_seeds(notation: Notation) -> Transition:
    assert notation.seed is not None
    if commitment(notation.deal, bytes.fromhex(notation.seed)) != notation.commitment:
        notation.refuse("Seed", message("This is not the seed that the commitment has promised for this deal."))
    if notation.book.toss_each_deal:
        return _tossed(notation)
    return _begun(_in_match(_prepared(notation), order_of(notation)))


def _tossed(notation: Notation) -> Transition:
    """Return the transition of a first deal, which begins with a toss."""
    return _begun(_prepared(notation))


def _begun(state: TableState) -> Transition:
    assert state.clock is not None
    return apply(state, Expire(), state.clock.deadline)


def _prepared(notation: Notation) -> TableState:
    """Return the table before the deal: its players are seated, all seeds are in."""
    assert notation.seed is not None
    state = _seated(notation)
    state = apply(state, PrepareDeal(deal_id=notation.deal, seed=notation.seed), 0).after
    for seat, seed in notation.clients:
        state = apply(state, ClientSeed(seat=seat, seed=seed), 0).after
    return state


def _seated(notation: Notation) -> TableState:
    rules = notation.book
    value = _POINT_VALUE if rules.per_point else 0
    terms = Terms(
        book=rules.key,
        book_version=rules.version,
        seats=notation.seats,
        point_value=value,
        minimum=rules.least_stack(value),
    )
    state = start(terms)
    for seat in notation.dealt:
        state = apply(state, Sit(seat=seat, stack=terms.minimum), 0).after
    return state


def _in_match(state: TableState, order: tuple[int, ...]) -> TableState:
    """Return the table within a match in which these turns come next."""
    players = tuple(sorted(order))
    seats = tuple(seat and replace(seat, total=state.book.first_total) for seat in state.seats)
    return replace(state, seats=seats, match=MatchState(players=players, order=order, first=order[-1]))


def _by_cards(notation: Notation) -> Transition:
    """Deal the cards that are given."""
    order, hands = order_of(notation), dict(notation.hands)
    state = _in_match(_seated(notation), order)
    prepared = Prepared(deal_id=notation.deal, seed="", commitment=notation.commitment or "")
    before = replace(state, prepared=prepared)
    closed = _rest(notation)
    happened: list[Event] = [
        e.CardsDealt(
            deal_id=notation.deal,
            number=1,
            order=order,
            packs=notation.packs,
            clients=(),
            hands=tuple(hands[seat] for seat in order),
            closed=closed,
        )
    ]
    if notation.book.open_pile:
        happened.append(e.UpcardTurned(card=closed[0]))
    happened.append(e.CutJokerTurned(card=notation.cut, wild_rank=wild_rank(notation.cut)))
    length = state.terms.clocks.turn
    clock = Clock(kind=ClockKind.TURN, seat=order[0], deadline=length, length=length)
    happened.append(e.TurnBegan(seat=order[0], number=1, clock=clock))
    after: TableState = before
    for event in happened:
        after = event.fold(after)
    assert after.phase is Phase.PLAYING
    return Transition(before=before, after=commit_version(after, happened), events=tuple(happened))


def _rest(notation: Notation) -> tuple[Card, ...]:
    """Return the shoe behind the hands: upcard (where the book has one), cut joker, closed deck.

    The stock has all of it; one that leaves out the cut joker, or upcard and cut joker, is completed.
    """
    for seat, hand in notation.hands:
        if len(hand) != HAND_SIZE:
            notation.refuse(HANDS[seat], message("A hand has {hand_size} cards, here are {count}.", hand_size=HAND_SIZE,
                                             count=len(hand)))  # fmt: skip
    stock, upcards = list(notation.stock), int(notation.book.open_pile)
    given = [*stock, *(card for _, hand in notation.hands for card in hand)]
    if notation.cut not in given:
        missing = [card for card in ordered_shoe(notation.packs) if card not in [*given, notation.cut]]
        stock = [*missing, *stock] if len(missing) <= upcards else stock
        stock.insert(upcards, notation.cut)
    _check_shoe(notation, stock)
    if stock[upcards : upcards + 1] != [notation.cut]:
        notation.refuse("Cut", message("The cut joker is {card}.", card=stock[upcards]))
    return tuple(stock)


def _check_shoe(notation: Notation, stock: Sequence[Card]) -> None:
    """Check that hands and stock are the whole shoe. Raises NotationError at the line of the first card that is not."""
    seen: set[Card] = set()
    for name, cards in (*((HANDS[seat], hand) for seat, hand in notation.hands), ("Stock", stock)):
        for card in cards:
            if card in seen:
                notation.refuse(name, message("{card} is somewhere else already.", card=card))
            seen.add(card)
    for card in ordered_shoe(notation.packs):
        if card not in seen:
            notation.refuse("Stock", message("{card} is missing in hands and stock.", card=card))
