"""Hints of a first deal: true of the hand as it lies, and about its own cards only."""

from typing import Any

from rules.cards import face
from rules.game.views import Names, hints, view_for
from tests.unit.rules.game.hands import GOOD, PURE, RAGS
from tests.unit.rules.game.play import Table, deal, play

GUIDED = Names(guided=True)


def me_at(table: Table, seat: int = 0) -> dict[str, Any]:
    return dict(view_for(table.state, seat, 0, GUIDED)["me"] or {})


def dealt(hand: str) -> Table:
    return deal("standard-points", [hand, PURE], cut="9S", closed="10H")


def test_before_the_draw_the_words_are_explained_once() -> None:
    table = dealt(RAGS)
    assert me_at(table)["hint_why"] == hints.FIRST_DRAW.why
    assert "turn" not in me_at(table)["hint"], "the event says whose turn it is: both are spoken"
    play(table, "draw closed")
    assert me_at(table)["hint_why"] != hints.FIRST_DRAW.why
    assert me_at(table, 1)["hint"] is None, "others play"


def test_a_pure_sequence_is_only_spoken_of_with_its_cards() -> None:
    table = dealt(PURE)
    play(table, "draw closed")
    me = me_at(table)
    assert me["hint"] == hints.PURE.text
    assert len(me["hint_cards"]) >= 3 and me["hint_cards"] in me["hint_groups"]
    assert len({card[-2] for card in me["hint_cards"]}) == 1, "of one suit"
    groups = " | ".join(" ".join(map(face, group)) for group in me["hint_groups"])
    play(table, f"arrange {groups}")
    laid = me_at(table)
    assert (laid["hint_why"], laid["hint_groups"], len(laid["hint_cards"])) == (hints.LET_GO.why, [], 1)
    assert laid["hint_cards"][0] in laid["loose"]


def test_without_a_pure_sequence_a_card_is_named_that_has_no_neighbour() -> None:
    table = dealt("2C 4C 6C 8H QC JC AD 3D 5D 7D KS JH 2S")
    play(table, "draw closed")
    me = me_at(table)
    assert (me["hint"], me["hint_groups"]) == (hints.PURE_FIRST.text, [])
    assert [face(card) for card in me["hint_cards"]] == ["KS"], "the jack and the ten of hearts are neighbours"


def test_a_complete_hand_can_be_laid_and_then_finished() -> None:
    table = dealt(GOOD)
    play(table, "draw closed; sort")
    me = me_at(table)
    assert me["hint"] == hints.SHOW.text and not me["valid"] and me["sort_used"]
    groups = " | ".join(" ".join(map(face, group)) for group in me["hint_groups"])
    play(table, f"arrange {groups}")
    laid = me_at(table)
    assert (laid["hint"], laid["hint_groups"], laid["valid"]) == (hints.FINISH.text, [], True)
    assert laid["fault_without"][laid["hint_cards"][0]] is None, "a show without the lifted card is valid"


def test_elsewhere_there_are_no_hints() -> None:
    me = dealt(GOOD).view(0)["me"]
    assert (me["guided"], me["hint"], me["hint_cards"], me["hint_groups"]) == (False, None, [], [])
