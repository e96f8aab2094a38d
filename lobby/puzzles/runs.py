"""Runs: as many puzzles as a player solves in a minute, the easier ones first.

The stored start decides: what arrives after the end counts no more, whatever the page showed. Answers of a run are not
rated, and a puzzle that was met in one is not rated later.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from lobby.accounts.models import Player
from lobby.puzzles.models import Puzzle, PuzzleRun
from lobby.puzzles.services import JudgedAnswer, check_answer, lock_solver, note_try, puzzle_of
from lobby.puzzles.stock import ensure_stock
from tables.errors import TableError
from tables.play import store
from wallet.base.retry import retried
from wallet.language import gettext as _

LENGTH_MS: Final = 60_000
#: A run ends at the third wrong answer, so that guessing wins nothing.
MOST_WRONG: Final = 3
#: So many puzzles are laid out for a run: more than anybody solves in a minute.
MOST_PUZZLES: Final = 60


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """An answer in a run; `judged` is None where it came too late."""

    run: PuzzleRun
    judged: JudgedAnswer | None


def remaining_ms(run: PuzzleRun, now: int) -> int:
    """Return how long the run still goes on; 0 once it is over."""
    if run.over or run.place >= len(run.puzzles):
        return 0
    return max(0, run.ends_ms - now)


@retried
@transaction.atomic
def start_run(player: Player) -> PuzzleRun:
    """Begin a run; one that still goes on ends. TableError `no_puzzles`."""
    lock_solver(player)
    ensure_stock()
    PuzzleRun.objects.filter(player=player, over=False).update(over=True)
    chosen = _chosen(list(Puzzle.objects.order_by("rating", "pk").values_list("pk", flat=True)))
    if not chosen:
        raise TableError("no_puzzles", _("There are no puzzles yet."), status=404)
    now = store.now_ms()
    return PuzzleRun.objects.create(player=player, started_ms=now, ends_ms=now + LENGTH_MS, puzzles=chosen)


def run_of(player: Player, run_id: int) -> PuzzleRun:
    """Return the player's run of that number. TableError `not_found`, also for somebody else's."""
    run = PuzzleRun.objects.filter(pk=run_id, player=player).first()
    if run is None:
        raise TableError("not_found", _("There is no such run."), status=404)
    return run


def answer_in_run(*, player: Player, run_id: int, puzzle_id: int, answer: str) -> RunAnswer:
    """Judge the answer to the puzzle that the run asks now, and go on to the next one.

    TableError `not_found`, `bad_answer`, and `not_asked` for a puzzle that the run does not ask now.
    """
    run_of(player, run_id)
    check_answer(puzzle_of(puzzle_id), answer)
    return _answered(player, run_id, puzzle_id, answer)


@retried
@transaction.atomic
def _answered(player: Player, run_id: int, puzzle_id: int, answer: str) -> RunAnswer:
    lock_solver(player)
    run = PuzzleRun.objects.select_for_update().get(pk=run_id, player=player)
    now = store.now_ms()
    if not remaining_ms(run, now):
        return RunAnswer(run, None)
    if run.puzzles[run.place] != puzzle_id:
        raise TableError("not_asked", _("The run asks another puzzle now."))
    puzzle = puzzle_of(puzzle_id)
    solved = note_try(puzzle, player, answer).solved
    run.place += 1
    if solved:
        run.solved, run.last_ms = run.solved + 1, now - run.started_ms
    else:
        run.wrong += 1
        run.over = run.wrong >= MOST_WRONG
    run.save(update_fields=["place", "solved", "wrong", "last_ms", "over"])
    return RunAnswer(run, JudgedAnswer(puzzle, answer, solved))


def best_runs(player: Player, most: int = 5) -> list[PuzzleRun]:
    """Return the player's best runs: by the most solved, and of several by who had them first."""
    return list(PuzzleRun.objects.filter(player=player, solved__gt=0).order_by("-solved", "last_ms", "pk")[:most])


def best_run(player: Player) -> PuzzleRun | None:
    """Return the player's best run; None before the first puzzle solved in one."""
    return next(iter(best_runs(player, 1)), None)


def _chosen(easiest_first: Sequence[int]) -> list[int]:
    """Return MOST_PUZZLES at most, the easier ones first: one by chance of each part of them all."""
    size = max(1, len(easiest_first) // MOST_PUZZLES)
    parts = [easiest_first[first : first + size] for first in range(0, len(easiest_first), size)]
    return [secrets.choice(part) for part in parts[:MOST_PUZZLES]]
