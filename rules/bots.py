"""Computer players: one decision from one's own view, and from nothing else.

`choose` sees what the player in the seat sees and answers with a frame of the table socket, or None when there is
nothing to do. The same view always gets the same answer. The game it plays is sound and open to see through: it
takes what melds, keeps what may still meld, and lets go what costs most and helps the next player least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from rules.books import RuleBook, book
from rules.cards import ACE, Card, is_joker, points, rank, suit
from rules.melds import Kind
from rules.solver.search import Best, best

#: What they are called, in the order in which they come to a table. No player may take such a name.
NAMES: Final = ("Meera", "Kabir", "Tara", "Vikram", "Leela")

View = dict[str, Any]
Frame = dict[str, Any]

_ACE_HIGH: Final = 14
_NEIGHBOURS: Final = {1: 5, 2: 3}
_SAME_RANK: Final = 3
_WANTED_BY_NEXT: Final = 4
_REFILL: Final = 10
_HOPELESS_HOPE: Final = 60
"""A first hand without a pure sequence and with less hope than this is dropped; found by playing against itself."""


def choose(view: View) -> Frame | None:
    """The frame the computer player in `view["me"]` sends now, None if it has nothing to do."""
    if view["me"] is None:
        return None
    moves = view["me"]["moves"]
    return next((decide(view) for name, decide in _DECISIONS.items() if name in moves), None)


def _draw(view: View) -> Frame:
    if "finish" in view["me"]["moves"] and _best(view, view["me"]["hand"]).valid:
        return {"type": "finish"}
    if _should_drop(view):
        return {"type": "drop"}
    return {"type": "draw", "pile": "open" if view["me"]["pickable_open"] and _wants_top(view) else "closed"}


def _after_draw(view: View) -> Frame:
    arranged = _best(view, view["me"]["hand"])
    if arranged.valid:
        return {"type": "finish", "card": arranged.discard}
    return {"type": "discard", "card": _least_useful(view, arranged)}


def _submit(view: View) -> Frame:
    return {"type": "submit", "groups": [list(group) for group in _best(view, view["me"]["hand"]).groups]}


def _rejoin(view: View) -> Frame:
    """Back in, unless the first bad hand would end it again."""
    rules = _book(view)
    return {"type": "rejoin", "accept": view["prompt"]["score"] + rules.full_count < (rules.pool_limit or 0)}


def _answer_split(view: View) -> Frame:
    """Yes to a share that is at least the average."""
    lines = view["prompt"]["lines"]
    own = next(line["share"] for line in lines if line["seat"] == view["me"]["seat"])
    return {"type": "answer_split", "accept": own * len(lines) >= sum(line["share"] for line in lines)}


def _continue(view: View) -> Frame:
    """Ask for a split first when nobody is closer to the limit; put chips on the table that the next deal needs."""
    if "add_chips" in view["me"]["moves"] and _is_short(view):
        return {"type": "add_chips", "amount": _REFILL * _needed(view)}
    if "offer_split" in view["me"]["moves"]:
        drops = [seat["drops_left"] for seat in view["seats"] if seat["status"] not in ("empty", "out", "left")]
        if view["seats"][view["me"]["seat"]]["drops_left"] == min(drops):
            return {"type": "offer_split"}
    return {"type": "continue"}


def _needed(view: View) -> int:
    """What a seat must hold for a deal; rules.md, Points and blind: money."""
    return _book(view).full_count * int(view["table"]["point_value"])


def _is_short(view: View) -> bool:
    return int(view["seats"][view["me"]["seat"]]["stack"]) < _needed(view)


_DECISIONS: Final[dict[str, Callable[[View], Frame]]] = {
    "draw": _draw,
    "discard": _after_draw,
    "submit": _submit,
    "rejoin": _rejoin,
    "answer_split": _answer_split,
    "continue": _continue,
}


def _book(view: View) -> RuleBook:
    return book(view["table"]["book"])


def _best(view: View, cards: Sequence[Card]) -> Best:
    return best(_book(view), view["deal"]["wild_rank"], cards)


def _should_drop(view: View) -> bool:
    """Only at the first chance, only with nothing in the hand, and never out of a match."""
    me = view["me"]
    if "drop" not in me["moves"] or me["drop_points"] != _book(view).first_drop:
        return False
    total, limit = view["seats"][me["seat"]]["total"], _book(view).pool_limit
    if limit is not None and total + me["drop_points"] >= limit:
        return False
    wild = view["deal"]["wild_rank"]
    if any(is_joker(card, wild) for card in me["hand"]) or Kind.PURE in _best(view, me["hand"]).kinds:
        return False
    return sum(_hope(card, me["hand"], wild) for card in me["hand"]) < _HOPELESS_HOPE


def _wants_top(view: View) -> bool:
    """The top card of the open pile would lie in a meld and make the hand better, or is a joker."""
    hand, top = view["me"]["hand"], view["deal"]["open_top"]
    if is_joker(top, view["deal"]["wild_rank"]):
        return True
    before, after = _best(view, hand), _best(view, [*hand, top])
    melded = sum(len(group) for group in after.groups) > sum(len(group) for group in before.groups)
    used = any(top in group for group in after.groups)
    return used and (after.valid or after.points < before.points or (melded and after.points <= before.points))


def _least_useful(view: View, arranged: Best) -> Card:
    """Of the cards in no meld the one with the least hope, the most points, and the least use for the next player."""
    wild = view["deal"]["wild_rank"]
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, wild)]
    picked = _picked_by_next(view)

    def keep(card: Card) -> tuple[int, str]:
        wanted = _WANTED_BY_NEXT * any(_near(card, other) for other in picked)
        return 2 * _hope(card, view["me"]["hand"], wild) + wanted - points(card, wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _hope(card: Card, hand: Sequence[Card], wild: int) -> int:
    """How much the rest of the hand may still make of a card; a second copy of it adds nothing."""
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


def _picked_by_next(view: View) -> list[Card]:
    """What the next player still in the deal was seen to pick up."""
    seats, own = view["seats"], view["me"]["seat"]
    following = (*seats[own + 1 :], *seats[:own])
    after = next((seat["seat"] for seat in following if seat["status"] == "playing"), None)
    return [entry["card"] for entry in view["deal"]["discards"] if entry["card"] and entry["picked_by"] == after]
