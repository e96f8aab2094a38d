"""Where puzzles come from: the stock that comes with the product, and at night deals of people who share theirs.

The stock is made from one seed, by `manage.py make_puzzles --stock`: so many puzzles of each search, and the path of
thirty through the easiest. Each line of `stock.jsonl` is a puzzle with what it is made anew from and its place on the
path.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from lobby.puzzles.making.making import SEARCHES, from_computers, puzzles_of_deal
from lobby.puzzles.models import Puzzle, PuzzleKind
from lobby.puzzles.questions import LIVES, YES, Candidate
from rules.books import book
from tables.errors import TableError
from tables.history import selectors as history
from tables.log import reading
from tables.models import Deal, DealSeat

SEED: Final = 1
#: So many puzzles of each search.
COUNTS: Final = {
    "show": 110,
    "winning-take": 15,
    "useful-take": 6,
    "useless-take": 8,
    "winning-discard": 20,
    "discard": 3,
    "drop": 16,
    "play": 12,
}
#: So many of each kind are on the path.
PATH: Final = {PuzzleKind.SHOW: 10, PuzzleKind.TAKE: 6, PuzzleKind.DISCARD: 7, PuzzleKind.DROP: 7}
FILE: Final = Path(__file__).with_name("stock.jsonl")
#: How far off the rating may be with which a puzzle begins: it is a guess from what is easily overlooked in it.
_DEVIATION: Final = 200
#: Of the deals that ended within so long, so many are looked at, until so many puzzles are made or time is over.
_WITHIN: Final = timedelta(days=1)
_MOST_DEALS: Final = 40
_MOST_PUZZLES: Final = 4
_MOST_SECONDS: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class StockPuzzle:
    """A puzzle of the stock, with what it is made anew from: search, seed, and the number of the deal.

    `path` is its place on the path, None off it.
    """

    puzzle: Candidate
    search: str
    seed: int
    deal: int
    path: int | None = None


def missing(search: str, seed: int, made: list[StockPuzzle]) -> Iterator[StockPuzzle]:
    """Yield the puzzles of that search and seed that the stock still lacks, given those already `made`."""
    own = [each for each in made if (each.search, each.seed) == (search, seed)]
    known = {each.puzzle.key for each in own}

    def others() -> Iterator[StockPuzzle]:
        for deal, puzzle in from_computers(search, seed, first=max((each.deal for each in own), default=0)):
            if puzzle.key not in known:
                known.add(puzzle.key)
                yield StockPuzzle(search=search, seed=seed, deal=deal, puzzle=puzzle)

    return islice(others(), max(0, COUNTS[search] - len(own)))


def with_path(made: list[StockPuzzle]) -> list[StockPuzzle]:
    """Return the puzzles in the order of the stock, those of the path with their places."""
    steps = list(chain.from_iterable(_easiest(made, kind, count) for kind, count in PATH.items()))
    places = {each.puzzle.key: place for place, each in enumerate(steps, start=1)}
    searches = list(COUNTS)
    ordered = sorted(made, key=lambda each: (searches.index(each.search), each.deal, each.puzzle.key))
    return [replace(each, path=places.get(each.puzzle.key)) for each in ordered]


def _easiest(made: list[StockPuzzle], kind: PuzzleKind, count: int) -> list[StockPuzzle]:
    """Return `count` easy puzzles of that kind, the easiest first: as many of each search and each sort of answer."""
    sorts = defaultdict(list)
    for each in sorted(made, key=_by_rating):
        if each.puzzle.kind == kind:
            solution = each.puzzle.solution
            sorts[each.search, solution if solution in (YES, LIVES) else ""].append(each)
    by_turns = [each for turn in zip_longest(*sorts.values()) for each in turn if each is not None]
    return sorted(by_turns[:count], key=_by_rating)


def _by_rating(each: StockPuzzle) -> tuple[int, str]:
    return each.puzzle.rating, each.puzzle.key


def read_stock(file: Path = FILE) -> list[StockPuzzle]:
    """Return the puzzles of the file, none where it is not there."""
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [StockPuzzle(**line | {"puzzle": Candidate(**line["puzzle"])}) for line in lines]


def as_line(puzzle: StockPuzzle) -> str:
    """Return the puzzle as a line of the file."""
    return json.dumps(asdict(puzzle), sort_keys=True, separators=(",", ":"))


def path_of(puzzles: Iterable[StockPuzzle]) -> list[str]:
    """Return the keys of the puzzles of the path, in its order."""
    places = {each.path: each.puzzle.key for each in puzzles if each.path is not None}
    return [places[place] for place in sorted(places)]


@cache
def _shipped() -> tuple[list[Candidate], list[str]]:
    puzzles = read_stock()
    return [each.puzzle for each in puzzles], path_of(puzzles)


def ensure_stock() -> None:
    """Load the stock where it is not: on a new installation, and with a release that has more."""
    if Puzzle.objects.filter(key__in=[each.key for each in _shipped()[0]]).count() < len(_shipped()[0]):
        load_stock()


@transaction.atomic
def load_stock() -> int:
    """Add what the stock has and the database lacks, and lay its path; return how many were added.

    What is there keeps its rating. To be done again changes nothing.
    """
    puzzles, path = _shipped()
    added = add_puzzles(puzzles)
    if list(Puzzle.objects.exclude(path_place=None).order_by("path_place").values_list("key", flat=True)) != path:
        Puzzle.objects.exclude(path_place=None).update(path_place=None)
        for place, key in enumerate(path, start=1):
            Puzzle.objects.filter(key=key).update(path_place=place)
    return added


def add_puzzles(candidates: Iterable[Candidate], *, from_people: bool = False) -> int:
    """Store those that are not there; return how many that were."""
    wanted = {each.key: each for each in candidates}
    for key in Puzzle.objects.filter(key__in=wanted).values_list("key", flat=True):
        del wanted[key]
    Puzzle.objects.bulk_create(
        [
            Puzzle(
                key=key,
                kind=each.kind,
                book=each.book,
                asked=each.asked,
                solution=each.solution,
                proof=each.proof,
                rating=each.rating,
                deviation=_DEVIATION,
                from_people=from_people,
            )
            for key, each in wanted.items()
        ],
        # Somebody else may load the same at the same moment.
        ignore_conflicts=True,
    )
    return len(wanted)


def deals_to_ask_of() -> QuerySet[Deal]:
    """Return the deals of public tables that ended lately and that all their people share, the newest first.

    Left out are those whose shoe others may still play.
    """
    people = DealSeat.objects.filter(deal=OuterRef("pk"), user__isnull=False)
    ended = history.open_deals().filter(status=Deal.Status.OVER, ended_at__gt=timezone.now() - _WITHIN)
    ended = history.shared_by_all(ended.filter(Exists(people)))
    return ended.filter(match__table__private_code="").select_related("match__table").order_by("-ended_at")


def make_from_people() -> int:
    """Make a few puzzles of shared deals; return how many. Nothing is stored of who played, where or when."""
    until, made = monotonic() + _MOST_SECONDS, 0
    for deal in deals_to_ask_of()[:_MOST_DEALS]:
        if made >= _MOST_PUZZLES or monotonic() > until:
            break
        made += sum(_made(deal))
    return made


def _made(deal: Deal) -> Iterator[int]:
    """Yield the number of puzzles stored, one search after the other, from one deal."""
    try:
        happened = [entry.event() for entry in reading.of_deal(deal)]
    except TableError:
        return
    rng = Random(f"deal {deal.pk}")  # noqa: S311  which decisions are looked at, no card
    for search in rng.sample(list(SEARCHES), len(SEARCHES)):
        found = puzzles_of_deal(book(deal.book, deal.book_version), happened, search, rng)
        if (candidate := next(found, None)) is not None:
            yield add_puzzles([candidate], from_people=True)
