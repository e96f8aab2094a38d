"""Proof of the simulation's own checks, beside the engine's invariants: each planted fault stops a run."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rules.books import BOOKS
from rules.errors import Refused
from rules.game import Transition, apply, codec, events as e, is_stale, moves as m, views
from rules.game.state import TableState
from tables.simulation import checks, fleet, players
from tables.simulation.checks import CheckFailed, Eyes, cards_in
from tables.simulation.run import run

DUMP, ADDED = codec.dump_event, e.ChipsAdded.fold
RUN, CHECKS = "tables.simulation.run", "tables.simulation.checks"


def spoil(state: TableState) -> None:
    """Write to a frozen value, the one thing that no code of ours does."""
    hand = next(hand for hand in state.current.hands if hand is not None)
    object.__setattr__(hand, "misses", hand.misses + 1)


def apply_that_spoils_what_it_refuses(state: TableState, move: m.Move, now: int) -> Transition:
    try:
        return apply(state, move, now)
    except Refused:
        if state.deal is not None:
            spoil(state)
        raise


def apply_that_spoils_where_it_began(state: TableState, move: m.Move, now: int) -> Transition:
    transition = apply(state, move, now)
    if state.deal is not None and isinstance(move, m.Continue):
        spoil(state)
    return transition


def apply_that_forgets_an_event(state: TableState, move: m.Move, now: int) -> Transition:
    transition = apply(state, move, now)
    return replace(transition, events=transition.events[:-1]) if isinstance(move, m.Discard) else transition


def apply_that_allows_all(state: TableState, move: m.Move, now: int) -> Transition:
    try:
        return apply(state, move, now)
    except Refused:
        return Transition(before=state, after=state, events=())


def a_store_that_loses_the_pack(event: e.Event) -> dict[str, Any]:
    record = DUMP(event)
    return record | {"card": record["card"][:-1] + "1"} if isinstance(event, e.CardDrawn) else record


def views_with(secret: Callable[[TableState], Any]) -> Callable[[TableState, Any, int], Any]:
    """Return `views_for` with a secret added to the views."""

    def told(state: TableState, viewers: Any, now: int) -> Any:
        all_views = views.views_for(state, viewers, now)
        if state.deal is not None and state.deal.closed:
            all_views[0] = all_views[0] | {"hint": secret(state)}
        return all_views

    return told


FAULTS: dict[str, tuple[str, Any, str]] = {
    "a refused move changes the state": (f"{RUN}.apply", apply_that_spoils_what_it_refuses, "changed the state"),
    "a move changes the state before it": (f"{RUN}.apply", apply_that_spoils_where_it_began, "changed the state"),
    "an event is not told": (f"{RUN}.apply", apply_that_forgets_an_event, "do not rebuild the state"),
    "an event is stored as another": (f"{CHECKS}.codec.dump_event", a_store_that_loses_the_pack, "rebuild|one place"),
    "what is not legal is accepted": (f"{RUN}.apply", apply_that_allows_all, "not legal|accepted twice"),
    "a card in the middle of a sentence": (
        f"{CHECKS}.views_for",
        views_with(lambda state: f"Wait for the {state.current.closed[0]}, it comes."),
        "unseen cards",
    ),
    "a card as the name of a field": (
        f"{CHECKS}.views_for",
        views_with(lambda state: [{"odds": {state.current.closed[-1]: 1}}]),
        "unseen cards",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_stops_the_run(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, replacement, message = FAULTS[fault]
    monkeypatch.setattr(target, replacement)
    with pytest.raises((CheckFailed, AssertionError, ValueError), match=message):
        run(book=BOOKS["standard-points"], players=3, matches=30, seed=3, vandal=True)


def test_chips_that_come_from_nowhere_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(event: e.ChipsAdded, state: TableState) -> TableState:
        return ADDED(replace(event, amount=event.amount + 1), state)

    monkeypatch.setattr(e.ChipsAdded, "fold", doubled)
    with pytest.raises(CheckFailed, match="money on the table"):
        run(book=BOOKS["standard-points"], players=3, matches=30, seed=3)


def test_without_a_fault_the_same_run_ends() -> None:
    assert run(book=BOOKS["standard-points"], players=3, matches=30, seed=3, vandal=True).matches == 30


def test_a_match_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "_MOODS", (players.Mood.STUBBORN,))
    monkeypatch.setattr(players, "_PATIENCE", 10**9)
    monkeypatch.setattr(players, "RATES", {})
    monkeypatch.setattr(players, "OFFLINE", 0.0)
    monkeypatch.setattr(players, "SILENT", 0.0)
    monkeypatch.setattr("tables.simulation.run._MOST_STEPS", 300)
    with pytest.raises(CheckFailed, match="does not end"):
        run(book=BOOKS["standard-blind"], players=2, matches=2, seed=3)


def test_a_fleet_names_the_run_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{RUN}.apply", apply_that_forgets_an_event)
    with pytest.raises(CheckFailed, match=r"book='[\w-]+', players=\d, matches=\d+, seed=\d+"):
        list(fleet.play_matches(fleet.tasks(51, seed=1), jobs=1))


def test_an_old_view_is_stale_and_a_current_one_is_not() -> None:
    """The vandal's late frames rely on this."""
    answers: list[bool] = []

    def remember(state: TableState, seat: int, version: int) -> bool:
        stale = is_stale(state, seat, version)
        assert stale or version >= state.view_version[seat]
        answers.append(stale)
        return stale

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{RUN}.is_stale", remember)
        run(book=BOOKS["standard-points"], players=3, matches=10, seed=3, vandal=True)
    assert set(answers) == {True, False}


def test_cards_are_found_wherever_they_are_written() -> None:
    content = {"a": ["7H1", {"10D2 and JR3": [None, 1, True]}], "b": "AS", "c": [["KC2x", "xKC2", "(KC3)"]]}
    assert cards_in(content) == {"7H1", "10D2", "JR3", "KC3"}
    assert cards_in(None) == cards_in([]) == frozenset()


def test_a_part_read_before_counts_anew_once_the_cards_are_dealt_again() -> None:
    eyes = Eyes(1)
    eyes.begin([(0, ["7H1"])])
    part = {"hand": ["7H1"]}
    assert eyes._cards((0, "me"), part) == eyes._cards((0, "me"), dict(part)) == {"7H1"}
    eyes.begin([(0, ["8H1"])])
    assert not eyes._cards((0, "me"), part) <= eyes._known[0]
    assert checks.Eyes(1)._known[None] == set()
