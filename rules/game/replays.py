"""The steps of a finished deal, from its events alone: the hands, the piles, and what has just happened.

Only for deals that have ended, since every hand is open here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from rules.books import RuleBook
from rules.cards import Card
from rules.game.codec import dump_event
from rules.game.events import Event
from rules.game.moves import Pile
from rules.game.state import DealState, Hand, Standing
from rules.game.transitions import follow_deal
from rules.game.views.sentences import PASSING, sentence

#: The number of cards of the open pile that are shown, the top one last.
OPEN_SHOWN = 3


class HandStep(TypedDict):
    """A hand as its player had arranged it; `points` once they are fixed."""

    groups: list[list[Card]]
    loose: list[Card]
    standing: Standing
    points: int | None


class ReplayStep(TypedDict):
    """How a deal lay after one event that is worth a sentence; `event` is its place among all events of the deal.

    `seat` is who did it, `card` the card that moved, `pile` where it was drawn, `turn` whose turn it is. `closed` and
    `open_count` are cards in the piles, `open` the top ones; `finish` lies in the finish slot.
    """

    event: int
    type: str
    text: str
    seat: int | None
    card: Card | None
    pile: Pile | None
    turn: int | None
    closed: int
    open: list[Card]
    open_count: int
    cut: Card | None
    wild_rank: int
    finish: Card | None
    hands: dict[str, HandStep]


def deal_steps(book: RuleBook, happened: Iterable[Event], names: Mapping[int, str]) -> list[ReplayStep]:
    """Return the steps of the deal; `names` are the players by seat."""
    steps = []
    for place, (event, deal) in enumerate(follow_deal(book, happened)):
        fields = dump_event(event)
        text = None if event.name in PASSING else sentence(fields, names, wild=0 if deal is None else deal.wild)
        if text is not None:
            steps.append(_step(place, fields, text, deal))
    return steps


def changes_of(steps: Iterable[ReplayStep]) -> list[dict[str, Any]]:
    """Return for the page the changes of each step since the one before, hand by hand."""
    shorter: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {}
    for step in steps:
        had = before.get("hands", {})
        hands = {seat: hand for seat, hand in step["hands"].items() if had.get(seat) != hand}
        changed = {key: value for key, value in step.items() if key not in before or before[key] != value}
        shorter.append({**changed, "hands": hands})
        before = step
    return shorter


def _step(place: int, fields: Mapping[str, Any], text: str, deal: DealState | None) -> ReplayStep:
    pile = [entry.card for entry in deal.open_pile] if deal is not None else []
    finished = deal.finished if deal is not None else None
    hands = enumerate(deal.hands) if deal is not None else ()
    return {
        "event": place,
        "type": fields["type"],
        "text": text,
        "seat": fields.get("seat"),
        "card": fields.get("card"),
        "pile": fields.get("pile"),
        "turn": deal.turn.seat if deal is not None and deal.turn is not None else None,
        "closed": len(deal.closed) if deal is not None else 0,
        "open": pile[-OPEN_SHOWN:],
        "open_count": len(pile),
        "cut": deal.cut if deal is not None else None,
        "wild_rank": deal.wild if deal is not None else 0,
        "finish": finished.card if finished is not None else None,
        "hands": {str(seat): _hand(hand) for seat, hand in hands if hand is not None},
    }


def _hand(hand: Hand) -> HandStep:
    return {
        "groups": [list(group) for group in hand.groups],
        "loose": list(hand.loose),
        "standing": hand.standing,
        "points": hand.points,
    }
