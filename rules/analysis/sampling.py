"""Deals that are possible given what one player could know, each as likely as any other.

Chance is a seed: the same one gives the same deal on any machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from rules.analysis.seen import UNSEEN, Known, SeenSeat
from rules.cards import Card
from rules.game.state import (
    Clock,
    ClockKind,
    DealState,
    Discarded,
    Hand,
    MatchState,
    Phase,
    Place,
    Seat,
    Standing,
    TableState,
    Terms,
    Turn,
    replace,
)
from rules.shuffling import shuffled

_DOMAIN: Final = b"rummy-analysis-v1"
#: More than any deal costs at one chip a point.
_STACK: Final = 1_000_000
_FAR: Final = 1 << 60

#: The hidden cards as they may lie: by seat the other hands, the closed deck, and the discards that nobody saw.
_Lying = tuple[dict[int, tuple[Card, ...]], tuple[Card, ...], list[Card]]


def sampled(seen: Known, seed: bytes, number: int) -> TableState:
    """Return sample `number` of this seed: a table at the player's decision, with every hidden card in some place where
    it may lie."""
    hands, closed, face_down = (_open if seen.book.open_pile else _blind)(seen, seed, number)
    unseen = iter(face_down)
    discards = tuple(
        replace(entry, card=next(unseen)) if entry.card == UNSEEN and entry.lies else entry for entry in seen.discards
    )
    return _table(seen, hands, closed, discards, _label(seed, number, "reshuffles"))


def _label(seed: bytes, number: int, part: str) -> bytes:
    return b"/".join((seed, str(number).encode(), part.encode()))


def _mixed(cards: Sequence[Card], seed: bytes, number: int, part: str) -> list[Card]:
    return list(shuffled(cards, part, _label(seed, number, part), (), _DOMAIN))


def _others(seen: Known) -> list[SeenSeat]:
    return [each for each in seen.seats if each.seat != seen.seat]


def _open(seen: Known, seed: bytes, number: int) -> _Lying:
    """Place the hidden cards where all discards were seen.

    Each card of the shoe as it was dealt that another player held is still there or has been seen since, so it is known
    how many of them a player holds; and in the same way of each reshuffle.
    """
    by_shuffle: dict[int, list[Card]] = defaultdict(list)
    for card, shuffle in seen.hidden:
        by_shuffle[shuffle].append(card)
    hands = {each.seat: list(each.known) for each in _others(seen)}
    closed: list[Card] = []
    for shuffle in range(seen.reshuffles + 1):
        cards = _mixed(by_shuffle[shuffle], seed, number, f"shuffle-{shuffle}")
        for each in _others(seen):
            count = dict(each.hidden).get(shuffle, 0)
            hands[each.seat] += cards[:count]
            cards = cards[count:]
        closed = cards
    return {seat: tuple(cards) for seat, cards in hands.items()}, tuple(closed), []


def _blind(seen: Known, seed: bytes, number: int) -> _Lying:
    """Place the hidden cards where nobody sees the discards of others: play what has happened since the last shuffle.

    The closed deck then held what the player drew from it since, and their own discards that had gone back into it.
    Which cards others let go is left to chance.
    """
    own = [step.card for step in seen.since if step.draws and step.seat == seen.seat]
    back = [card for card in seen.went_back if card not in own]
    placed = {*own, *back}
    hidden = [card for card, _ in seen.hidden if card not in placed]
    rest = _mixed(hidden, seed, number, "dealt")
    sizes = {seat: size for seat, size in seen.at_shuffle if seat is not None}
    hands = {}
    for seat, size in sizes.items():
        hands[seat], rest = rest[:size], rest[size:]
    deck = _mixed([*rest, *back], seed, number, "deck")
    face_down = []
    for place, step in enumerate(seen.since):
        if step.seat == seen.seat:
            continue
        if step.draws:
            hands[step.seat].append(deck.pop(0))
            continue
        card = _mixed(hands[step.seat], seed, number, f"let-go-{place}")[0]
        hands[step.seat].remove(card)
        face_down.append(card)
    return {seat: tuple(cards) for seat, cards in hands.items()}, tuple(deck), face_down


_PLACES: Final = {Standing.LEFT: Place.GONE, Standing.LEFT_SHOW: Place.GONE}


def _table(
    seen: Known,
    hands: dict[int, tuple[Card, ...]],
    closed: tuple[Card, ...],
    discards: tuple[Discarded, ...],
    seed: bytes,
) -> TableState:
    """Return the table at which this deal is played, at one chip a point and without a fee."""
    book, order = seen.book, tuple(each.seat for each in seen.seats)
    count = max(book.min_seats, max(order) + 1)
    per_point = book.per_point
    terms = Terms(book=book.key, book_version=book.version, seats=count, point_value=int(per_point), deals=book.deals)
    cards = hands | {seen.seat: seen.hand}
    by_seat = {each.seat: each for each in seen.seats}
    clock = Clock(kind=ClockKind.TURN, deadline=_FAR, length=_FAR, seat=seen.seat)
    deal = DealState(
        deal_id="analysis",
        number=1,
        seed=seed.hex(),
        commitment="",
        clients=(),
        packs=seen.packs,
        order=order,
        hands=tuple(_hand(by_seat[seat], cards[seat]) if seat in cards else None for seat in range(count)),
        closed=closed,
        discards=discards,
        cut=seen.cut,
        wild=seen.wild,
        turns=seen.turn,
        turn=Turn(number=seen.turn, seat=seen.seat, drawn=seen.drawn),
        reshuffles=seen.reshuffles,
    )
    return TableState(
        terms=terms,
        seats=tuple(_seat(by_seat[seat], per_point) if seat in by_seat else None for seat in range(count)),
        view_version=(0,) * count,
        phase=Phase.PLAYING,
        clock=clock,
        deals=1,
        match=MatchState(players=tuple(sorted(order)), order=order, first=order[0]),
        deal=deal,
    )


def _seat(seen: SeenSeat, per_point: bool) -> Seat:
    place = _PLACES.get(seen.standing, Place.HERE)
    return Seat(stack=_STACK if per_point else 0, computer=True, place=place, dealt=1, total=seen.total)


def _hand(seen: SeenSeat, cards: tuple[Card, ...]) -> Hand:
    return Hand(cards=cards, standing=seen.standing, points=seen.points, draws=seen.draws)
