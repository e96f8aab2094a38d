"""One move through the engine, one view out of it, one state to its bytes and back, over simulated games.

Floors: for a move the bare folding of its events, without asking whether it is legal or the state sound; for a view
the writing of the finished view as JSON; for the bytes the JSON library alone.
"""

import json
from collections.abc import Callable
from time import thread_time
from typing import Any
from unittest.mock import patch

from rules.books import BOOKS, RuleBook, book
from rules.game import Transition, apply, codec, view_for
from rules.game.moves import Move
from rules.game.state import TableState
from tables.simulation import run
from tests.benchmarks import timed

Step = tuple[TableState, Move, int, Transition]


def measure(count: int = 2000) -> dict[str, Any]:
    """Return milliseconds of processor time per call at a points table of six, and moves a second of every book."""
    steps = _steps(book("standard-points"), count)
    seen = [(after.after, seat, now) for _, _, now, after in steps for seat in (0, None)]
    views = [view_for(*each) for each in seen]
    records = [codec.dump_state(after.after) for _, _, _, after in steps]
    texts = [codec.canonical(record).decode() for record in records]
    first, *more = (
        _moves("one move, legality and invariants included", steps),
        _row("one view", lambda each: view_for(*each), seen, ("the view written as JSON", json.dumps), views),
        _row("a state to bytes", _write, [step[3].after for step in steps], ("JSON alone", codec.canonical), records),
        _row("bytes to a state", _read, texts, ("JSON alone", json.loads), texts),
        *(_moves(f"one move by {each.key}", _steps(each, -(-count // 2))) for each in BOOKS.values()),
    )
    return first | {"more": more}


def _moves(what: str, steps: list[Step]) -> dict[str, Any]:
    row = _row(what, _move, steps, ("its events folded", _fold), steps)
    row["per_second"] = _per_second(_move, steps)
    row["floor"]["per_second"] = _per_second(_fold, steps)
    return row


def _row(
    what: str,
    call: Callable[[Any], object],
    steps: list[Any],
    floor: tuple[str, Callable[[Any], object]],
    bare: list[Any],
) -> dict[str, Any]:
    least = {"what": floor[0]} | timed(floor[1], bare)
    return {"what": what, "unit": "ms", "count": len(steps)} | timed(call, steps) | {"floor": least}


def _per_second(call: Callable[[Step], object], steps: list[Step]) -> int:
    """Return the calls per second of processor time, made one after the other."""
    began = thread_time()
    for step in steps:
        call(step)
    return round(len(steps) / (thread_time() - began))


def _steps(rules: RuleBook, count: int) -> list[Step]:
    """Return `count` transitions of simulated games of the most players, with the move that made each."""
    steps: list[Step] = []

    def remember(state: TableState, move: Move, now: int) -> Transition:
        transition = apply(state, move, now)
        steps.append((state, move, now, transition))
        return transition

    seed = 0
    with patch.object(run, "apply", remember):
        while len(steps) < count:
            seed += 1
            run.run(book=rules, players=rules.max_seats, matches=4, seed=seed)
    return steps[:count]


def _move(step: Step) -> None:
    apply(*step[:3])


def _fold(step: Step) -> None:
    state = step[0]
    for event in step[3].events:
        state = event.fold(state)


def _write(state: TableState) -> bytes:
    return codec.canonical(codec.dump_state(state))


def _read(text: str) -> TableState:
    return codec.load_state(json.loads(text))
