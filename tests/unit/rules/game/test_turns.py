"""Turns: where the cards lie after each move, and what the platform does for players who do not act."""

import pytest

from rules.cards import face, is_joker
from rules.errors import Refused
from rules.game import events as e, moves as m
from rules.game.events import By
from rules.game.events.base import with_deal
from rules.game.state import Phase, Standing
from tests.unit.rules.game.play import Table, deal, dealt, pass_turn, play, refused

RAGS = "2C 4C 6C 8C 10C QC AD 3D 5D 7D 9D JD KD"
THREE = [RAGS, "AC", "AS"]


def standing(table: Table, seat: int) -> Standing:
    return table.state.current.hand(seat).standing


def test_a_drawn_card_is_loose_in_the_hand_and_a_discarded_one_on_the_pile() -> None:
    table = deal("standard-points", [RAGS, "AC"], upcard="9C", cut="2D", closed="KH 8S")
    play(table, "draw closed")
    me = table.view(0)["me"]
    assert face(me["drawn"]) == "KH" and me["loose"][-1] == me["drawn"] and len(me["hand"]) == 14
    play(table, "discard KD")
    assert face(table.view(1)["deal"]["open_top"]) == "KD"
    assert table.turn == 1 and len(table.view(0)["me"]["hand"]) == 13


def test_the_open_card_is_drawn_before_everybodys_eyes() -> None:
    table = deal("standard-points", THREE, upcard="9C", cut="2D")
    play(table, "draw open")
    entry = table.view(2)["deal"]["discards"][0]
    assert (face(entry["card"]), entry["picked_by"]) == ("9C", 0)
    assert table.view(2)["deal"]["open_top"] is None


def test_the_card_just_picked_up_may_be_discarded_again() -> None:
    table = deal("standard-points", THREE, upcard="9C", cut="2D")
    play(table, "draw open; discard 9C")
    assert face(table.view(1)["deal"]["open_top"]) == "9C" and table.turn == 1


@pytest.mark.parametrize("joker", ["JR", "2H"])
def test_a_joker_stays_on_the_open_pile(joker: str) -> None:
    table = deal("standard-points", THREE, cut="2D", closed=joker)
    play(table, f"draw closed; discard {joker}")
    assert not table.view(1)["me"]["pickable_open"]
    assert refused(table, "draw open") == "joker_not_allowed"


@pytest.mark.parametrize("joker", ["JR", "2H"])
def test_a_joker_as_first_upcard_is_for_the_first_player_alone(joker: str) -> None:
    first = deal("standard-points", THREE, upcard=joker, cut="2D")
    assert first.view(0)["me"]["pickable_open"]
    play(first, "draw open")
    assert face(first.state.current.hand(0).cards[-1]) == joker
    second = deal("standard-points", THREE, upcard=joker, cut="2D")
    play(second, "drop")
    assert refused(second, "draw open") == "joker_not_allowed"


def test_a_discard_leaves_its_group_and_an_emptied_group_is_gone() -> None:
    table = deal("standard-points", THREE, cut="2D", closed="KH")
    play(table, "arrange 2C 4C | 6C; draw closed; discard 6C")
    assert table.view(0)["me"]["groups"] == [["2C1", "4C1"]]


def test_of_two_alike_a_bare_face_means_the_first() -> None:
    table = deal("standard-points", ["7H1 7H2", "AC"], cut="2D")
    play(table, "draw closed; discard 7H")
    assert "7H2" in table.state.current.hand(0).cards and "7H1" not in table.state.current.hand(0).cards


def test_turns_pass_around_those_still_in_the_deal() -> None:
    table = deal("standard-points", ["2C", "AC", "AS", "3D"], cut="2D")
    play(table, "draw closed; discard 2C; drop; draw closed; discard AS; draw closed; discard 3D")
    assert table.turn == 0
    play(table, "draw closed; discard KS")
    assert table.turn == 2, "seat 1 has dropped"


