"""Finish, declaration, wrong show, and what the others pay."""

import pytest

from rules.cards import face
from rules.game import events as e
from rules.game import is_stale
from rules.game.events import By
from rules.game.state import Phase, Standing
from tests.unit.rules.game.play import Table, deal, play, refused

GOOD = "3H 4H 5H 7C 8C 9C JS JH JD KS KH KD KC"
SHOW = "3H 4H 5H | 7C 8C 9C | JS JH JD | KS KH KD KC"
RAGS = "2C 4C 6C 8D 10C QC AD 3D 5D 7D 9D JC QS"
"""Nothing melded: 80 and more with nines wild."""
PURE = "AS 2S 3S 4C 6D 8D 10C QC AD 5H 7D KS 6H"
"""One pure sequence; the rest counts 4+6+8+10+10+10+5+7+10+6 = 76."""


def finished(book: str = "standard-points", others: tuple[str, ...] = (PURE, RAGS), show: str = SHOW) -> Table:
    """Seat 0 has drawn on their first turn, finished with 10H and submitted."""
    table = deal(book, [GOOD, *others], cut="9S", closed="10H")
    play(table, f"draw closed; finish 10H; submit {show}")
    return table


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


LIVES_GOOD = "3H 4H 5H 6H 7C 8C 9C JS JH JD KS KH KD"
LIVES_SHOW = "3H 4H 5H 6H | 7C 8C 9C | JS JH JD | KS KH KD"


class TestLives:
    def show(self, book: str, others: list[str]) -> Table:
        table = deal(book, [LIVES_GOOD, *others], cut="2S", closed="10H")
        play(table, f"draw closed; finish 10H; submit {LIVES_SHOW}")
        assert table.names() == ["show_accepted"]
        return table

    def test_without_lives_the_open_show_is_forty(self) -> None:
        table = self.show("lives-points", [RAGS])
        play(table, "1: submit")
        assert table.points() == {0: 0, 1: 40}

    def test_who_submits_nothing_in_time_pays_eighty_without_a_turn_forty(self) -> None:
        table = self.show("lives-points", [RAGS])
        play(table, "timeout")
        assert table.points() == {0: 0, 1: 40}
        later = deal("lives-points", [RAGS, LIVES_GOOD, RAGS], cut="2S", closed="9D 10H")
        play(later, f"draw closed; discard 9D; draw closed; finish 10H; submit {LIVES_SHOW}; timeout")
        assert later.points() == {0: 80, 1: 0, 2: 40}

    def test_a_running_table_keeps_the_rule_it_was_opened_with(self) -> None:
        table = deal("lives-points", [LIVES_GOOD, RAGS], cut="2S", closed="10H", book_version=1)
        play(table, f"draw closed; finish 10H; submit {LIVES_SHOW}; timeout")
        assert table.points() == {0: 0, 1: 80}

    def test_a_declarer_who_submits_nothing_in_time_declared_wrongly(self) -> None:
        table = deal("lives-points", [LIVES_GOOD, PURE], cut="2S", closed="10H")
        play(table, f"arrange {LIVES_SHOW}; draw closed; finish 10H; timeout")
        assert table.points() == {0: 80, 1: 0}

    def test_drop_show_on_the_first_turn(self) -> None:
        first = self.show("lives-drop-points", [RAGS, RAGS])
        play(first, "1: submit; timeout")
        assert first.points() == {0: 0, 1: 20, 2: 80}
        second = deal("lives-drop-points", [RAGS, LIVES_GOOD, RAGS], cut="2S", closed="9D 10H")
        play(second, f"draw closed; discard 9D; draw closed; finish 10H; submit {LIVES_SHOW}; 0: submit; 2: submit")
        assert second.points() == {0: 40, 1: 0, 2: 20}

    def test_a_later_show_counts_as_usual(self) -> None:
        table = deal("lives-drop-points", [LIVES_GOOD, RAGS], cut="2S", closed="10H 9S KC")
        play(table, f"draw closed; discard 10H; draw closed; discard 9S; draw closed; finish KC; submit {LIVES_SHOW}")
        play(table, "1: submit")
        assert table.points() == {0: 0, 1: 80}


