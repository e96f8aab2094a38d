"""Any deal of any book, written, read and replayed, is the same deal: events, points and proof."""

from dataclasses import replace

import pytest

from rules.books import BOOKS
from rules.game import events
from rules.notation import Notation, from_events, read, replay, write
from tests.support.notations import DATE, faults, notation_of, points, told
from tests.support.sampling import one_of_each
from tests.support.simulated import rough_deals

CASES = [(key, players) for key, book in BOOKS.items() for players in range(book.min_seats, book.max_seats + 1)]


@pytest.mark.parametrize("case", one_of_each(CASES, kind=lambda case: case[0]))
def test_a_deal_in_notation_is_the_same_deal(case: tuple[str, int]) -> None:
    key, players = case
    for deal in rough_deals(key, players=players, matches=4, seed=35):
        assert faults(deal) == [], notation_of(deal).deal


@pytest.mark.parametrize("key", BOOKS)
def test_a_deal_whose_seeds_nobody_knows_is_told_by_its_cards(key: str) -> None:
    for deal in rough_deals(key, players=2, matches=3, seed=7):
        notation = from_events(deal.book, deal.happened, date=DATE, seats=2)
        assert notation.seed is None and notation.hands
        assert read(write(notation)) == notation
        if not any(isinstance(event, events.ClosedDeckReshuffled) for event in deal.happened):
            assert _events(notation) == [
                {**each, "clients": []} if each["type"] == "cards_dealt" else each
                for each in told(deal.book, deal.happened)
                if each["type"] != "toss_made"
            ]


@pytest.mark.parametrize("key", ["standard-points", "standard-blind", "club-pool-201", "lives-drop-points"])
def test_a_deal_that_was_cut_short_is_told_so_far(key: str) -> None:
    for number, deal in enumerate(rough_deals(key, players=3, matches=3, seed=12)):
        own = deal.prepared.deal_id
        states = [state for state in deal.states if state.deal is not None and state.deal.deal_id == own]
        stop = states[number % len(states)]
        short = replace(deal, happened=_until(deal.happened, stop.current.turns))
        notation = notation_of(short)
        if points(short.happened) is None:
            assert notation.result is None
        assert _events(notation)[-1]["type"] in ("turn_began", "deal_ended", "deal_voided")


def _until(told: list[events.Event], turns: int) -> list[events.Event]:
    """Return the events up to the beginning of that turn."""
    for place, event in enumerate(told):
        if isinstance(event, events.TurnBegan) and event.number == turns:
            following = told[place + 1] if place + 1 < len(told) else None
            # A switch that drops acts at once: what it does belongs to the same move.
            if not isinstance(following, events.PlayerDropped):
                return told[: place + 1]
    return told


def _events(notation: Notation) -> list[dict[str, object]]:
    return [
        each for each in told(notation.book, (step.event for step in replay(notation))) if each["type"] != "toss_made"
    ]
