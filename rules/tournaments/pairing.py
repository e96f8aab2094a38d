"""Whom an arena seats together: who waited longest first, and the same two not twice in a row if others are free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from rules.tournaments.draw import table_sizes

#: The most players at a table of an arena; the fewest are two.
ARENA_SEATS: Final = 6


@dataclass(frozen=True, slots=True)
class Free:
    """A player who waits for a table; `met`: those who sat at their last one."""

    player: int
    met: frozenset[int] = frozenset()


def paired(free: Sequence[Free]) -> tuple[tuple[int, ...], ...]:
    """Return the tables of two to six players for everybody who is free, who come longest waiting first.

    There are so many tables that players who have just met sit apart, if they are half of all or fewer. If they are
    more, those of them who waited longest sit with others, and the rest with each other again; one who is left over
    sits where they have met the fewest. One player alone is not seated.
    """
    if len(free) < 2:
        return ()
    here = {each.player for each in free}
    sets = {each.player: (each.met & here) | {each.player} for each in free}
    together = sorted(free, key=lambda each: (-len(sets[each.player]), min(sets[each.player])))
    tables = max(-(-len(free) // ARENA_SEATS), len(sets[together[0].player]))
    full, left = _spread(together, min(tables, len(free) // 2))
    if len(left) > 1:
        rest = iter(left)
        full += [list(islice(rest, size)) for size in table_sizes(len(left), ARENA_SEATS)]
    elif left:
        open_tables = [table for table in full if len(table) < ARENA_SEATS]
        min(open_tables, key=lambda table: _meetings(left[0], table)).append(left[0])
    return tuple(tuple(each.player for each in table) for table in full)


def _spread(free: Sequence[Free], count: int) -> tuple[list[list[Free]], list[Free]]:
    """Return `count` tables at most where nobody sees anybody again, filled in turn, and those who found no place."""
    tables: list[list[Free]] = [[] for _ in range(count)]
    left, turn = [], 0
    for each in free:
        places = ((turn + step) % count for step in range(count))
        fitting = (at for at in places if len(tables[at]) < ARENA_SEATS and not _meetings(each, tables[at]))
        if (found := next(fitting, None)) is None:
            left.append(each)
        else:
            tables[found].append(each)
            turn = found + 1
    alone = [each for table in tables if len(table) == 1 for each in table]
    return [table for table in tables if len(table) > 1], alone + left


def _meetings(one: Free, table: Iterable[Free]) -> int:
    """Return with how many at the table this player has just played."""
    return sum(other.player in one.met or one.player in other.met for other in table)
