"""Computer players: each decision is made from the player's own view alone.

`choose` reads the view of the player in the seat and returns a frame of the table socket, or None when there is nothing
to do. The same view always gets the same answer. A sound player draws cards that meld, keeps cards that may still meld,
and discards the card that costs most and helps the next player least; an expert is in `expert`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from rules.books import book
from rules.bots import expert
from rules.bots.dropping import should_drop
from rules.bots.eye import Eye, Frame, Strength, cards_gone
from rules.bots.links import completing, hope, linked, near
from rules.cards import Card, is_joker, points, rank
from rules.game.views.shapes import View
from rules.melds import Kind
from rules.solver.search import Best

_REFILL: Final = 10
_WANTED_BY_NEXT: Final = 4
#: A sharp player's weights for a discard: of points, at first and added each turn; runs; the next player's picks.
_CAUTION, _CAUTION_A_TURN = 0.35, 0.1
_RUN_WORTH, _FIRST_RUN_WORTH = 1.2, 2.0
_WANTED: Final = 2


def choose(view: View, strength: Strength = Strength.SOUND) -> Frame | None:
    """Return the frame that the computer player in `view["me"]` sends now, None if it has nothing to do."""
    me = view["me"]
    if me is None:
        return None
    eye = Eye(view, me, book(view["table"]["book"]), (view["deal"] and view["deal"]["wild_rank"]) or 0, strength)
    return next((decide(eye) for name, decide in _DECISIONS.items() if name in me["moves"]), None)


def _draw(eye: Eye) -> Frame:
    if "finish" in eye.me["moves"] and eye.best().valid:
        return {"type": "finish"}
    if eye.strength is Strength.GENTLE:
        return {"type": "draw", "pile": "closed"}
    if should_drop(eye):
        return {"type": "drop"}
    wants = expert.wants_top if eye.strength is Strength.EXPERT else _wants_top
    return {"type": "draw", "pile": "open" if eye.me["pickable_open"] and wants(eye) else "closed"}


def _after_draw(eye: Eye) -> Frame:
    arranged = eye.best()
    if arranged.valid:
        return {"type": "finish", "card": arranged.discard}
    if eye.strength is Strength.EXPERT:
        return {"type": "discard", "card": expert.card_to_let_go(eye)}
    return {"type": "discard", "card": _DISCARDS[eye.strength](eye, arranged)}


def _submit(eye: Eye) -> Frame:
    return {"type": "submit", "groups": [list(group) for group in eye.best().groups]}


def _rejoin(eye: Eye) -> Frame:
    """Rejoin, unless the first bad hand would end the match for the player again."""
    offer = eye.view["prompt"]
    assert offer is not None and offer["kind"] == "rejoin"
    return {"type": "rejoin", "accept": offer["score"] + eye.book.full_count < (eye.book.pool_limit or 0)}


def _answer_split(eye: Eye) -> Frame:
    """Accept a share that is at least the average."""
    offer = eye.view["prompt"]
    assert offer is not None and offer["kind"] == "split"
    lines = offer["lines"]
    own = next(line["share"] for line in lines if line["seat"] == eye.me["seat"])
    return {"type": "answer_split", "accept": own * len(lines) >= sum(line["share"] for line in lines)}


def _continue(eye: Eye) -> Frame:
    """Continue; before that, offer a split if nobody is closer to the limit, and add chips that the next deal needs."""
    least = eye.view["table"]["minimum"] or 0
    if "add_chips" in eye.me["moves"] and eye.seat["stack"] < least:
        return {"type": "add_chips", "amount": _REFILL * least}
    if "offer_split" in eye.me["moves"]:
        playing = [seat for seat in eye.view["seats"] if seat["status"] not in ("empty", "out", "left")]
        if eye.seat["drops_left"] == min(seat["drops_left"] or 0 for seat in playing):
            return {"type": "offer_split"}
    return {"type": "continue"}


_DECISIONS: Final[dict[str, Callable[[Eye], Frame]]] = {
    "draw": _draw,
    "discard": _after_draw,
    "submit": _submit,
    "rejoin": _rejoin,
    "answer_split": _answer_split,
    "continue": _continue,
}


def _least_useful(eye: Eye, arranged: Best) -> Card:
    """Return the card outside melds with the least hope, the most points, and the least use for the next player."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    picked = eye.picked_by_next()

    def keep(card: Card) -> tuple[int, str]:
        use_for_next = _WANTED_BY_NEXT * any(near(card, other) for other in picked)
        return 2 * hope(card, eye.me["hand"], eye.wild) + use_for_next - points(card, eye.wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _dearest(eye: Eye, arranged: Best) -> Card:
    """Return the card outside melds that counts most."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    return max(spare, key=lambda card: (points(card, eye.wild), card), default=arranged.discard)


def _least_likely(eye: Eye, arranged: Best) -> Card:
    """Return the card outside melds that is least likely to meld with cards to come, weighed against its points."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    picked, gone, packs = eye.picked_by_next(), cards_gone(eye), eye.packs
    caution = _CAUTION + _CAUTION_A_TURN * eye.deal["turn_number"]
    run_worth = _RUN_WORTH if Kind.PURE in arranged.kinds else _FIRST_RUN_WORTH

    def keep(card: Card) -> tuple[float, str]:
        others = {other[:-1]: other for other in spare if other[:-1] != card[:-1]}
        outs = sum([_outs(card, other, packs, gone, run_worth) for other in others.values()])
        use_for_next = _WANTED * any(near(card, other) for other in picked)
        return outs + use_for_next - caution * points(card, eye.wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _outs(card: Card, other: Card, packs: int, gone: Counter[str], run_worth: float) -> float:
    """Count the cards to come that would complete a meld of these two; cards for a run have the weight `run_worth`."""
    if not linked(card, other):
        return 0
    worth = 1 if rank(card) == rank(other) else run_worth
    return worth * sum([max(0, packs - gone[face]) for face in completing(card, other)])


#: Which card to let go, for each strength but the strongest.
_DISCARDS: Final[dict[Strength, Callable[[Eye, Best], Card]]] = {
    Strength.GENTLE: _dearest,
    Strength.SOUND: _least_useful,
    Strength.SHARP: _least_likely,
}


def _wants_top(eye: Eye) -> bool:
    """Return whether the top card of the open pile would lie in a meld and make the hand better, or is a joker."""
    top = eye.deal["open_top"]
    if top is None or is_joker(top, eye.wild):
        return top is not None
    after = eye.best(top)
    if not any(top in group for group in after.groups):
        return False
    before = eye.best()
    melded = sum(len(group) for group in after.groups) > sum(len(group) for group in before.groups)
    return after.valid or after.points < before.points or (melded and after.points <= before.points)
