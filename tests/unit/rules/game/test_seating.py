"""Joining, staying and leaving at a points table, and the money on it."""

import pytest

from rules.errors import Refused
from rules.game import apply, events as e, free_seats, moves as m, wants_deal
from rules.game.state import Phase
from rules.shuffling import shoe
from tests.unit.rules.game.play import Table, deal, dealt, play, refused, seated, terms


def clock(table: Table) -> tuple[str, int] | None:
    running = table.view(None)["clock"]
    return None if running is None else (running["kind"], running["remaining_ms"])


class TestStart:
    def test_one_player_waits(self) -> None:
        table = seated("standard-points", 1, seats=6)
        assert table.state.phase is Phase.WAITING and clock(table) is None and not wants_deal(table.state)

    def test_the_second_player_starts_the_clock(self) -> None:
        assert clock(seated("standard-points", 2, seats=6)) == ("start", 30_000)
        assert clock(seated("standard-points", 2, seats=2)) == ("start", 10_000)

    def test_a_full_table_waits_five_seconds_at_most(self) -> None:
        table = seated("standard-points", 5, seats=6)
        play(table, "wait 20; 5: sit 800")
        assert clock(table) == ("start", 5_000)
        late = seated("standard-points", 5, seats=6)
        play(late, "wait 28; 5: sit 800")
        assert clock(late) == ("start", 2_000)

    def test_the_commitment_is_known_before_any_player_adds_a_seed(self) -> None:
        table = seated("standard-points", 2)
        view = table.view(0)
        assert view["next_deal"]["commitment"] == view["deal"]["commitment"] and view["deal"]["cut_joker"] is None
        play(table, "0: client_seed " + "ab" * 16)
        assert refused(table, "0: client_seed " + "cd" * 16) == "seed_used"
        assert refused(table, "1: client_seed xyz") == "bad_seed"
        play(table, "timeout")
        assert table.state.current.clients == ("ab" * 16,)

    def test_when_too_few_are_left_the_table_waits_again(self) -> None:
        table = seated("standard-points", 2, seats=6)
        play(table, "1: leave")
        assert table.state.phase is Phase.WAITING and clock(table) is None
        play(table, "1: sit 800")
        assert clock(table) == ("start", 30_000)

    def test_no_deal_begins_unprepared(self) -> None:
        table = seated("standard-points", 1, seats=2)
        state = apply(table.state, m.Sit(seat=1, stack=800), table.now).after
        assert wants_deal(state)
        with pytest.raises(Refused) as unprepared:
            apply(state, m.Expire(), table.now + 10_000)
        assert unprepared.value.code == "no_deal_prepared"


