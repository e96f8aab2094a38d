"""The events of one deal determine where its cards lie: the staff's replay and the proof are derived from them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from rules.books import BOOKS
from rules.game import DealState, Transition, events, follow_deal
from tables.simulation import run
from tables.simulation.players import Mood
from tests.support.sampling import one_of_each


def played(book: str, matches: int, monkeypatch: pytest.MonkeyPatch) -> list[Transition]:
    """Play at a table until the closed deck has been reshuffled, and return the transitions."""
    transitions: list[Transition] = []
    apply = run.apply

    def told(*arguments: Any) -> Transition:
        transitions.append(apply(*arguments))
        return transitions[-1]

    monkeypatch.setattr(run, "apply", told)
    monkeypatch.setattr("tables.simulation.players._MOODS", (Mood.STUBBORN,))
    run.run(book=BOOKS[book], players=BOOKS[book].max_seats, matches=matches, seed=3)
    return transitions


def deals(transitions: Iterable[Transition]) -> list[list[Transition]]:
    """Return the transitions by deal: each begins with its preparation, as the rows of its events do."""
    by_deal: list[list[Transition]] = [[]]
    for transition in transitions:
        if any(isinstance(event, events.DealPrepared) for event in transition.events):
            by_deal.append([])
        by_deal[-1].append(transition)
    return by_deal[1:]


def without_seeds(deal: DealState) -> DealState:
    return replace(deal, seed="", commitment="")


@pytest.mark.parametrize("book", one_of_each(["standard-points", "standard-blind", "standard-pool-101"]))
def test_the_events_of_a_deal_alone_tell_how_its_cards_lie(book: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for transitions in deals(played(book, 2, monkeypatch)):
        events_of_deal = [event for transition in transitions for event in transition.events]
        lies = [deal for _, deal in follow_deal(BOOKS[book], events_of_deal)]
        assert len(lies) == len(events_of_deal)
        after = -1
        for transition in transitions:
            after += len(transition.events)
            seen.update(type(event) for event in transition.events)
            real = transition.after.deal
            if real is not None and lies[after] is not None:
                assert lies[after] == without_seeds(real)
    assert {events.CardsDealt, events.CardDrawn, events.ClosedDeckReshuffled} <= seen


def test_before_the_cards_are_dealt_none_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = deals(played("standard-points", 1, monkeypatch))
    events_of_deal = [event for transition in first for event in transition.events]
    dealt = next(place for place, event in enumerate(events_of_deal) if isinstance(event, events.CardsDealt))
    lies = [deal for _, deal in follow_deal(BOOKS["standard-points"], events_of_deal)]
    assert lies[:dealt] == [None] * dealt
    assert all(lies[dealt:])


def test_the_cards_lie_still_once_the_deal_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = deals(played("standard-points", 1, monkeypatch))
    events_of_deal = [event for transition in first for event in transition.events]
    end = next(
        place for place, event in enumerate(events_of_deal) if isinstance(event, (events.DealEnded, events.DealVoided))
    )
    later = [*events_of_deal, events.StartingBegan(clock=first[-1].after.clock)]  # type: ignore[arg-type]
    lies = [deal for _, deal in follow_deal(BOOKS["standard-points"], later)]
    assert lies[end] is not None
    assert lies[end:] == [lies[end]] * (len(later) - end)
