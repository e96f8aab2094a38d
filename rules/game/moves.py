"""The moves of a table: frozen values, one class for each kind.

A *player's* move comes from the person in a seat and names the seat; a *platform* move comes from the services.
Moves are unchecked: `engine.apply` checks everything. The types of their fields decide what the frames of the table
socket may contain.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

#: A card of the player's hand: a physical card (7H1), or a face, which means the first of two alike.
CardText = Annotated[str, "card"]
TextGroups = tuple[tuple[CardText, ...], ...]
#: In the currency's smallest unit.
Amount = Annotated[int, "amount"]
#: 16 bytes as 32 lower-case hex digits.
SeedText = Annotated[str, "seed"]


class Pile(StrEnum):
    CLOSED = "closed"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The base of all moves: a request to change a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMove(Move):
    """A move of the player in `seat`; `name` is its type in the table socket's frames."""

    name: ClassVar[str] = ""
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(PlayerMove):
    name = "draw"
    pile: Pile


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard(PlayerMove):
    name = "discard"
    card: CardText


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(PlayerMove):
    name = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoDrop(PlayerMove):
    """Arm or disarm the switch that drops at the player's next turn."""

    name = "auto_drop"
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish(PlayerMove):
    """Place `card` in the finish slot; None: show without having drawn, where the book allows it."""

    name = "finish"
    card: CardText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrange(PlayerMove):
    name = "arrange"
    groups: TextGroups


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort(PlayerMove):
    name = "sort"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit(PlayerMove):
    """Hand in the groups, or the last arrangement when `groups` is None."""

    name = "submit"
    groups: TextGroups | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue(PlayerMove):
    name = "continue"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddChips(PlayerMove):
    """Put `amount` from the balance onto the stack."""

    name = "add_chips"
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave(PlayerMove):
    name = "leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoin(PlayerMove):
    name = "rejoin"
    accept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferSplit(PlayerMove):
    name = "offer_split"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSplit(PlayerMove):
    name = "answer_split"
    accept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSeed(PlayerMove):
    """The player's own part of the shuffle."""

    name = "client_seed"
    seed: SeedText


@dataclass(frozen=True, slots=True, kw_only=True)
class Sit(Move):
    """Take `seat` with `stack` (smallest money units; the entry in pool and deals)."""

    seat: int
    stack: int
    computer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareDeal(Move):
    """Fix the next deal's id and its 64 random bytes (hex) before any player adds a seed."""

    deal_id: str
    seed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire(Move):
    """The stored deadline has passed; `offline` are the seats without a connection."""

    offline: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant(Move):
    """Give the player who must act `ms` milliseconds from now, after an outage."""

    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(Move):
    """Stop the table by the rules for a match that cannot continue: everything is refunded."""

    reason: str


PLAYER_MOVES: tuple[type[PlayerMove], ...] = (
    Draw, Discard, Drop, AutoDrop, Finish, Arrange, Sort, Submit,
    Continue, AddChips, Leave, Rejoin, OfferSplit, AnswerSplit, ClientSeed,
)  # fmt: skip
