"""The puzzles that come with the product, and the way of any puzzle into the database.

`stock.jsonl` is made by `manage.py make_puzzles --stock`; each line is a puzzle with what it is made anew from, and its
place on the path for newcomers.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Final

from django.db import transaction

from lobby.puzzles.making.whole import StockPuzzle
from lobby.puzzles.models import Puzzle
from lobby.puzzles.questions import Candidate

FILE: Final = Path(__file__).with_name("stock.jsonl")
#: How far off the rating may be with which a puzzle begins: it is a guess from what is easily overlooked in it.
_DEVIATION: Final = 200


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
