"""A short part of `python -m tests.fleet service_faults`, and proof that it detects planted faults."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from rules import game
from tables.play import services as play
from tables.simulation.fleet import Task
from tests.fleet import service_faults
from wallet.play_money import services as play_money

pytestmark = pytest.mark.django_db(transaction=True)

TASKS = [
    Task("standard-points", 4, 3, 11),
    Task("standard-blind", 3, 3, 12),
    Task("standard-pool-101", 3, 2, 13),
    Task("standard-deals-3", 2, 2, 14),
    Task("club-points", 5, 2, 15),
    Task("lives-drop-points", 2, 3, 16),
]


@pytest.mark.databases
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.book)
def test_matches_under_faults_lose_no_unit_of_money_and_leave_nothing_over(task: Task) -> None:
    happened: Counter[str] = Counter()
    faults: list[str] = []
    service_faults.play_task(task, happened, faults)
    assert faults == []
    assert happened["matches"] == task.matches


def _forgets_answers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(play, "_first_answer", lambda *arguments: None)
    patch.setattr(play, "_remember", lambda *arguments: None)


def _gives_up_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(play, "play", play.play.__wrapped__)  # type: ignore[attr-defined]
    patch.setattr(play, "sit", play.sit.__wrapped__)  # type: ignore[attr-defined]


def _pays_the_winner_too_much(patch: pytest.MonkeyPatch) -> None:
    settle: Callable[..., Any] = play_money.settle_deal

    def generous(*, fee: int, **arguments: Any) -> Any:
        return settle(fee=max(0, fee - 1), **arguments)

    patch.setattr(play_money, "settle_deal", generous)


def _loses_an_event(patch: pytest.MonkeyPatch) -> None:
    apply = game.apply

    def forgetful(*arguments: Any) -> Any:
        transition = apply(*arguments)
        kept = tuple(event for event in transition.events if event.name != "hand_sorted")
        shorter = type(transition)(before=transition.before, after=transition.after, events=kept[:-1] or kept)
        return shorter if len(kept) > 2 else transition

    patch.setattr(game, "apply", forgetful)


@pytest.mark.parametrize("plant", [_forgets_answers, _gives_up_at_once, _pays_the_winner_too_much, _loses_an_event])
def test_a_planted_fault_is_found(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    faults: list[str] = []
    for seed in range(6):
        service_faults.play_task(Task("standard-points", 3, 6, seed), Counter(), faults)
        if faults:
            break
    assert faults
