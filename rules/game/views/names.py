"""What a view says of a table that the rules do not know: who sits there, and what the table is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyFormat:
    """The code of a currency and how its amounts are written: `digits` behind the point, `sign` before, `noun` last."""

    code: str
    digits: int = 0
    sign: str = ""
    noun: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """All of it, given by whoever shows the table.

    `players` are the names by seat, `connected` the seats whose players are there, `played` who held the seats in the
    deal whose result is shown. A `guided` player has hints in the first deal. Where `waits` is set the clock only
    stands for a table that waits for its player, and is not shown.
    """

    table: int = 0
    title: str = ""
    currency: MoneyFormat = MoneyFormat(code="FUN")
    practice: bool = False
    guided: bool = False
    stopped: bool = False
    waits: bool = False
    private_code: str | None = None
    players: Mapping[int, str] = field(default_factory=dict)
    connected: frozenset[int] = frozenset()
    played: Mapping[int, str] = field(default_factory=dict)


NAMELESS: Final = Names()
"""For a table that is known by its rules alone."""
