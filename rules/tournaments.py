"""What is fixed about tournaments: rounds and seats, the pairing of an arena, places and prizes. RULES.md, Tournaments.

Seats are drawn from a committed seed, so that anybody can draw them again. An arena seats together who waited longest
first, and the same two not twice in a row if others are free. Money is in whole units, sums are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final, TypeAlias, TypeVar

from rules import shuffling

T = TypeVar("T")

_DOMAIN: Final = b"tournament-v1"
#: The most players at a table of an arena; the fewest are two.
ARENA_SEATS: Final = 6


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


@dataclass(frozen=True, slots=True)
class Showing:
    """What an entrant has shown. For one who left it stays as it was at that moment.

    `entry` numbers the entrants in the order of entry. `round` is the last one they sat in, the highest for finalists;
    in an arena it is 1 for those who have played the least number of deals, and 0 for the others.
    """

    entry: int
    round: int
    chips: int
    deals_won: int = 0
    points_lost: int = 0

    @property
    def merit(self) -> tuple[int, int, int, int]:
        """What decides the place, higher first; whoever is equal in it shares the places."""
        return self.round, self.chips, self.deals_won, -self.points_lost


PlacedShowing: TypeAlias = tuple[int, Showing]


def placed(showings: Sequence[Showing]) -> tuple[PlacedShowing, ...]:
    """Return (place, showing), best first; equals have one place, earlier entry first, and the next place counts them.

    Finalists come before all others, whoever went out in a later round before who went out earlier, then chips, deals
    won, fewer points lost.
    """
    ordered = sorted(showings, key=lambda showing: (*(-part for part in showing.merit), showing.entry))
    places: list[PlacedShowing] = []
    for _, equals in groupby(ordered, key=lambda showing: showing.merit):
        place = len(places) + 1
        places += [(place, showing) for showing in equals]
    return tuple(places)


def best_of(table: Sequence[Showing], going_on: int) -> tuple[Showing, ...]:
    """Return those of a table who go on, best first: earlier entry decides between equals."""
    return tuple(showing for _, showing in placed(table)[:going_on])


def apportioned(pot: int, percents: Sequence[int]) -> tuple[int, ...]:
    """Return the pot in shares of these weights: whole units by largest remainder, of equal ones the better place.

    >>> apportioned(101, [50, 30, 20])
    (51, 30, 20)
    """
    if not percents:
        return ()
    total = sum(percents)
    shares = [pot * percent // total for percent in percents]
    rests = sorted(range(len(percents)), key=lambda at: (-(pot * percents[at] % total), at))
    for at in rests[: pot - sum(shares)]:
        shares[at] += 1
    return tuple(shares)


def prizes_of(pot: int, percents: Sequence[int], places: Sequence[PlacedShowing]) -> tuple[int, ...]:
    """Return what each of these places wins, in their order; the sum is the pot, unless nobody has a place.

    With fewer entrants than prizes the percents of those who are there are taken in proportion. Equals add the prizes
    of their places and share them; odd units go to the earlier entry.
    """
    of_places = iter(apportioned(pot, percents[: len(places)]))
    won: list[int] = []
    for _, equals in groupby(places, key=lambda each: each[0]):
        count = len(list(equals))
        each, odd = divmod(sum(next(of_places, 0) for _ in range(count)), count)
        won += [each + 1] * odd + [each] * (count - odd)
    return tuple(won)
