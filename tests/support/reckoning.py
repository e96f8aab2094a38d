"""Tournaments reckoned anew from what outsiders see: the draw, chips, places and prizes, by no code of the product.

Sources: tables/PROTOCOL.md, The proof of a deal; rules/RULES.md, Tournaments.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ARENA_CHIPS = 1_000


def drawn(tournament: int, number: int, seed: bytes, entrants: Sequence[int]) -> list[int]:
    """Return the entrants in the order in which they fill the tables of the round."""
    label = f"{tournament}/{number}".encode()
    stream = hashlib.shake_256(b"tournament-v1" + label + seed).digest(1 << 16)
    words = (int.from_bytes(stream[place : place + 2]) for place in range(0, len(stream), 2))
    order = list(entrants)
    for last in range(len(order) - 1, 0, -1):
        limit = 65_536 - 65_536 % (last + 1)
        other = next(word for word in words if word < limit) % (last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def committed(tournament: int, number: int, seed: bytes) -> str:
    """Return the commitment to the seed."""
    return hashlib.sha256(b"tournament-v1" + f"{tournament}/{number}".encode() + seed).hexdigest()


@dataclass
class Sums:
    """What somebody's deals of one round add up to."""

    chips: int
    won: int = 0
    lost: int = 0
    deals: int = 0
    refilled: bool = False

    def merit(self) -> tuple[int, int, int]:
        return self.chips, self.won, -self.lost


@dataclass
class Reckoning:
    """Of each table its players' sums, from the deals that each of them finds in their history."""

    first: int
    arena: bool
    tables: dict[int, dict[str, Sums]] = field(default_factory=dict)
    by_deal: dict[int, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def add(self, name: str, deals: Sequence[Mapping[str, Any]]) -> None:
        for deal in deals:
            self.by_deal.setdefault(deal["deal"], {})[name] = dict(deal)

    def reckon(self) -> dict[str, dict[int, Sums]]:
        """Return each player's sums by table; in an arena all of them together, by 0."""
        sums: dict[str, dict[int, Sums]] = {}
        for deal in sorted(self.by_deal):
            rows = self.by_deal[deal]
            pot = sum(row["points"] for row in rows.values())
            winners = [name for name, row in rows.items() if row["outcome"] == "won"]
            assert len(winners) == 1, rows
            for name, row in rows.items():
                table = 0 if self.arena else row["table"]
                own = sums.setdefault(name, {}).setdefault(table, Sums(self.first))
                moved = pot if name in winners else -row["points"]
                own.chips, own.deals = own.chips + moved, own.deals + 1
                own.won, own.lost = own.won + (name in winners), own.lost + row["points"]
                if self.arena and own.chips <= 0 and not own.refilled:
                    own.chips, own.refilled = own.chips + ARENA_CHIPS, True
                assert self.arena or row["total"] == own.chips, (name, row, own)
        return sums


def placed(merits: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Return everybody's place: one more than those with more merit."""
    return {name: 1 + sum(other > own for other in merits.values()) for name, own in merits.items()}


def prizes(pot: int, shares: Sequence[int], places: Mapping[str, int], entered: Sequence[str]) -> dict[str, int]:
    """Return what each wins: whole units, the rest by largest remainder, equals share, odd units to earlier entry."""
    shares = list(shares)[: len(places)]
    whole = sum(shares)
    won = [pot * share // whole for share in shares]
    rests = [(-(pot * share % whole), place) for place, share in enumerate(shares)]
    for _, place in sorted(rests)[: pot - sum(won)]:
        won[place] += 1
    return dict(_shared(won, places, entered))


def _shared(won: Sequence[int], places: Mapping[str, int], entered: Sequence[str]) -> Iterator[tuple[str, int]]:
    for place in sorted(set(places.values())):
        equals = [name for name in entered if places.get(name) == place]
        together = sum(won[place - 1 : place - 1 + len(equals)])
        for number, name in enumerate(equals):
            yield name, together // len(equals) + (number < together % len(equals))
