"""Arranging and sorting one's own cards."""

import pytest

from rules.cards import face
from rules.game import is_stale
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW
from tests.unit.rules.game.play import deal, play, refused


def test_the_rest_is_loose_and_every_group_has_its_verdict() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S")
    play(table, "arrange 3H 4H 5H | JS JH | KS KH KD KC")
    me = table.view(0)["me"]
    assert me["kinds"] == ["pure", "invalid", "set"] and me["reasons"][0] is None and me["reasons"][1]
    assert [face(card) for card in me["loose"]] == ["7C", "8C", "9C", "JD"] and not me["valid"]


def test_any_time_from_the_deal_to_the_submission() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "1: arrange AS 2S 3S; draw closed; 1: arrange AS 2S; finish 10H; 1: arrange; 0: arrange 3H 4H")
    play(table, f"0: submit {SHOW}; 1: arrange AS 2S 3S")
    assert refused(table, "0: arrange 3H 4H") == "wrong_phase"
    play(table, "1: submit")
    assert table.points()[1] == 38


def test_nobody_out_of_the_deal_arranges() -> None:
    table = deal("standard-points", [GOOD, PURE, RAGS])
    play(table, "drop")
    assert refused(table, "0: arrange 3H") == "wrong_phase"


@pytest.mark.parametrize(
    "groups, code",
    [
        ("3H 3H", "bad_groups"),
        ("3H | 3H1", "bad_groups"),
        ("AS", "not_your_card"),
        ("nonsense", "not_your_card"),
        ("3H | 4H | 5H | 7C | 8C | 9C | JS", "too_many_groups"),
    ],
)
def test_an_impossible_arrangement_is_refused(groups: str, code: str) -> None:
    assert refused(deal("standard-points", [GOOD, PURE], cut="9S"), f"0: arrange {groups}") == code


def test_two_alike_may_lie_in_two_groups() -> None:
    table = deal("standard-points", ["7H1 7H2 8H", PURE])
    play(table, "arrange 7H 8H | 7H")
    assert table.view(0)["me"]["groups"] == [["7H1", "8H1"], ["7H2"]]


def test_the_same_arrangement_again_is_no_change() -> None:
    table = deal("standard-points", [GOOD, PURE])
    play(table, "arrange 3H 4H")
    version = table.state.version
    play(table, "arrange 3H 4H")
    assert table.state.version == version


def test_sorting_puts_suits_together_once_a_deal() -> None:
    table = deal("standard-points", ["KH 3S AH JR 2C 9D 9H 10D 5S 7C JS QH 3H", PURE], cut="9S")
    play(table, "sort")
    hand = [[face(card) for card in group] for group in table.view(0)["me"]["groups"]]
    assert hand == [["2C", "7C"], ["9D", "10D"], ["AH", "3H", "9H", "QH", "KH"], ["3S", "5S", "JS"], ["JR"]]
    assert refused(table, "sort") == "sort_used"


def test_sorting_makes_four_groups_where_there_is_no_printed_joker() -> None:
    table = deal("standard-points", ["KH 3S AC AH 2C 9D 9H 10D 5S 7C JS QH 3H", PURE], cut="JR")
    play(table, "sort")
    hand = [[face(card) for card in group] for group in table.view(0)["me"]["groups"]]
    assert hand == [["AC", "2C", "7C"], ["9D", "10D"], ["AH", "3H", "9H", "QH", "KH"], ["3S", "5S", "JS"]]


def test_arranging_by_others_makes_no_move_stale() -> None:
    table = deal("standard-points", [GOOD, PURE])
    version = table.state.version
    play(table, "1: arrange AS 2S")
    assert table.state.version == version + 1
    assert not is_stale(table.state, 0, version) and is_stale(table.state, 1, version)
    play(table, "draw closed")
    assert is_stale(table.state, 0, version) and is_stale(table.state, 0, table.state.version + 1)


def test_cards_that_make_no_meld_count_the_same_loose_and_sorted() -> None:
    table = deal("standard-points", ["2C 4C 6C 2D 5D 3S 5S AS 8H 10C QC 7H 3D", PURE], cut="9S", closed="KH")
    play(table, "draw closed")
    loose = table.view(0)["me"]["points"]
    play(table, "sort")
    assert table.view(0)["me"]["loose"] == []
    assert table.view(0)["me"]["points"] == loose == 75


@pytest.mark.parametrize(
    "groups, points",
    [
        # The dear card goes that lies loose, or that spoils a group; the least that a deal costs is 2.
        ("3H 4H 5H | 7C 8C 9C | KS KH KD KC", 30),
        ("3H 4H 5H | 7C 8C 9C | JS JH JD | KS KH KD KC | 10H", 2),
        ("3H 4H 5H | 7C 8C 9C | JS JH JD 10H | KS KH KD KC", 2),
        ("3H 4H 5H 10H | 7C 8C 9C | JS JH JD | KS KH KD KC", 2),
    ],
)
def test_of_fourteen_cards_the_best_thirteen_count_as_they_lie(groups: str, points: int) -> None:
    table = deal("standard-points", [GOOD, PURE], cut="2S", closed="10H")
    play(table, f"draw closed; arrange {groups}")
    assert table.view(0)["me"]["points"] == points
