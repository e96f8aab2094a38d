"""Places and prizes: whole units, sums exact. RULES.md, Tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias


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