class TestDrops:
    def test_before_the_first_draw_the_price_is_that_of_the_first_round(self) -> None:
        table = deal("standard-points", THREE)
        play(table, "drop")
        assert (standing(table, 0), table.state.current.hand(0).points) == (Standing.DROPPED, 20)

    def test_afterwards_it_is_that_of_a_middle_drop(self) -> None:
        table = deal("standard-points", THREE, cut="2D")
        play(table, "draw closed; discard 2C; draw closed; discard AC; draw closed; discard AS; drop")
        assert table.state.current.hand(0).points == 40

    def test_a_turn_that_passed_without_a_draw_of_ones_own_counts_too(self) -> None:
        table = deal("classic-points", THREE, cut="2D")
        play(table, "timeout; timeout; draw closed; discard AC; draw closed; discard AS")
        assert table.view(0)["me"]["drop_points"] == 40

    def test_only_before_drawing(self) -> None:
        assert refused(deal("standard-points", THREE), "draw closed; drop") == "already_drawn"

    def test_never_in_the_deals_book(self) -> None:
        table = deal("standard-deals-3", [RAGS, "AC"])
        assert refused(table, "drop") == "drops_not_allowed"
        assert refused(table, "auto_drop on") == "drops_not_allowed"
        assert "drop" not in table.view(0)["me"]["moves"]

    def test_the_switch_drops_at_the_next_turn(self) -> None:
        table = deal("standard-points", THREE, cut="2D")
        play(table, "1: auto_drop on; draw closed; discard 2C")
        assert (standing(table, 1), table.turn) == (Standing.DROPPED, 2)
        assert table.find(e.PlayerDropped).by is By.PLAYER

    def test_the_switch_can_be_turned_back(self) -> None:
        table = deal("standard-points", THREE, cut="2D")
        play(table, "1: auto_drop on; 1: auto_drop off; draw closed; discard 2C")
        assert table.turn == 1

    def test_the_last_one_left_wins_without_declaring(self) -> None:
        table = deal("standard-points", THREE)
        play(table, "drop; drop")
        assert table.state.phase is Phase.RESULT
        assert table.points() == {0: 20, 1: 20, 2: 0}
        assert table.stacks() == [600, 600, 800 + 400 - 40]


