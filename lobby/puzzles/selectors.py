"""Which puzzle comes next for a player, the path for newcomers, and what they have tried."""

import secrets
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Abs

from lobby.accounts.models import Player
from lobby.puzzles.models import Puzzle, PuzzleTry, Solver
from lobby.puzzles.rating import RATING

#: The next puzzle is one by chance of so many whose rating is nearest.
_NEAREST: Final = 5
#: Somebody without a rating of their own begins a little below the middle.
_NEWCOMER: Final = RATING - 300


@dataclass(frozen=True, slots=True)
class PathStep:
    """A puzzle of the path, and whether the player has tried and solved it."""

    puzzle: Puzzle
    tried: bool
    solved: bool


def next_puzzle(player: Player | None, kind: str = "") -> Puzzle | None:
    """Return a puzzle near the player's rating that they have not tried; once they have tried all, one not solved.

    None where there is none of that kind.
    """
    puzzles = Puzzle.objects.filter(kind=kind) if kind else Puzzle.objects.all()
    if player is None:
        return _near(puzzles, _NEWCOMER)
    tries = PuzzleTry.objects.filter(player=player, puzzle=OuterRef("pk"))
    rating = solver_rating(player)
    new = _near(puzzles.exclude(Exists(tries)), rating)
    return new or _near(puzzles.exclude(Exists(tries.filter(solved=True))), rating) or _near(puzzles, rating)


def solver_of(player: Player) -> Solver | None:
    """Return the player's standing as a solver; None for who has answered nothing yet."""
    return Solver.objects.filter(player=player).first()


def solver_rating(player: Player) -> float:
    """Return the rating by which the player's next puzzle is chosen."""
    solver = solver_of(player)
    return solver.rating if solver is not None and solver.tries else _NEWCOMER


def path_of(player: Player | None) -> list[PathStep]:
    """Return the path in its order, with what the player has done of it."""
    puzzles = list(Puzzle.objects.exclude(path_place=None).order_by("path_place"))
    tries = (
        PuzzleTry.objects.filter(player=player, puzzle__in=puzzles) if player is not None else PuzzleTry.objects.none()
    )
    tried = dict(tries.order_by("solved").values_list("puzzle", "solved"))
    return [PathStep(puzzle, puzzle.pk in tried, tried.get(puzzle.pk, False)) for puzzle in puzzles]


def tries_of(player: Player) -> QuerySet[PuzzleTry]:
    """Return what the player has answered, the newest first."""
    return PuzzleTry.objects.filter(player=player).select_related("puzzle").order_by("-pk")


def _near(puzzles: QuerySet[Puzzle], rating: float) -> Puzzle | None:
    nearest = list(puzzles.annotate(apart=Abs(F("rating") - rating)).order_by("apart", "pk")[:_NEAREST])
    return secrets.choice(nearest) if nearest else None
