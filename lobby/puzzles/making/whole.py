"""The whole stock, made from one seed: so many puzzles of each search, and the path of thirty through the easiest."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Final

from lobby.puzzles.making.making import from_computers
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import LIVES, YES, Candidate

SEED: Final = 1
#: So many puzzles of each search.
COUNTS: Final = {
    "show": 110,
    "winning-take": 3,
    "useful-take": 2,
    "useless-take": 3,
    "winning-discard": 12,
    "discard": 3,
    "drop": 3,
    "play": 2,
}
#: So many of each kind are on the path.
PATH: Final = {PuzzleKind.SHOW: 10, PuzzleKind.TAKE: 6, PuzzleKind.DISCARD: 7, PuzzleKind.DROP: 7}


@dataclass(frozen=True, slots=True, kw_only=True)
class StockPuzzle:
    """A puzzle of the stock, with what it is made anew from: search, seed, and the number of the deal.

    Puzzles of earlier runs have no search: their figures are proven by their own seeds, but their deals are not kept.
    `path` is its place on the path, None off it.
    """

    puzzle: Candidate
    search: str = ""
    seed: int = 0
    deal: int = 0
    path: int | None = None

    def made_anew(self) -> Candidate | None:
        """Return the puzzle as its deal makes it now; None where that does not ask its question any more."""
        for deal, puzzle in from_computers(self.search, self.seed, first=self.deal) if self.search else ():
            if deal != self.deal:
                return None
            if puzzle.key == self.puzzle.key:
                return puzzle
        return None


def missing(search: str, seed: int, made: list[StockPuzzle]) -> Iterator[StockPuzzle]:
    """Yield the puzzles of that search which the stock of that seed has beside the first few, `made` already."""
    own = [each for each in made if (each.search, each.seed) == (search, seed)]
    known, left = {each.puzzle.key for each in own}, COUNTS[search] - len(own)
    for deal, puzzle in from_computers(search, seed, first=max((each.deal for each in own), default=0)):
        if left <= 0:
            return
        if puzzle.key not in known:
            known.add(puzzle.key)
            left -= 1
            yield StockPuzzle(search=search, seed=seed, deal=deal, puzzle=puzzle)


def with_path(made: list[StockPuzzle]) -> list[StockPuzzle]:
    """Return the puzzles in the order of the stock, those of the path with their places."""
    steps = list(chain.from_iterable(_easiest(made, kind, count) for kind, count in PATH.items()))
    places = {each.puzzle.key: place for place, each in enumerate(steps, start=1)}
    searches = [*COUNTS, ""]
    ordered = sorted(made, key=lambda each: (searches.index(each.search), each.deal, each.puzzle.key))
    return [replace(each, path=places.get(each.puzzle.key)) for each in ordered]


def _easiest(made: list[StockPuzzle], kind: PuzzleKind, count: int) -> list[StockPuzzle]:
    """Return so many easy puzzles of that kind, the easiest first: as many of each search and each sort of answer."""
    sorts = defaultdict(list)
    for each in sorted(made, key=_by_rating):
        if each.puzzle.kind == kind:
            solution = each.puzzle.solution
            sorts[each.search, solution if solution in (YES, LIVES) else ""].append(each)
    by_turns = [each for turn in zip_longest(*sorts.values()) for each in turn if each is not None]
    return sorted(by_turns[:count], key=_by_rating)


def _by_rating(each: StockPuzzle) -> tuple[int, str]:
    return each.puzzle.rating, each.puzzle.key
