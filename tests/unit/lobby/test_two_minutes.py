"""The rules in two minutes: the engine judges what the reader touches."""

from itertools import combinations

import pytest
from django.test import Client

from lobby.help.views import EXERCISES, Exercise, verdict_on

RIGHT = {"pure": {"7H", "8H", "9H"}, "joker": {"4S", "JR", "6S"}, "wild": {"QD", "KD", "2S"}, "set": {"5C", "5D", "5S"}}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.key)
def test_exactly_one_choice_is_right_and_others_get_a_reason(exercise: Exercise) -> None:
    for selected in combinations(exercise.cards, 3):
        verdict = verdict_on(exercise, selected)
        assert verdict["right"] == (set(selected) == RIGHT[exercise.key]), selected
        assert verdict["verdict"].startswith(("Right.", "Not yet. ", "Nearly.")) and verdict["verdict"].endswith(".")


def test_the_page_judges_the_selected_cards(client: Client) -> None:
    page = client.get("/how-to-play/two-minutes/?exercise=pure&card=0&card=2&card=4").content.decode()
    assert page.count("Right. Pure sequence.") == 1
    assert page.count(" checked>") == 3


@pytest.mark.parametrize("query", ["", "?exercise=none&card=0", "?exercise=pure&card=99&card=-1&card=x&card=%C2%B2"])
def test_without_a_selection_nothing_is_judged(client: Client, query: str) -> None:
    page = client.get(f"/how-to-play/two-minutes/{query}")
    assert page.status_code == 200
    assert "Right." not in page.content.decode() and "Not yet" not in page.content.decode()