class TestToss:
    def test_the_highest_card_plays_first_and_the_last_deals(self) -> None:
        table = dealt("standard-points", 4)
        toss = table.find(e.TossMade)
        deal = table.view(0)["deal"]
        assert toss.order == tuple((deal["first_seat"] + place) % 4 for place in range(4))
        assert deal["dealer_seat"] == toss.order[-1]
        assert [line["seat"] for line in deal["toss"]] == [0, 1, 2, 3]

    @pytest.mark.parametrize(
        "pack, order",
        [
            (("2C", "KD", "AC"), (2, 0, 1)),  # ace high
            (("9D", "9S", "9H"), (1, 2, 0)),  # spades before hearts
            (("9C", "9D", "4S"), (1, 2, 0)),  # diamonds before clubs
        ],
    )
    def test_ranks_and_ties(
        self, pack: tuple[str, ...], order: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("rules.shuffling.toss", lambda *_: pack)
        assert dealt("standard-points", 3).state.current.order == order

    def test_in_the_club_books_all_play_in_the_order_of_their_cards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("rules.shuffling.toss", lambda *_: ("9C", "KD", "AS", "2D"))
        assert dealt("club-points", 4).state.current.order == (2, 1, 0, 3)

    def test_packs_by_the_number_of_players(self) -> None:
        assert dealt("club-points", 4).state.current.packs == 2
        assert dealt("club-points", 5).state.current.packs == 3
        assert dealt("lives-points", 2).state.current.packs == 3

    def test_the_shoe_is_dealt_as_the_proof_says(self) -> None:
        table = dealt("standard-points", 3)
        state = table.state.current
        cards = shoe(state.deal_id, bytes.fromhex(state.seed), [], 2)
        assert state.hand(state.order[1]).cards == cards[1:39:3]
        assert (state.discards[0].card, state.cut, state.closed) == (cards[39], cards[40], cards[41:])


class TestSitting:
    @pytest.mark.parametrize(
        "script, code",
        [
            ("0: sit 800", "seat_taken"),
            ("7: sit 800", "bad_seat"),
            ("2: sit 799", "below_minimum"),
            ("2: sit 5001", "above_maximum"),
        ],
    )
    def test_who_cannot_sit(self, script: str, code: str) -> None:
        assert refused(seated("standard-points", 2, seats=4, maximum=5_000), script) == code

    def test_the_minimum_is_never_under_the_full_count(self) -> None:
        table = Table(terms("standard-points", 2, minimum=10))
        assert refused(table, "0: sit 799") == "below_minimum"

    def test_a_pool_costs_exactly_its_entry(self) -> None:
        table = Table(terms("standard-pool-101", 3))
        assert refused(table, "0: sit 99") == refused(table, "0: sit 101") == "bad_amount"

    def test_who_sits_during_a_deal_joins_the_next_one(self) -> None:
        table = deal("standard-points", ["2C", "AC"], seats=4, stack=2_000)
        play(table, "3: sit 800")
        assert table.view(3)["seats"][3]["status"] == "waiting" and table.view(3)["me"]["hand"] == []
        assert refused(table, "3: draw closed") == "wrong_phase"
        play(table, "drop; 0: continue; 1: continue; timeout")
        assert sorted(table.state.current.order) == [0, 1, 3]

    def test_and_leaves_again_at_no_cost(self) -> None:
        table = deal("standard-points", ["2C", "AC"], seats=4)
        play(table, "3: sit 900; 3: leave")
        assert table.find(e.SeatLeft).returned == 900 and free_seats(table.state) == (2, 3)


class TestMoneyOfADeal:
    def test_the_winner_gets_what_the_losers_pay_less_the_fee(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"], fee_percent=7, point_value=9)
        play(table, "drop; drop")
        settled = table.find(e.DealSettled)
        assert settled.losses == ((0, 180), (1, 180)) and settled.fee == 25, "7 % of 360 is 25.2"
        assert table.stacks() == [620, 620, 800 + 335]
        amounts = {row["seat"]: row["amount"] for row in table.view(None)["result"]["rows"]}
        assert amounts == {0: -180, 1: -180, 2: 335}

    def test_leaving_costs_eighty_until_one_has_discarded_and_forty_later(self) -> None:
        early = deal("standard-points", ["2C", "AC", "AS"])
        play(early, "1: leave")
        assert (early.find(e.PlayerLeft).points, early.find(e.PlayerLeft).returned) == (80, 0)
        drawn = deal("standard-points", ["2C", "AC", "AS"], cut="2D", stack=2_000)
        play(drawn, "draw closed")
        assert (drawn.view(0)["me"]["leave_points"], drawn.view(0)["me"]["leave_costs"]) == (80, 800)
        play(drawn, "0: leave")
        assert (drawn.find(e.PlayerLeft).points, drawn.find(e.PlayerLeft).returned) == (80, 1_200)
        late = deal("standard-points", ["2C", "AC", "AS"], cut="2D", stack=2_000)
        play(late, "draw closed; discard 2C; 0: leave")
        assert (late.find(e.PlayerLeft).points, late.find(e.PlayerLeft).returned) == (40, 1_600)
        assert late.view(1)["seats"][0]["status"] == "left" and 0 not in free_seats(late.state)

    def test_by_the_classic_book_it_is_always_eighty(self) -> None:
        table = deal("classic-points", ["2C", "AC", "AS"], cut="2D")
        play(table, "draw closed; discard 2C; 0: leave")
        assert table.find(e.PlayerLeft).points == 80

    def test_a_leavers_loss_is_paid_when_the_deal_is_settled(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"], stack=1_000)
        play(table, "1: leave")
        assert table.stacks() == [1_000, 800, 1_000]
        play(table, "drop")
        assert table.find(e.DealSettled).losses == ((0, 200), (1, 800))
        assert table.find(e.SeatLeft) == e.SeatLeft(seat=1, returned=0)
        assert table.stacks() == [800, None, 1_900] and free_seats(table.state) == (1,)

    def test_who_has_dropped_keeps_their_points_when_they_leave(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"])
        play(table, "drop; 0: leave")
        assert (table.find(e.PlayerLeft).points, table.find(e.PlayerLeft).returned) == (20, 600)
        play(table, "drop")
        assert table.points() == {0: 20, 1: 20, 2: 0}
        assert [row["outcome"] for row in table.view(None)["result"]["rows"]] == ["dropped", "dropped", "won"]

    def test_when_all_others_leave_the_last_one_wins(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"])
        play(table, "2: leave; 0: leave")
        assert table.points() == {0: 80, 1: 0, 2: 80}

    def test_a_new_player_in_a_seat_just_freed_has_no_part_in_the_shown_deal(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"])
        play(table, "1: leave; drop; 1: sit 800")
        view = table.view(1)
        assert view["me"]["hand"] == [] and view["seats"][1]["status"] == "waiting"
        assert [row["seat"] for row in view["result"]["rows"]] == [0, 1, 2]
        assert "continue" not in view["me"]["moves"]


class TestResult:
    def over(self, stack: int = 8_000) -> Table:
        table = deal("standard-points", ["2C", "AC", "AS"], stack=stack)
        play(table, "drop; drop")
        return table

    def test_who_does_not_continue_is_seated_out(self) -> None:
        table = self.over()
        assert clock(table) == ("result", 15_000)
        play(table, "0: continue; 2: continue; timeout")
        assert table.stacks()[1] is None and sorted(table.state.current.order) == [0, 2]

    def test_when_all_continue_the_next_deal_comes_soon(self) -> None:
        table = self.over()
        play(table, "0: continue; 1: continue")
        assert clock(table) == ("result", 15_000)
        play(table, "2: continue")
        assert clock(table) == ("result", 3_000) and table.view(0)["result"]["next_in"] == 3_000
        assert refused(table, "2: continue") == "already_continued"
        play(table, "timeout")
        assert table.state.current.number == 2 and table.view(0)["result"] is None

    def test_nobody_waits_for_a_player_who_left(self) -> None:
        table = self.over()
        play(table, "0: continue; 1: continue; 2: leave")
        assert clock(table) == ("result", 3_000)

    def test_a_player_with_too_little_is_seated_out_unless_they_add_chips(self) -> None:
        table = self.over(stack=800)
        play(table, "0: continue; 1: continue; 2: continue; 1: add_chips 200")
        assert clock(table) == ("result", 15_000), "seat 0 may still add chips"
        play(table, "timeout")
        assert table.stacks()[0] is None and sorted(table.state.current.order) == [1, 2]

    def test_with_one_left_the_table_waits(self) -> None:
        table = self.over()
        play(table, "0: continue; timeout")
        assert table.state.phase is Phase.WAITING and table.state.deal is None
        play(table, "1: sit 800")
        assert table.state.phase is Phase.STARTING

    def test_chips_are_added_between_deals_only(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"], maximum=1_000)
        assert refused(table, "0: add_chips 100") == "wrong_phase"
        play(table, "drop; drop; 0: add_chips 400")
        assert refused(table, "0: add_chips 1") == "above_maximum"
        assert refused(table, "1: add_chips 0") == refused(table, "1: add_chips -5") == "bad_amount"

    def test_the_result_shows_all_hands(self) -> None:
        table = self.over()
        for row in table.view(None)["result"]["rows"]:
            assert len([card for group in (*row["groups"], row["loose"]) for card in group]) == 13

    def test_points_and_blind_toss_for_each_deal(self) -> None:
        table = self.over()
        play(table, "0: continue; 1: continue; 2: continue; timeout")
        assert "toss_made" in table.names()


class TestCancel:
    def test_stacks_are_as_before_the_running_deal(self) -> None:
        table = deal("standard-points", ["2C", "AC", "AS"], stack=1_000)
        play(table, "1: leave")
        table.do(m.Cancel(reason="a fault of ours"))
        assert table.find(e.PlayerLeft).returned == 200
        returned = {event.seat: event.returned for event in table.log[-1] if isinstance(event, e.SeatLeft)}
        assert returned == {0: 1_000, 1: 800, 2: 1_000}
        assert table.state.phase is Phase.OVER and table.stacks() == [None, None, None]

    def test_nothing_happens_at_a_table_that_is_over(self) -> None:
        table = deal("standard-points", ["2C", "AC"])
        table.do(m.Cancel(reason="a fault of ours"))
        assert refused(table, "0: leave") == "not_seated" and refused(table, "0: sit 800") == "wrong_phase"
        with pytest.raises(Refused):
            table.do(m.Cancel(reason="again"))
        with pytest.raises(Refused):
            table.do(m.Expire())
