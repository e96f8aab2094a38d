"""Computer players: each decision is made from the player's own view alone.

`choose` reads the view of the player in the seat and returns a frame of the table socket, or None when there is nothing
to do. The same view always gets the same answer. A sound player draws cards that meld, keeps cards that may still meld,
and discards the card that costs most and helps the next player least; an expert is in `expert`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.books import book
from rules.bots import expert
from rules.bots.dropping import should_drop
from rules.bots.eye import Eye, Frame, Strength
from rules.bots.letting_go import DISCARDS
from rules.cards import is_joker
from rules.game.views.shapes import View

_REFILL: Final = 10


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
    return {"type": "discard", "card": DISCARDS[eye.strength](eye, arranged)}


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