class TestTimeIsOver:
    def test_extra_time_comes_with_every_turn(self) -> None:
        table = deal("standard-points", THREE, cut="2D")
        for _ in range(2):
            play(table, "wait 29.9; wait 0.1; timeout")
            clock = table.view(None)["clock"]
            assert (clock["kind"], clock["seat"], clock["remaining_ms"]) == ("extra", table.turn, 30_000)
            play(table, "draw closed; discard KS" if table.turn == 1 else "draw closed; discard 2C")

    def test_late_extra_time_is_counted_from_the_deadline(self) -> None:
        table = deal("standard-points", THREE)
        play(table, "wait 34; timeout")
        assert table.view(None)["clock"]["remaining_ms"] == 26_000

    def test_connected_without_a_draw_is_a_drop_marked_as_the_platforms(self) -> None:
        table = deal("standard-points", THREE)
        play(table, "timeout; timeout")
        dropped = table.find(e.PlayerDropped)
        assert (dropped.seat, dropped.points, dropped.by) == (0, 20, By.PLATFORM)

    def test_offline_in_the_first_round_is_a_drop_too(self) -> None:
        table = deal("standard-points", THREE)
        play(table, "timeout 0; timeout 0")
        assert standing(table, 0) is Standing.DROPPED

    def test_offline_later_a_card_is_drawn_and_discarded_for_them(self) -> None:
        table = deal("standard-points", THREE, cut="2D", closed="KH 3C 4D 8S")
        play(table, "draw closed; discard KH; draw closed; discard 3C; draw closed; discard 4D; timeout 0; timeout 0")
        assert standing(table, 0) is Standing.IN and table.turn == 1
        assert face(table.view(1)["deal"]["open_top"]) == "8S"
        assert [event.by for event in table.log[-1] if isinstance(event, e.CardDrawn | e.CardDiscarded)] == [
            By.PLATFORM,
            By.PLATFORM,
        ]
        assert table.view(1)["seats"][0]["auto"] == 1

    def test_drawn_but_not_discarded_the_drawn_card_goes_and_it_is_no_miss(self) -> None:
        table = deal("classic-points", THREE, cut="2D", closed="KH")
        play(table, "draw closed; timeout; timeout")
        assert face(table.view(1)["deal"]["open_top"]) == "KH" and table.turn == 1
        assert table.view(1)["seats"][0]["misses"] == 0

    def test_in_the_deals_book_connected_absence_costs_the_full_count(self) -> None:
        table = deal("standard-deals-3", [RAGS, "AC"])
        play(table, "timeout; timeout")
        assert table.totals() == [80, 0]

    def test_and_offline_absence_is_played_even_in_the_first_round(self) -> None:
        table = deal("standard-deals-3", [RAGS, "AC"])
        play(table, "timeout 0; timeout 0")
        assert table.state.phase is Phase.PLAYING and table.turn == 1

    @pytest.mark.parametrize("book, points", [("standard-points", 40), ("standard-pool-201", 50)])
    def test_the_tenth_auto_play_in_a_row_drops(self, book: str, points: int) -> None:
        table = deal(book, THREE, cut="2D")
        play(table, "draw closed; discard 2C; draw closed; discard AC; draw closed; discard AS")
        for played in range(1, 11):
            play(table, "timeout 0; timeout 0")
            if played < 10:
                assert table.view(1)["seats"][0]["auto"] == played
                pass_turn(table, 2)
        assert (standing(table, 0), table.state.current.hand(0).points) == (Standing.DROPPED, points)

    @pytest.mark.parametrize("book", ["classic-points", "lives-points", "flat20-points"])
    @pytest.mark.parametrize("offline", ["", " 0"])
    def test_the_third_miss_in_a_row_drops_for_forty(self, book: str, offline: str) -> None:
        table = deal(book, THREE, cut="2D")
        for misses in (1, 2):
            play(table, f"timeout{offline}; timeout{offline}")
            assert table.view(1)["seats"][0]["misses"] == misses
            pass_turn(table, 2)
        play(table, f"timeout{offline}; timeout{offline}")
        assert (standing(table, 0), table.state.current.hand(0).points) == (Standing.DROPPED, 40)

    def test_a_draw_of_ones_own_ends_the_row_of_misses(self) -> None:
        table = deal("classic-points", THREE, cut="2D", closed="KH")
        play(table, "timeout; timeout")
        pass_turn(table, 2)
        play(table, "draw closed; discard 2C")
        assert table.view(1)["seats"][0]["misses"] == 0

    def test_a_move_after_the_deadline_is_too_late(self) -> None:
        table = deal("standard-points", THREE)
        assert refused(table, "wait 30; draw closed") == "too_late"

    def test_an_expiry_before_the_deadline_changes_nothing(self) -> None:
        table = deal("standard-points", THREE)
        table.now += 29_999
        with pytest.raises(Refused) as early:
            table.do(m.Expire())
        assert early.value.code == "too_early"

    def test_after_an_outage_whoever_must_act_has_time(self) -> None:
        table = deal("standard-points", THREE)
        play(table, "wait 300")
        table.do(m.Grant(ms=10_000))
        assert table.names() == ["clock_credited"]
        assert table.view(None)["clock"]["remaining_ms"] == 10_000
        play(table, "draw closed")


