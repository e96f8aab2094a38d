"""Puzzles for a player: which comes next, the path for newcomers, answers and what they change, and the history.

An answer changes the ratings of player and puzzle.
"""

import secrets
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Abs

from lobby.accounts.models import Player
from lobby.puzzles.models import Puzzle, PuzzleTry, RatedRow, Solver
from lobby.puzzles.questions import answers
from lobby.puzzles.rating import RATING, Glicko, after_try
from tables.errors import TableError
from wallet.base.retry import retried
from wallet.language import gettext as _

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


def _near(puzzles: QuerySet[Puzzle], rating: float) -> Puzzle | None:
    nearest = list(puzzles.annotate(apart=Abs(F("rating") - rating)).order_by("apart", "pk")[:_NEAREST])
    return secrets.choice(nearest) if nearest else None


# --- answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with what came of it; `rating` is the player's afterwards, None where it was not rated."""

    puzzle: Puzzle
    answer: str
    solved: bool
    rating: int | None = None
    change: int = 0


def puzzle_of(puzzle_id: int) -> Puzzle:
    """Return the puzzle of that number. TableError `not_found`."""
    puzzle = Puzzle.objects.filter(pk=puzzle_id).first()
    if puzzle is None:
        raise TableError("not_found", _("There is no such puzzle."), status=404)
    return puzzle


def check_answer(puzzle: Puzzle, answer: str) -> bool:
    """Return whether the answer is the solution. TableError `bad_answer` for one that cannot be given."""
    if answer not in answers(puzzle.kind, puzzle.asked):
        raise TableError("bad_answer", _("That is no answer to this puzzle."), status=400)
    return answer == puzzle.solution


def answer_puzzle(*, puzzle_id: int, answer: str, player: Player | None) -> JudgedAnswer:
    """Judge the answer; rate the first of a named player, and keep every one of a player. None: a visitor.

    TableError `not_found`, `bad_answer`.
    """
    puzzle = puzzle_of(puzzle_id)
    solved = check_answer(puzzle, answer)
    if player is None:
        return JudgedAnswer(puzzle, answer, solved)
    return _keep(puzzle.pk, answer, player, rated=not player.is_guest)


@retried
@transaction.atomic
def _keep(puzzle_id: int, answer: str, player: Player, *, rated: bool) -> JudgedAnswer:
    solver = lock_solver(player)
    puzzle = Puzzle.objects.select_for_update().get(pk=puzzle_id)
    solved = answer == puzzle.solution
    made = note_try(puzzle, player, answer)
    if not (made.first and rated):
        return JudgedAnswer(puzzle, answer, solved)
    before = round(solver.rating)
    rate_try(solver, puzzle, solved=solved)
    made.rating = round(solver.rating)
    made.change = made.rating - before
    made.save(update_fields=["rating", "change"])
    return JudgedAnswer(puzzle, answer, solved, made.rating, made.change)


def lock_solver(player: Player) -> Solver:
    """Lock the player's row as a solver until the transaction ends, so that their answers are judged one by one."""
    rows = Solver.objects.select_for_update()
    if (row := rows.filter(player=player).first()) is None:
        Solver.objects.get_or_create(player=player)
        row = rows.get(player=player)
    return row


def note_try(puzzle: Puzzle, player: Player, answer: str) -> PuzzleTry:
    """Keep the answer, unrated; call it under the lock of the solver."""
    first = not PuzzleTry.objects.filter(player=player, puzzle=puzzle).exists()
    solved = answer == puzzle.solution
    return PuzzleTry.objects.create(player=player, puzzle=puzzle, answer=answer, solved=solved, first=first)


def rate_try(solver: Solver, puzzle: Puzzle, *, solved: bool) -> None:
    """Rate solver and puzzle against each other: whoever of the two is right has won."""
    one, other = glicko_of(solver), glicko_of(puzzle)
    _set(solver, after_try(one, other, won=solved), solved=solved)
    _set(puzzle, after_try(other, one, won=not solved), solved=solved)


def glicko_of(row: RatedRow) -> Glicko:
    """Return the standing that the row holds."""
    return Glicko(row.rating, row.deviation, row.volatility)


def _set(row: RatedRow, standing: Glicko, *, solved: bool) -> None:
    row.rating, row.deviation, row.volatility = standing.rating, standing.deviation, standing.volatility
    row.tries, row.solved = row.tries + 1, row.solved + solved
    row.save(update_fields=["rating", "deviation", "volatility", "tries", "solved"])


def tries_of(player: Player) -> QuerySet[PuzzleTry]:
    """Return what the player has answered, the newest first."""
    return PuzzleTry.objects.filter(player=player).select_related("puzzle").order_by("-pk")