class TestShowBeforeDrawing:
    """In `lives-drop-points`: on one's own first turn, all thirteen cards, no card in the finish slot (seed 002)."""

    def ready(self, others: tuple[str, ...] = (RAGS,)) -> Table:
        return deal("lives-drop-points", [LIVES_GOOD, *others], cut="2S", closed="10H 9D KC")

    def test_all_thirteen_are_melded_and_the_slot_is_empty(self) -> None:
        table = self.ready()
        assert {"draw", "drop", "finish"} <= set(table.view(0)["me"]["moves"])
        play(table, "finish")
        assert table.state.phase is Phase.MELDING and table.view(0)["melding_by"] == 0
        assert table.view(0)["deal"]["finish_card"] is None and len(table.view(0)["me"]["hand"]) == 13
        play(table, f"submit {LIVES_SHOW}; 1: submit")
        assert table.points() == {0: 0, 1: 20} and table.find(e.DealEnded).finish_card is None
        assert table.view(0)["deal"]["finish_card"] is None

    def test_it_is_a_show_on_the_first_turn(self) -> None:
        table = deal("lives-drop-points", [RAGS, LIVES_GOOD, RAGS], cut="2S", closed="10H")
        play(table, f"draw closed; discard 10H; finish; submit {LIVES_SHOW}; 0: submit; 2: submit")
        assert table.points() == {0: 40, 1: 0, 2: 20}

    def test_a_wrong_one_leaves_no_card_behind(self) -> None:
        table = self.ready((RAGS, RAGS))
        top = table.view(1)["deal"]["open_top"]
        play(table, "finish; submit 3H 4H 5H 6H")
        hand = table.state.current.hand(0)
        assert (hand.standing, hand.points, len(hand.cards)) == (Standing.WRONG, 80, 13)
        assert table.view(1)["deal"]["open_top"] == top and table.turn == 1
        play(table, "draw closed; discard 10H; drop")
        assert table.points() == {0: 80, 1: 0, 2: 10}

    def test_nothing_submitted_in_time_is_a_wrong_show(self) -> None:
        table = self.ready()
        play(table, f"arrange {LIVES_SHOW}; finish; timeout")
        assert table.points() == {0: 80, 1: 0}

    def test_one_who_leaves_instead_of_submitting_has_shown_wrongly(self) -> None:
        table = self.ready((RAGS, RAGS))
        play(table, f"arrange {LIVES_SHOW}; finish")
        assert table.view(0)["me"]["leave_points"] == 80
        play(table, "0: leave")
        assert table.state.current.hand(0).standing is Standing.WRONG and table.turn == 1

    def test_on_the_first_turn_alone(self) -> None:
        table = self.ready()
        assert refused(table, "1: finish") == "not_your_turn"
        play(table, "draw closed; discard 10H; draw closed; discard 9D")
        assert "finish" not in table.view(0)["me"]["moves"] and refused(table, "finish") == "must_draw"

    def test_a_turn_that_was_missed_was_the_first(self) -> None:
        table = self.ready()
        play(table, "timeout; timeout; draw closed; discard 9D")
        assert table.turn == 0 and refused(table, "finish") == "must_draw"

    def test_before_drawing_no_card_after_it_a_card(self) -> None:
        table = self.ready()
        assert refused(table, "finish 3H") == "must_draw"
        assert refused(table, "draw closed; finish") == "card_needed"

    @pytest.mark.parametrize("version", [1, 2])
    def test_by_no_other_book_and_no_former_version(self, version: int) -> None:
        book = "lives-drop-points" if version == 1 else "lives-points"
        table = deal(book, [LIVES_GOOD, RAGS], cut="2S", book_version=version)
        assert "finish" not in table.view(0)["me"]["moves"] and refused(table, "finish") == "must_draw"


