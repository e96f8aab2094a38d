"""Computer players: each decision is made from the player's own view alone.

`choose` reads the view of the player in the seat and returns a frame of the table socket, or None when there is nothing
to do. The same view always gets the same answer. A sound player draws cards that meld, keeps cards that may still meld,
and discards the card that costs most and helps the next player least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from rules.books import RuleBook, WithoutLives, book
from rules.cards import ACE, RANKS, SUITS, Card, is_joker, points, rank, suit
from rules.game.views.shapes import DealView, MeView, SeatView, View
from rules.melds import Kind
from rules.said import texts
from rules.solver.search import Best, best

#: The names of computer players, in the order in which they join a table. No player may take such a name.
NAMES: Final = texts(("Meera", "Kabir", "Tara", "Vikram", "Leela"))

Frame = dict[str, Any]


class Strength(StrEnum):
    """How well a computer player plays."""

    #: Draws from the closed deck, never drops, and lets the dearest loose card go.
    GENTLE = "gentle"
    #: Takes what melds, keeps what may still meld.
    SOUND = "sound"
    #: Counts the cards that are gone, and lowers what it holds before it is caught.
    SHARP = "sharp"


_ACE_HIGH: Final = 14
_NEIGHBOURS: Final = {1: 5, 2: 3}
_SAME_RANK: Final = 3
_WANTED_BY_NEXT: Final = 4
_REFILL: Final = 10
#: A sharp player's weights for a discard: of points, at first and added each turn; runs; the next player's picks.
_CAUTION, _CAUTION_A_TURN = 0.35, 0.1
_RUN_WORTH, _FIRST_RUN_WORTH = 1.2, 2.0
_WANTED: Final = 2
#: The points that a first hand is expected to win by playing on, most often less than none: to begin with, for each
#: joker, with a pure sequence, and for each point of hope. Found by playing against itself.
_EXPECTED: Final = {WithoutLives.COUNTS: (-31, 16, 13, 0.16), WithoutLives.FULL_COUNT: (-50, 20, 10, 0.4)}


def choose(view: View, strength: Strength = Strength.SOUND) -> Frame | None:
    """Return the frame that the computer player in `view["me"]` sends now, None if it has nothing to do."""
    me = view["me"]
    if me is None:
        return None
    eye = _Eye(view, me, book(view["table"]["book"]), (view["deal"] and view["deal"]["wild_rank"]) or 0, strength)
    return next((decide(eye) for name, decide in _DECISIONS.items() if name in me["moves"]), None)


@dataclass(frozen=True, slots=True)
class _Eye:
    """A player's view with its rule book and the wild rank (0: none)."""

    view: View
    me: MeView
    book: RuleBook
    wild: int
    strength: Strength

    @property
    def seat(self) -> SeatView:
        return self.view["seats"][self.me["seat"]]

    @property
    def deal(self) -> DealView:
        """The deal on the table; only where there is one."""
        deal = self.view["deal"]
        assert deal is not None, "no deal is on the table"
        return deal

    @property
    def packs(self) -> int:
        """Return the number of packs in the shoe of this deal."""
        return self.book.packs_for(sum(seat["status"] != "empty" for seat in self.view["seats"]))

    def best(self, *more: Card) -> Best:
        """Return the best arrangement of the player's hand together with these cards."""
        return best(self.book, self.wild, [*self.me["hand"], *more])


def _draw(eye: _Eye) -> Frame:
    if "finish" in eye.me["moves"] and eye.best().valid:
        return {"type": "finish"}
    if eye.strength is Strength.GENTLE:
        return {"type": "draw", "pile": "closed"}
    if _should_drop(eye):
        return {"type": "drop"}
    return {"type": "draw", "pile": "open" if eye.me["pickable_open"] and _wants_top(eye) else "closed"}


def _after_draw(eye: _Eye) -> Frame:
    arranged = eye.best()
    if arranged.valid:
        return {"type": "finish", "card": arranged.discard}
    return {"type": "discard", "card": _DISCARDS[eye.strength](eye, arranged)}


