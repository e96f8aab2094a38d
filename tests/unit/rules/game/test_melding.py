"""Finish, declaration, wrong show, and what the others pay."""

import pytest

from rules.cards import face
from rules.game import events as e
from rules.game.events import By
from rules.game.state import Phase, Standing
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW, finished
from tests.unit.rules.game.play import Table, deal, play, refused


def test_the_finish_card_lies_face_down_while_its_owner_melds() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "draw closed; finish 10H")
    assert table.state.phase is Phase.MELDING and len(table.view(0)["me"]["hand"]) == 13
    assert table.view(0)["melding_by"] == table.view(1)["melding_by"] == 0
    assert face(table.view(0)["deal"]["finish_card"]) == "10H" and table.view(1)["deal"]["finish_card"] is None
    assert table.view(None)["clock"] == {
        "kind": "meld",
        "seat": 0,
        "deadline": table.now + 45_000,
        "remaining_ms": 45_000,
        "length_ms": 45_000,
    }


def test_finishing_needs_fourteen_cards() -> None:
    assert refused(deal("standard-points", [GOOD, PURE]), "finish KC") == "must_draw"


def test_a_valid_show_asks_the_others_to_meld_together() -> None:
    table = finished()
    assert table.names() == ["show_accepted"]
    assert table.view(1)["melding_by"] is None and table.view(1)["clock"]["seat"] is None
    assert ["submit" in table.view(seat)["me"]["moves"] for seat in (0, 1, 2)] == [False, True, True]
    assert table.view(0)["seats"][0]["status"] == "submitted"


def test_the_deal_ends_with_the_last_submission() -> None:
    table = finished()
    play(table, "2: submit")
    assert table.state.phase is Phase.MELDING
    play(table, "1: submit AS 2S 3S")
    assert table.state.phase is Phase.RESULT and table.points() == {0: 0, 1: 38, 2: 40}


def test_submitting_nothing_submits_the_arrangement() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, f"draw closed; arrange {SHOW}; finish 10H; submit")
    assert table.names() == ["show_accepted"]


@pytest.mark.parametrize(
    "show",
    [
        "3H 4H 5H | 7C 8C 9C | JS JH JD | KS KH KD",  # a card loose
        "3H 4H 5H 7C | 8C 9C | JS JH JD | KS KH KD KC",  # no meld
        "",
    ],
)
def test_a_wrong_show_costs_eighty_and_the_others_play_on(show: str) -> None:
    table = finished(show=show)
    assert table.names() == ["show_refused", "turn_began"]
    assert (table.state.current.hand(0).standing, table.state.current.hand(0).points) == (Standing.WRONG, 80)
    assert face(table.view(1)["deal"]["open_top"]) == "10H" and table.turn == 1
    play(table, "draw open; discard AD")
    assert table.turn == 2
    play(table, "drop")
    assert table.points() == {0: 80, 1: 0, 2: 20}


def test_a_wrong_show_against_one_opponent_loses_the_deal() -> None:
    table = finished(others=(PURE,), show="")
    assert table.state.phase is Phase.RESULT and table.points() == {0: 80, 1: 0}


def test_the_groups_of_a_wrong_show_are_nobodys_business_before_the_result() -> None:
    table = finished(show="3H 4H 5H")
    event = table.find(e.ShowRefused)
    assert event.visible(1) == ("seat", "points", "by", "card")


def test_a_declarer_who_lets_time_pass_submits_what_lies_there() -> None:
    good = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(good, f"arrange {SHOW}; draw closed; finish 10H; timeout")
    assert good.find(e.ShowAccepted).by is By.PLATFORM
    bad = deal("standard-points", [GOOD, PURE, RAGS], cut="9S", closed="10H")
    play(bad, "draw closed; finish 10H; timeout")
    assert bad.names() == ["show_refused", "turn_began"]


def test_losers_who_let_time_pass_submit_what_lies_there() -> None:
    table = finished()
    play(table, "1: arrange AS 2S 3S; timeout")
    assert table.points() == {0: 0, 1: 38, 2: 40}
    assert [event.by for event in table.log[-2] if isinstance(event, e.HandSubmitted)] == [By.PLATFORM, By.PLATFORM]