class TestLeavingWhileMelding:
    def declaring(self) -> Table:
        """Seat 0 is in their second turn, with a card in the finish slot; leaving would cost them 40 otherwise."""
        table = deal("standard-points", [GOOD, PURE, RAGS], cut="9S", closed="7H 8H 10H 10S", stack=2_000)
        play(table, "draw closed; discard 7H; draw closed; discard 8H; draw closed; discard 10H")
        play(table, "draw closed; finish 10S")
        return table

    def test_a_declarer_who_leaves_before_they_submit_has_shown_wrongly(self) -> None:
        table = self.declaring()
        me = table.view(0)["me"]
        assert (me["leave_points"], me["leave_costs"]) == (80, 800)
        play(table, "0: leave")
        assert table.names() == ["show_refused", "player_left", "turn_began"]
        assert (table.find(e.PlayerLeft).points, table.find(e.PlayerLeft).returned) == (80, 1_200)
        assert table.turn == 1 and table.state.phase is Phase.PLAYING and table.state.current.finished is None
        assert face(table.view(1)["deal"]["open_top"]) == "10S", "as after any wrong show"
        play(table, "drop")
        assert table.points() == {0: 80, 1: 40, 2: 0} and table.stacks() == [None, 1_600, 3_080]
        assert table.view(1)["result"]["rows"][0]["outcome"] == "wrong"

    def test_even_with_a_hand_that_is_a_valid_show(self) -> None:
        table = self.declaring()
        play(table, f"0: arrange {SHOW}; 0: leave")
        assert table.state.current.hand(0).points == 80

    def test_what_a_loser_would_pay_for_leaving_follows_their_arrangement(self) -> None:
        """In the second round leaving costs 40: one whose hand counts more pays that, as if they had stayed."""
        table = self.declaring()
        play(table, f"submit {SHOW}")
        assert [table.view(seat)["me"]["leave_points"] for seat in (1, 2)] == [80, 80]
        play(table, "1: arrange AS 2S 3S")
        me = table.view(1)["me"]
        assert (me["leave_points"], me["leave_costs"]) == (76, 760)
        play(table, "1: leave")
        assert (table.find(e.PlayerLeft).points, table.find(e.PlayerLeft).returned) == (76, 1_240)
        assert table.state.phase is Phase.MELDING, "the other still melds"
        play(table, "2: submit")
        assert table.points() == {0: 0, 1: 76, 2: 80} and table.stacks() == [2_000 + 1_404, None, 1_200]
        row = table.view(0)["result"]["rows"][1]
        assert row["outcome"] == "left" and [face(card) for card in row["groups"][0]] == ["AS", "2S", "3S"]

    def test_leaving_stays_the_price_where_the_hand_counts_less(self) -> None:
        low = "AS 2S 3S 4H 5H 6H 2C 2D 2H QD QH 3C 3D"
        table = deal("standard-points", [GOOD, low], cut="9S", closed="7H 8H 10H")
        play(table, f"draw closed; discard 7H; draw closed; discard 8H; draw closed; finish 10H; submit {SHOW}")
        play(table, "1: arrange AS 2S 3S | 4H 5H 6H | 2C 2D 2H")
        assert table.view(1)["me"]["leave_points"] == 40, "26 in the hand"
        play(table, "1: leave")
        assert table.points()[1] == 40

    def test_others_leave_at_the_usual_price_while_the_declarer_melds(self) -> None:
        table = self.declaring()
        assert table.view(1)["me"]["leave_points"] == 40
        play(table, "1: leave")
        assert table.find(e.PlayerLeft).points == 40 and table.state.phase is Phase.MELDING

    def test_one_who_dropped_pays_no_more(self) -> None:
        table = deal("standard-points", [PURE, GOOD], cut="9S", closed="10H")
        assert table.view(0)["me"]["leave_points"] == 80
        three = deal("standard-points", [PURE, GOOD, RAGS], cut="9S", closed="10H")
        play(three, f"drop; draw closed; finish 10H; submit {SHOW}")
        assert three.view(0)["me"]["leave_points"] == 20
        play(three, "0: leave; 2: submit")
        assert three.points()[0] == 20

    def test_the_winner_waits_for_the_result(self) -> None:
        assert refused(finished(), "0: leave") == "show_accepted"

    def test_a_loser_who_leaves_before_submitting_pays_for_leaving(self) -> None:
        table = finished(others=(PURE,))
        play(table, "1: leave")
        assert table.state.phase is Phase.RESULT and table.points() == {0: 0, 1: 80}

    def test_one_who_has_submitted_keeps_their_points(self) -> None:
        table = finished()
        play(table, "1: submit AS 2S 3S; 1: leave; 2: submit")
        assert table.points() == {0: 0, 1: 38, 2: 40}

    def test_the_declarer_wins_when_all_others_leave_meanwhile(self) -> None:
        table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
        play(table, "draw closed; finish 10H; 1: leave")
        assert table.points() == {0: 0, 1: 80}