class TestReshuffle:
    def empty_closed_deck(self, book: str) -> Table:
        """Return a table at which everything but one card has been discarded."""
        table = dealt(book, 3)
        while len(table.state.current.closed) > 1:
            pass_turn(table)
        return table

    def test_the_discards_but_the_top_one_become_the_closed_deck(self) -> None:
        table = self.empty_closed_deck("standard-points")
        under = {entry.card for entry in table.state.current.open_pile}
        play(table, "draw closed")
        last = table.state.current.hand(table.turn).cards[-1]
        play(table, f"discard {last}")
        deal = table.state.current
        assert table.names() == ["card_discarded", "closed_deck_reshuffled", "turn_began"]
        assert set(deal.closed) == under and [entry.card for entry in deal.open_pile] == [last]

    def test_the_drawer_keeps_showing_who_discarded_what(self) -> None:
        """Through two reshuffles, including what was picked up; the closed deck contains the same cards again."""
        table = self.empty_closed_deck("standard-points")
        play(table, f"draw open; discard {table.state.current.hand(table.turn).cards[0]}")
        pass_turn(table)
        shown = table.view(None)["deal"]
        before = shown["discards"]
        assert table.names()[1] == "closed_deck_reshuffled"
        assert len(before) > 60 and shown["reshuffled_count"] == len(before) - 1
        assert any("picked_by" in entry for entry in before) and before[0]["seat"] is None
        while table.state.current.reshuffles < 2:
            pass_turn(table)
        shown = table.view(None)["deal"]
        after = shown["discards"]
        assert after[: len(before)] == before
        assert len({entry["card"] for entry in after}) < len(after), "a card may have been discarded twice"
        assert shown["reshuffled_count"] == len(after) - 1
        assert table.view(None)["deal"]["open_top"] == after[-1]["card"]

    def test_of_those_that_went_back_the_last_two_hundred_are_shown(self) -> None:
        """So an endless deal has states and frames of a bounded size, and the open pile is found in them as before."""
        table = self.empty_closed_deck("standard-points")
        before: list[dict[str, object]] = []
        while table.state.current.reshuffles < 4:
            before = table.view(None)["deal"]["discards"]
            pass_turn(table)
        shown = table.view(None)["deal"]
        assert len(before) > 200 and shown["reshuffled_count"] == 200
        assert shown["discards"][:200] == before[-200:]
        assert [entry["card"] for entry in shown["discards"][200:]] == [shown["open_top"]]

    def test_what_was_picked_up_takes_the_place_of_none_that_went_back(self) -> None:
        table = self.empty_closed_deck("standard-points")
        while table.state.current.reshuffles < 5:
            deal = table.state.current
            if deal.turns % 3 == 0 and table.view(table.turn)["me"]["pickable_open"]:
                play(table, f"draw open; discard {deal.hand(table.turn).cards[0]}")
            else:
                pass_turn(table)
        shown = table.view(None)["deal"]
        gone = shown["discards"][: shown["reshuffled_count"]]
        assert len(gone) > 220 and len([entry for entry in gone if "picked_by" not in entry]) == 200

    def test_a_deal_in_which_only_the_open_pile_is_drawn_from_grows_no_further(self) -> None:
        table = dealt("standard-points", 3)
        pass_turn(table, 9)
        for _ in range(1_000):
            hand = table.state.current.hand(table.turn).cards
            plain = next(card for card in hand if not is_joker(card, table.state.current.wild))
            play(table, f"draw open; discard {plain}")
        deal = table.state.current
        assert len(deal.open_pile) == 9 + 1 and len(deal.discards) < 600
        assert [entry.card for entry in deal.discards if entry.lies] == [entry.card for entry in deal.open_pile]

    def test_in_blind_all_discards_do(self) -> None:
        table = self.empty_closed_deck("standard-blind")
        count = len(table.state.current.open_pile)
        pass_turn(table)
        assert len(table.state.current.closed) == count + 1 and table.state.current.open_pile == ()
        shown = table.view(None)["deal"]
        assert len(shown["discards"]) == shown["reshuffled_count"] == count + 1
        assert all(entry["card"] is None for entry in shown["discards"])

    def test_the_order_comes_from_the_committed_seed_and_is_another_each_time(self) -> None:
        table = self.empty_closed_deck("standard-points")
        orders = []
        for _ in range(2):
            while table.names()[1:2] != ["closed_deck_reshuffled"]:
                pass_turn(table)
            orders.append(table.find(e.ClosedDeckReshuffled))
            pass_turn(table)
        assert [order.number for order in orders] == [1, 2]
        assert orders[0].cards != tuple(sorted(orders[0].cards)) and orders[0].cards != orders[1].cards

    def test_without_a_card_left_to_draw_the_deal_is_void_and_another_follows(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No real shoe can lead to this, so cards are removed and the check on them is switched off."""
        table = dealt("standard-points", 3)
        table.state = with_deal(table.state, closed=table.state.current.closed[:1], discards=())
        monkeypatch.setattr("rules.game.engine.check_invariants", lambda state: None)
        pass_turn(table)
        assert table.names(2) == ["card_discarded", "deal_voided", "starting_began", "deal_prepared"]
        assert table.stacks() == [800, 800, 800] and table.state.result is None
        play(table, "timeout")
        assert table.state.phase is Phase.PLAYING and table.state.current.number == 2
