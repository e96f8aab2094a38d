"""The seats of a round: drawn from a committed seed, so that anybody can draw them again. RULES.md, Tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, TypeVar

from rules import shuffling

T = TypeVar("T")

_DOMAIN: Final = b"tournament-v1"


def draw_commitment(tournament: int | str, number: int, seed: bytes) -> str:
    """Return the hex digest that binds the server to the seed of round `number` without revealing it."""
    return shuffling.commitment(_label(tournament, number), seed, _DOMAIN)


def drawn_tables(
    tournament: int | str, number: int, seed: bytes, entrants: Sequence[T], seats: int
) -> tuple[tuple[T, ...], ...]:
    """Return the tables of round `number`, each in the order of its seats; `entrants` are in the order of entry."""
    order = iter(shuffling.shuffled(entrants, _label(tournament, number), seed, (), _DOMAIN))
    return tuple(tuple(islice(order, size)) for size in table_sizes(len(entrants), seats))


def table_sizes(players: int, seats: int) -> tuple[int, ...]:
    """Return how many sit at each table, the larger tables first: as few tables as `seats` allows, even to one player.

    Nobody sits alone: three players stay at one table even where two seats are usual. Raises ValueError below two.

    >>> table_sizes(13, 6), table_sizes(7, 6), table_sizes(3, 2)
    ((5, 4, 4), (4, 3), (3,))
    """
    if players < 2:
        raise ValueError(f"{players} players make no table")
    tables = min(-(-players // seats), players // 2)
    size, larger = divmod(players, tables)
    return (size + 1,) * larger + (size,) * (tables - larger)


def _label(tournament: int | str, number: int) -> str:
    return f"{tournament}/{number}"