class TestArranging:
    def test_the_rest_is_loose_and_every_group_has_its_verdict(self) -> None:
        table = deal("standard-points", [GOOD, PURE], cut="9S")
        play(table, "arrange 3H 4H 5H | JS JH | KS KH KD KC")
        me = table.view(0)["me"]
        assert me["kinds"] == ["pure", "invalid", "set"] and me["reasons"][0] is None and me["reasons"][1]
        assert [face(card) for card in me["loose"]] == ["7C", "8C", "9C", "JD"] and not me["valid"]

    def test_any_time_from_the_deal_to_the_submission(self) -> None:
        table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
        play(table, "1: arrange AS 2S 3S; draw closed; 1: arrange AS 2S; finish 10H; 1: arrange; 0: arrange 3H 4H")
        play(table, f"0: submit {SHOW}; 1: arrange AS 2S 3S")
        assert refused(table, "0: arrange 3H 4H") == "wrong_phase"
        play(table, "1: submit")
        assert table.points()[1] == 38

    def test_nobody_out_of_the_deal_arranges(self) -> None:
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
    def test_what_cannot_lie_like_that_is_refused(self, groups: str, code: str) -> None:
        assert refused(deal("standard-points", [GOOD, PURE], cut="9S"), f"0: arrange {groups}") == code

    def test_two_alike_may_lie_in_two_groups(self) -> None:
        table = deal("standard-points", ["7H1 7H2 8H", PURE])
        play(table, "arrange 7H 8H | 7H")
        assert table.view(0)["me"]["groups"] == [["7H1", "8H1"], ["7H2"]]

    def test_the_same_arrangement_again_is_no_change(self) -> None:
        table = deal("standard-points", [GOOD, PURE])
        play(table, "arrange 3H 4H")
        version = table.state.version
        play(table, "arrange 3H 4H")
        assert table.state.version == version

    def test_sorting_puts_suits_together_once_a_deal(self) -> None:
        table = deal("standard-points", ["KH 3S AH JR 2C 9D 9H 10D 5S 7C JS QH 3H", PURE], cut="9S")
        play(table, "sort")
        hand = [[face(card) for card in group] for group in table.view(0)["me"]["groups"]]
        assert hand == [["2C", "7C"], ["9D", "10D"], ["AH", "3H", "9H", "QH", "KH"], ["3S", "5S", "JS"], ["JR"]]
        assert refused(table, "sort") == "sort_used"

    def test_sorting_makes_four_groups_where_there_is_no_printed_joker(self) -> None:
        table = deal("standard-points", ["KH 3S AC AH 2C 9D 9H 10D 5S 7C JS QH 3H", PURE], cut="JR")
        play(table, "sort")
        hand = [[face(card) for card in group] for group in table.view(0)["me"]["groups"]]
        assert hand == [["AC", "2C", "7C"], ["9D", "10D"], ["AH", "3H", "9H", "QH", "KH"], ["3S", "5S", "JS"]]

    def test_what_others_arrange_makes_no_move_stale(self) -> None:
        table = deal("standard-points", [GOOD, PURE])
        version = table.state.version
        play(table, "1: arrange AS 2S")
        assert table.state.version == version + 1
        assert not is_stale(table.state, 0, version) and is_stale(table.state, 1, version)
        play(table, "draw closed")
        assert is_stale(table.state, 0, version) and is_stale(table.state, 0, table.state.version + 1)
