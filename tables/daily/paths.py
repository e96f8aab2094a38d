"""Where two games of the same shoe part: the first moves of their players that differ, in words.

Only for those who have finished the deal themselves, or once its series has ended: it tells cards.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from rules.game import events as e, redact
from rules.game.events import Event
from rules.game.views.sentences import sentence
from rules.text import Message, message
from tables.log import reading
from tables.models import DealSeat

_MOVES = (e.CardDrawn, e.CardDiscarded, e.PlayerDropped, e.FinishPlaced, e.PlayerLeft)


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move of the player, in which of their turns, as everybody at the table saw it.

    `key` is what it is compared by; a card that was drawn unseen is not told.
    """

    turn: int
    key: tuple[str, ...]
    text: Message


@dataclass(frozen=True, slots=True)
class Parting:
    """How many moves were the same, and the first that was not, of each: None where that game was over."""

    alike: int
    own: PlayedMove | None
    other: PlayedMove | None


def parting(own: DealSeat, other: DealSeat, name: str) -> Parting | None:
    """Return where the two games part, the other's with their name; None where they never do.

    TableError `no_longer_kept`.
    """
    pairs = zip_longest(_moves(own, None), _moves(other, name))
    for alike, (mine, theirs) in enumerate(pairs):
        if (mine and mine.key) != (theirs and theirs.key):
            return Parting(alike, mine, theirs)
    return None


def turns_of(seat: DealSeat) -> int:
    """Return in how many turns the player's part in the deal was over. TableError `no_longer_kept`."""
    return max((move.turn for move in _moves(seat, None)), default=0)


def _moves(seat: DealSeat, name: str | None) -> Iterator[PlayedMove]:
    return moves_in((entry.event() for entry in reading.of_deal(seat.deal)), seat.seat, name)


def moves_in(happened: Iterable[Event], seat: int, name: str | None) -> Iterator[PlayedMove]:
    """Yield the moves of that seat in the deal, in their order; of oneself where no name is given."""
    turn, wild, names = 0, 0, {} if name is None else {seat: name}
    for event in happened:
        if isinstance(event, e.CutJokerTurned):
            wild = event.wild_rank
        elif isinstance(event, e.TurnBegan) and event.seat == seat:
            turn += 1
        elif isinstance(event, _MOVES) and event.seat == seat:
            shown = redact(event, None) or {}
            text = sentence(shown, names, wild=wild, reader=seat if name is None else None)
            key = (event.name, f"{shown.get('pile', '')}", f"{shown.get('card', '')}")
            yield PlayedMove(turn, key, text or message(""))
