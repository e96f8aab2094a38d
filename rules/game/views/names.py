"""Facts of a view that the rules do not know, such as the names of the players and of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from rules.game.views.shapes import DealId
from rules.shuffling import number_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyFormat:
    """The code of a currency and how its amounts are written: `digits` behind the point, `sign` before, `noun` last."""

    code: str
    digits: int = 0
    sign: str = ""
    noun: str = ""


class PartOf(NamedTuple):
    """The tournament that a table is part of; see `TournamentView`.

    `place_by_seat` has those who have a place, `absent` those who are dropped at each deal until they come back;
    `paused`: the next deal of the table waits until staff let the tournament go on.
    """

    id: int
    title: str
    round: int | None
    rounds: int | None
    places: int
    ends_at: str | None
    place_by_seat: Mapping[int, int]
    absent: frozenset[int] = frozenset()
    paused: bool = False


class Names(NamedTuple):
    """The facts of a view beyond the rules, given by the caller who shows the table.

    `players` are the names by seat, `connected` the seats whose players are connected, `played` the names by seat in
    the deal whose result is shown. A `guided` player has hints in the first deal. If `waits` is set, the clock only
    means that the table waits for its player, or for staff, and is not shown. `part_of`: at a table of a tournament.
    """

    table: int = 0
    title: str = ""
    currency: MoneyFormat = MoneyFormat(code="FUN")
    practice: bool = False
    guided: bool = False
    stopped: bool = False
    waits: bool = False
    private_code: str | None = None
    players: Mapping[int, str] = MappingProxyType({})
    connected: frozenset[int] = frozenset()
    played: Mapping[int, str] = MappingProxyType({})
    part_of: PartOf | None = None


#: For a table that is known by its rules alone.
NAMELESS: Final = Names()


def outer_id(deal_id: str) -> DealId:
    """Return the id of a deal for viewers: on the platform a number."""
    number = number_of(deal_id)
    return int(number) if number.isdecimal() else number
