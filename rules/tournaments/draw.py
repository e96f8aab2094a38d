"""The rounds of a knock-out, and the seats of each: drawn from a committed seed, so that anybody can draw them again.

RULES.md, Tournaments.
"""

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


def going_on(sizes: Sequence[int], seats: int, best: int) -> int:
    """Return how many of each table go on from tables of these sizes; 0 after the last round, which is one table.

    The `best` of each table, but never a whole one; more where that fills the last table, yet at most half of a table.

    >>> going_on([6, 6, 6], seats=6, best=2), going_on([6, 6], seats=6, best=2), going_on([4, 3], seats=6, best=2)
    (2, 3, 2)
    """
    if len(sizes) == 1:
        return 0
    smallest = min(sizes)
    return max(min(best, smallest - 1), min(seats // len(sizes), smallest // 2))


def most_rounds(entrants: int, seats: int, best: int) -> int:
    """Return how many rounds there are at most, if no more than so many enter, and whoever leaves between rounds.

    Fewer entrants may need more rounds.

    >>> len(rounds_of(37, seats=3, best=2)), len(rounds_of(36, seats=3, best=2)), most_rounds(37, seats=3, best=2)
    (4, 6, 6)
    """
    most = [0, 0]
    for players in range(2, entrants + 1):
        sizes = table_sizes(players, seats)
        most.append(max(most[-1], 1 + most[going_on(sizes, seats, best) * len(sizes)]))
    return most[entrants]


def rounds_of(entrants: int, seats: int, best: int) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of the tables of each round, if nobody leaves; the last round has one table.

    >>> rounds_of(36, seats=6, best=2)
    ((6, 6, 6, 6, 6, 6), (6, 6), (6,))
    """
    rounds = [table_sizes(entrants, seats)]
    while advance := going_on(rounds[-1], seats, best):
        rounds.append(table_sizes(advance * len(rounds[-1]), seats))
    return tuple(rounds)