def _submit(eye: _Eye) -> Frame:
    return {"type": "submit", "groups": [list(group) for group in eye.best().groups]}


def _rejoin(eye: _Eye) -> Frame:
    """Rejoin, unless the first bad hand would end the match for the player again."""
    offer = eye.view["prompt"]
    assert offer is not None and offer["kind"] == "rejoin"
    return {"type": "rejoin", "accept": offer["score"] + eye.book.full_count < (eye.book.pool_limit or 0)}


def _answer_split(eye: _Eye) -> Frame:
    """Accept a share that is at least the average."""
    offer = eye.view["prompt"]
    assert offer is not None and offer["kind"] == "split"
    lines = offer["lines"]
    own = next(line["share"] for line in lines if line["seat"] == eye.me["seat"])
    return {"type": "answer_split", "accept": own * len(lines) >= sum(line["share"] for line in lines)}


def _continue(eye: _Eye) -> Frame:
    """Continue; before that, offer a split if nobody is closer to the limit, and add chips that the next deal needs."""
    least = eye.view["table"]["minimum"] or 0
    if "add_chips" in eye.me["moves"] and eye.seat["stack"] < least:
        return {"type": "add_chips", "amount": _REFILL * least}
    if "offer_split" in eye.me["moves"]:
        playing = [seat for seat in eye.view["seats"] if seat["status"] not in ("empty", "out", "left")]
        if eye.seat["drops_left"] == min(seat["drops_left"] or 0 for seat in playing):
            return {"type": "offer_split"}
    return {"type": "continue"}


_DECISIONS: Final[dict[str, Callable[[_Eye], Frame]]] = {
    "draw": _draw,
    "discard": _after_draw,
    "submit": _submit,
    "rejoin": _rejoin,
    "answer_split": _answer_split,
    "continue": _continue,
}


def _should_drop(eye: _Eye) -> bool:
    """Drop only at the first chance, only where playing on is expected to cost more, and never out of a match."""
    price, limit = eye.me["drop_points"], eye.book.pool_limit
    if "drop" not in eye.me["moves"] or price is None or price != eye.book.first_drop:
        return False
    if limit is not None and (eye.seat["total"] or 0) + price >= limit:
        return False
    return _expected(eye) < -price


def _expected(eye: _Eye) -> float:
    """Return the points that the player is expected to win by playing the hand on."""
    hand = eye.me["hand"]
    to_begin_with, a_joker, with_a_pure, a_hope = _EXPECTED[eye.book.without_lives]
    jokers = sum(is_joker(card, eye.wild) for card in hand)
    hope = sum(_hope(card, hand, eye.wild) for card in hand)
    return to_begin_with + a_joker * jokers + with_a_pure * (Kind.PURE in eye.best().kinds) + a_hope * hope


def _wants_top(eye: _Eye) -> bool:
    """Return whether the top card of the open pile would lie in a meld and make the hand better, or is a joker."""
    top = eye.deal["open_top"]
    if top is None or is_joker(top, eye.wild):
        return top is not None
    before, after = eye.best(), eye.best(top)
    melded = sum(len(group) for group in after.groups) > sum(len(group) for group in before.groups)
    used = any(top in group for group in after.groups)
    return used and (after.valid or after.points < before.points or (melded and after.points <= before.points))


def _least_useful(eye: _Eye, arranged: Best) -> Card:
    """Return the card outside melds with the least hope, the most points, and the least use for the next player."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    picked = _picked_by_next(eye)

    def keep(card: Card) -> tuple[int, str]:
        use_for_next = _WANTED_BY_NEXT * any(_near(card, other) for other in picked)
        return 2 * _hope(card, eye.me["hand"], eye.wild) + use_for_next - points(card, eye.wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _dearest(eye: _Eye, arranged: Best) -> Card:
    """Return the card outside melds that counts most."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    return max(spare, key=lambda card: (points(card, eye.wild), card), default=arranged.discard)


