"""Players' choices that steer a match: by dropping, by showing nothing, by waiting.

A choice takes the player's own view and returns the frame to send, or None to wait. A player who drops at their first
chance pays the first drop, one who shows nothing pays the full count, and one who only waits wins once the others are
out: so the scores of every deal are known before it is dealt.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.client import Player

View = dict[str, Any]
Frame = dict[str, Any]
Choice = Callable[[View], Frame | None]

_VERSIONED = {"draw", "discard", "drop", "finish", "submit"}


def waits(view: View) -> Frame | None:
    """Draw from the closed deck and discard that card; submit the cards as grouped."""
    moves = view["me"]["moves"]
    if "draw" in moves:
        return {"type": "draw", "pile": "closed"}
    if "discard" in moves:
        return {"type": "discard", "card": view["me"]["drawn"]}
    return {"type": "submit"} if "submit" in moves else None


def drops(view: View) -> Frame | None:
    """Drop at the first turn."""
    return {"type": "drop"} if "drop" in view["me"]["moves"] else None


def shows_nothing(view: View) -> Frame | None:
    """Finish at the first turn without any group: a wrong show."""
    moves = view["me"]["moves"]
    if "submit" in moves:
        return {"type": "submit", "groups": []}
    return {"type": "finish", "card": view["me"]["drawn"]} if "finish" in moves else waits(view)


def leaves(view: View) -> Frame | None:
    """Leave at the first turn."""
    return {"type": "leave"} if "draw" in view["me"]["moves"] else None


@dataclass
class Part:
    """The choices of one player in a match: in each deal, by its number, and at the prompts after it."""

    deals: Mapping[int, Choice] = field(default_factory=dict)
    #: By deal: whether they rejoin when they are out; for other deals they let the time run out.
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
    """Let the player, already at the table, make their choices until `done` or they leave; return their last view.

    Every frame they send must be accepted, unless another player's move came first; they see its result before they
    choose again.
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


async def seated(players: Sequence[Player], title: str, **wish: Any) -> int:
    """Seat the players at a new table of this stake, in the order of the list."""
    stakes = (await players[0].get("/api/lobby/"))["stakes"]
    stake = next(stake["id"] for stake in stakes if stake["title"] == title)
    seats = [await player.post(f"/api/stakes/{stake}/seats/", **{"buy_in": 800, **wish}) for player in players]
    assert [seat["seat"] for seat in seats] == list(range(len(players)))
    (table,) = {seat["table"] for seat in seats}
    return int(table)


async def played(players: Sequence[Player], table: int, parts: Sequence[Part], done: Any = match_is_over) -> list[View]:
    """Let everybody play their part to the end, and return the last view of each."""

    async def play(player: Player, part: Part) -> View:
        async with player.at(table):
            return await perform(player, part, done)

    return list(await asyncio.gather(*(play(*each) for each in zip(players, parts, strict=True))))


def totals(deal: View) -> list[int]:
    return [row["total"] for row in deal["rows"]]


def deals_seen(player: Player) -> list[View]:
    """Return the player's last view of each deal."""
    deals = (frame["view"]["deal"] for frame in player.frames if frame["type"] == "state")
    return list({deal["id"]: deal for deal in deals if deal and deal["first_seat"] is not None}.values())
