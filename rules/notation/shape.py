"""A deal in notation as frozen values, and the one error of its readers.

Seats are numbers from 0, seeds are lower-case hex, cards are physical (`7H1`), times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NoReturn

from rules.books import RuleBook
from rules.cards import Card
from rules.errors import RulesError
from rules.game.moves import Pile
from rules.game.results import Groups
from rules.text import message

#: The most bytes and moves of a file, and the most characters of a line.
MOST_BYTES: Final = 256 * 1024
MOST_MOVES: Final = 4_000
LONGEST_LINE: Final = 1_000

MOST_SEATS: Final = 6
MOST_PACKS: Final = 3
NOBODY: Final = "-"


def _of_seats(name: str) -> tuple[str, ...]:
    return tuple(f"{name}{seat}" for seat in range(MOST_SEATS))


PLAYERS: Final = _of_seats("Player")
CLIENTS: Final = _of_seats("Client")
HANDS: Final = _of_seats("Hand")
#: What stands for the names of players who have none, from the first on.
UNNAMED: Final = tuple(f"Player {place}" for place in range(1, MOST_SEATS + 1))

#: The names of all header lines, in the order in which they stand.
HEADERS: Final = (
    "RDN", "Book", "Deal", "Date", "Seats", *PLAYERS, "Packs", "Commitment", "Seed", *CLIENTS,
    *HANDS, "Stock", "Cut", "First", "Order", "Result",
)  # fmt: skip


class NotationError(RulesError):
    """The text is no deal: the first line that cannot be, counted from 1, and the reason as a sentence."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__("bad_notation", message("Line {line}: {reason}", line=line, reason=reason))
        self.line = line
        self.reason = reason


class CutShort(NotationError):
    """The text ends behind this line, and the deal goes on."""


class Action(StrEnum):
    """What a player does, in the word of the file."""

    DRAW = "draw"
    DISCARD = "discard"
    DROP = "drop"
    FINISH = "finish"
    SHOW = "show"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLine:
    """One line: what the player in `seat` did or, if `auto`, what the platform did in their place.

    `card` is the one discarded, placed in the finish slot, or drawn from the open pile; `groups` and `loose` are the
    hand of a show, and of a player who leaves when somebody else has shown. `at_ms` counts from the dealing of the
    cards; `line` is the number in the file.
    """

    seat: int
    action: Action
    auto: bool = False
    pile: Pile | None = None
    card: Card | None = None
    groups: Groups = ()
    loose: tuple[Card, ...] = ()
    at_ms: int | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """A deal in notation.

    Either `seed` is known, with the seeds of the players by seat in `clients`, or the cards are given: `hands` by seat
    and `stock`, the rest of the shoe with upcard and cut joker. `players` has a name or None for each seat. `order` is
    the order of turns where it follows from nothing else; `result` are the points by seat, None for a deal that nobody
    has won. `lines` are the numbers of the header lines in the file.
    """

    book: RuleBook
    deal: str
    date: str
    seats: int
    players: tuple[str | None, ...]
    packs: int
    commitment: str | None = None
    seed: str | None = None
    clients: tuple[tuple[int, str], ...] = ()
    hands: tuple[tuple[int, tuple[Card, ...]], ...] = ()
    stock: tuple[Card, ...] = ()
    cut: Card
    first: int
    order: tuple[int, ...] | None = None
    result: tuple[tuple[int, int], ...] | None = None
    moves: tuple[MoveLine, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def dealt(self) -> tuple[int, ...]:
        """The seats that were dealt a hand: those with points or a hand; where neither is given, those with a name."""
        known = [seat for seat, _ in self.result or self.hands]
        return tuple(known or [seat for seat, name in enumerate(self.players) if name is not None])

    def refuse(self, header: str, reason: str) -> NoReturn:
        """Raise NotationError at this header line, or at the first line if there is none."""
        raise NotationError(self.lines.get(header, 1), reason)

    @property
    def last_line(self) -> int:
        """The number of the last line that says something."""
        return max([*self.lines.values(), *(move.line for move in self.moves)], default=1)
