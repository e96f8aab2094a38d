"""How players play when a test wants a match to go one way: by dropping, by showing nothing, by waiting.

A choice looks at the player's own view and answers with the frame to send, or None to wait. Who drops at their first
chance pays the first drop, who shows nothing pays the full count, and who only waits wins once the others are out:
so the scores of every deal are known before it is dealt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.client import Player

View = dict[str, Any]
Frame = dict[str, Any]
Choice = Callable[[View], Frame | None]

_VERSIONED = {"draw", "discard", "drop", "finish", "submit"}


def waits(view: View) -> Frame | None:
    """Draws from the closed deck and throws the card away; submits what they have grouped."""
    moves = view["me"]["moves"]
    if "draw" in moves:
        return {"type": "draw", "pile": "closed"}
    if "discard" in moves:
        return {"type": "discard", "card": view["me"]["drawn"]}
    return {"type": "submit"} if "submit" in moves else None


def drops(view: View) -> Frame | None:
    """Drops at their first turn."""
    return {"type": "drop"} if "drop" in view["me"]["moves"] else None


def shows_nothing(view: View) -> Frame | None:
    """Finishes at their first turn with no group at all: a wrong show."""
    moves = view["me"]["moves"]
    if "submit" in moves:
        return {"type": "submit", "groups": []}
    return {"type": "finish", "card": view["me"]["drawn"]} if "finish" in moves else waits(view)


def leaves(view: View) -> Frame | None:
    """Leaves at their first turn."""
    return {"type": "leave"} if "draw" in view["me"]["moves"] else None


@dataclass
class Part:
    """What one player does in a match: in each deal (by its number), and at the prompts after it."""

    deals: Mapping[int, Choice] = field(default_factory=dict)
    #: By deal: whether they come back when they are out; where it is not named they let the time run out.
    rejoins: Mapping[int, bool] = field(default_factory=dict)
    #: After these deals they offer a split.
    offers: Sequence[int] = ()
    #: By deal: their answer to an offered split.
    accepts: Mapping[int, bool] = field(default_factory=dict)
    #: After this deal they leave.
    leaves_after: int | None = None

    def __call__(self, view: View) -> Frame | None:
        if view["me"] is None or view["deal"] is None:
            return None
        moves, deal = view["me"]["moves"], view["deal"]["number"]
        if view["phase"] in ("playing", "melding"):
            return self.deals.get(deal, waits)(view)
        if "rejoin" in moves:
            return {"type": "rejoin", "accept": self.rejoins[deal]} if deal in self.rejoins else None
        if "answer_split" in moves:
            return {"type": "answer_split", "accept": self.accepts[deal]}
        if "offer_split" in moves and deal in self.offers:
            return {"type": "offer_split"}
        if view["phase"] == "result" and deal == self.leaves_after:
            return {"type": "leave"}
        return {"type": "continue"} if "continue" in moves else None


def match_is_over(view: View) -> bool:
    return bool(view["phase"] == "over")


async def perform(player: Player, choice: Choice, done: Callable[[View], bool] = match_is_over) -> View:
    """The player, already at the table, makes their choices until `done` or until they have left; their last view.

    Every frame they send must be accepted, unless another player's move overtook it; what came of it is seen before
    they choose again.
    """
    while not done(player.view):
        frame = choice(player.view)
        if frame is None:
            await player.receive()
            continue
        decided_at = player.version
        version = {"version": decided_at} if frame["type"] in _VERSIONED else {}
        answer = await player.ask(frame.pop("type"), **frame, **version)
        assert answer["type"] == "ack" or answer["version"] > decided_at, answer
        while player.version < answer["version"]:
            await player.receive()
        if player.view["me"] is None:
            break
    return player.view
