"""The rounds of a knock-out: how many there are, and how many of each table go on."""

from __future__ import annotations

from collections.abc import Sequence

from rules.tournaments.draw import table_sizes


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


def rounds_of(entrants: int, seats: int, best: int) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of the tables of each round, if nobody leaves; the last round has one table.

    >>> rounds_of(36, seats=6, best=2)
    ((6, 6, 6, 6, 6, 6), (6, 6), (6,))
    """
    rounds = [table_sizes(entrants, seats)]
    while advance := going_on(rounds[-1], seats, best):
        rounds.append(table_sizes(advance * len(rounds[-1]), seats))
    return tuple(rounds)