def _least_likely(eye: _Eye, arranged: Best) -> Card:
    """Return the card outside melds that is least likely to meld with cards to come, weighed against its points."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    picked, gone = _picked_by_next(eye), _cards_gone(eye)
    caution = _CAUTION + _CAUTION_A_TURN * eye.deal["turn_number"]
    run_worth = _RUN_WORTH if Kind.PURE in arranged.kinds else _FIRST_RUN_WORTH

    def keep(card: Card) -> tuple[float, str]:
        others = {other[:-1]: other for other in spare if other[:-1] != card[:-1]}
        hope = sum(_outs(eye, card, other, gone, run_worth) for other in others.values())
        use_for_next = _WANTED * any(_near(card, other) for other in picked)
        return hope + use_for_next - caution * points(card, eye.wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _outs(eye: _Eye, card: Card, other: Card, gone: Counter[str], run_worth: float) -> float:
    """Count the cards to come that would complete a meld of these two; cards for a run have the weight `run_worth`."""
    if not _link(card, other):
        return 0
    worth = 1 if rank(card) == rank(other) else run_worth
    return worth * sum(max(0, eye.packs - gone[face]) for face in _completing(card, other))


def _completing(card: Card, other: Card) -> list[str]:
    """Return the faces that complete a meld of two linked cards."""
    low, high = sorted((rank(card), rank(other)))
    if low == high:
        return [f"{card[:-2]}{each}" for each in SUITS if each not in (suit(card), suit(other))]
    if low == ACE and high >= _ACE_HIGH - 2:
        low, high = high, _ACE_HIGH
    missing_ranks = (low + 1,) if high - low == 2 else (low - 1, high + 1)
    return [f"{RANKS[(each - 1) % len(RANKS)]}{suit(card)}" for each in missing_ranks if ACE <= each <= _ACE_HIGH]


def _cards_gone(eye: _Eye) -> Counter[str]:
    """Count by face the cards that nobody can draw any more, as far as this player has seen."""
    lying, cut = eye.deal["discards"][eye.deal["reshuffled_count"] :], eye.deal["cut_joker"]
    picked = [each for each in eye.deal["discards"][: eye.deal["reshuffled_count"]] if "picked_by" in each]
    discards = [each["card"] for each in (*picked, *lying) if each["card"]]
    return Counter(card[:-1] for card in (*eye.me["hand"], *discards, *([cut] if cut else [])))


def _hope(card: Card, hand: Sequence[Card], wild: int) -> int:
    """Return how well a card may still meld with the rest of the hand; a second copy of any card adds nothing."""
    others = {other[:-1]: other for other in hand if other[:-1] != card[:-1] and not is_joker(other, wild)}
    return sum(_link(card, other) for other in others.values())


def _link(card: Card, other: Card) -> int:
    if rank(card) == rank(other):
        return _SAME_RANK
    return _NEIGHBOURS.get(_distance(card, other), 0) if suit(card) == suit(other) else 0


def _near(card: Card, other: Card) -> bool:
    return card[:-1] != other[:-1] and _link(card, other) > 0


def _distance(card: Card, other: Card) -> int:
    low, high = sorted((rank(card), rank(other)))
    return min(high - low, _ACE_HIGH - high) if low == ACE else high - low


def _picked_by_next(eye: _Eye) -> list[Card]:
    """Return the cards that the next player still in the deal has picked from the open pile."""
    seats, own = eye.view["seats"], eye.me["seat"]
    following = (*seats[own + 1 :], *seats[:own])
    after = next((seat["seat"] for seat in following if seat["status"] == "playing"), None)
    return [entry["card"] for entry in eye.deal["discards"] if entry["card"] and entry.get("picked_by") == after]


_DISCARDS: Final[dict[Strength, Callable[[_Eye, Best], Card]]] = {
    Strength.GENTLE: _dearest,
    Strength.SOUND: _least_useful,
    Strength.SHARP: _least_likely,
}
