"""Works side by side: a step of each before the next step of any, their results in order, and their failures."""

import pytest

from tables.lockstep import Stages, run_in_lockstep, run_whole


def work(name: str, steps: int, done: list[str], fails_at: int | None = None) -> Stages[str]:
    for step in range(steps):
        if step == fails_at:
            raise ValueError(name)
        done.append(f"{name}{step}")
        if step < steps - 1:
            yield
    return name


def test_a_step_of_each_work_is_done_before_the_next_step_of_any() -> None:
    done: list[str] = []
    results = run_in_lockstep([work("a", 2, done), work("b", 3, done), work("c", 1, done)])
    assert done == ["a0", "b0", "c0", "a1", "b1", "b2"]
    assert results == ["a", "b", "c"]


def test_what_a_work_raises_reaches_the_caller() -> None:
    done: list[str] = []
    with pytest.raises(ValueError, match="b"):
        run_in_lockstep([work("a", 3, done), work("b", 3, done, fails_at=1)])
    assert done == ["a0", "b0", "a1"]


def test_a_work_alone_is_done_at_once() -> None:
    done: list[str] = []
    assert run_whole(work("a", 3, done)) == "a"
    assert done == ["a0", "a1", "a2"]
    assert run_in_lockstep([]) == []