def test_malformed_groups_are_refused_and_cost_nothing() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "draw closed; finish 10H")
    assert refused(table, "0: submit 3H 3H") == "bad_groups"
    assert refused(table, "0: submit 10H") == "not_your_card"
    assert refused(table, "0: submit 3H | 4H | 5H | 7C | 8C | 9C | JS") == "too_many_groups"
    assert refused(table, "1: submit") == "not_your_turn"
    play(table, f"0: submit {SHOW}")
    assert refused(table, "0: submit") == "wrong_phase"


class TestOpenShow:
    """The winner declares on their first turn: seats 1 and 2 had none."""

    @pytest.mark.parametrize(
        "book, pure, rags",
        [
            ("standard-points", 38, 40),  # half of 76, and of 80
            ("classic-points", 76, 80),
            ("flat20-points", 20, 20),
            ("club-points", 76, 80),
            ("standard-pool-201", 38, 40),
        ],
    )
    def test_who_had_no_turn_pays_by_the_book(self, book: str, pure: int, rags: int) -> None:
        table = finished(book)
        play(table, "1: submit AS 2S 3S; 2: submit")
        assert table.points() == {0: 0, 1: pure, 2: rags}

    def test_who_had_a_turn_pays_what_lies_there(self) -> None:
        table = deal("standard-points", [RAGS, GOOD, PURE], cut="9S", closed="9D 10H")
        play(table, f"draw closed; discard 9D; draw closed; finish 10H; submit {SHOW}; 0: submit; 2: submit AS 2S 3S")
        assert table.points() == {0: 80, 1: 0, 2: 38}

    def test_an_auto_play_is_a_turn(self) -> None:
        table = deal("classic-points", [PURE, GOOD], cut="9S", closed="9D 10H")
        play(table, f"timeout; timeout; draw closed; finish 10H; submit {SHOW}; 0: submit AS 2S 3S")
        assert table.points() == {0: 76, 1: 0}

    def test_half_rounds_up(self) -> None:
        odd = "AS 2S 3S 4C 6D 8D 10C QC AD 5H 6C KS 6H"
        table = finished(others=(odd,))
        play(table, "1: submit AS 2S 3S")
        assert table.points()[1] == 38  # half of 75


def test_who_has_not_sorted_yet_may_sort_while_melding() -> None:
    table = finished()
    assert "sort" in table.view(1)["me"]["moves"] and "submit" in table.view(1)["me"]["moves"]
    play(table, "1: sort")
    assert table.view(1)["me"]["groups"] and "sort" not in table.view(1)["me"]["moves"]


def prices(table: Table, seat: int) -> tuple[int, int | None]:
    me = table.view(seat)["me"]
    return me["points"], me["points_to_save"]


@pytest.mark.parametrize(
    ("book", "loose", "pure", "best"),
    [("standard-points", 40, 38, 28), ("classic-points", 80, 76, 55), ("flat20-points", 20, 20, 20)],
)
def test_who_melds_sees_what_it_costs_as_it_lies_and_what_better_groups_would_save(
    book: str, loose: int, pure: int, best: int
) -> None:
    """By the book: half of it for who had no turn, or flat."""
    table = finished(book)
    assert table.view(0)["me"]["points_to_save"] is None, "who has won submits no more"
    for lie, costs in (("", loose), ("AS 2S 3S", pure), ("AS 2S 3S | 6D 7D 8D", best)):
        play(table, f"1: arrange {lie}")
        assert prices(table, 1) == (costs, costs - best)
    play(table, "1: submit")
    assert prices(table, 1) == (best, None)


@pytest.mark.parametrize(("hand", "saved"), [(GOOD, 80), (RAGS, 0)])
def test_who_declares_can_save_the_price_of_a_wrong_show_where_there_is_a_valid_one(hand: str, saved: int) -> None:
    table = deal("standard-points", [hand, PURE], cut="9S", closed="10H")
    assert table.view(0)["me"]["points_to_save"] is None
    play(table, "draw closed; finish 10H")
    assert (table.view(0)["me"]["points_to_save"], table.view(1)["me"]["points_to_save"]) == (saved, None)
    if saved:
        play(table, f"0: arrange {SHOW}")
        assert table.view(0)["me"]["points_to_save"] == 0
