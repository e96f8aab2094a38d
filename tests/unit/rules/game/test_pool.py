"""Pool: elimination at the limit, rejoin, split, prizes. Totals are set by hand, deals end by drops."""

import pytest

from rules.game import events as e, moves as m
from rules.game.events.base import with_seat
from rules.game.state import Phase
from tests.unit.rules.game.play import Table, dealt, play, refused, seated
from tests.unit.rules.game.pools import all_drop_but, continue_all, out, pool, pool_after_leaving


class TestStart:
    def test_the_entries_make_the_pot(self) -> None:
        assert seated("standard-pool-101", 2, seats=3).view(None)["table"]["prize"] == 180
        table = dealt("standard-pool-101", 3)
        started = table.find(e.MatchStarted)
        assert (started.entry, started.pot) == (100, 300) and table.stacks() == [0, 0, 0]
        assert table.view(0)["table"]["prize"] == 270

    def test_nobody_sits_down_once_it_has_begun(self) -> None:
        table = dealt("standard-pool-101", 2, seats=4)
        assert refused(table, "3: sit 100") == "wrong_phase"

    def test_leaving_before_it_begins_returns_the_entry(self) -> None:
        table = seated("standard-pool-101", 3, seats=4)
        play(table, "1: leave")
        assert table.find(e.SeatLeft).returned == 100


class TestDeals:
    def test_points_add_up_and_everybody_goes_on(self) -> None:
        table = pool([0, 0, 0])
        all_drop_but(table, 1)
        assert table.totals() == [25, 0, 25] and table.state.phase is Phase.RESULT
        assert [row["total"] for row in table.view(0)["result"]["rows"]] == [25, 0, 25]
        assert {row["amount"] for row in table.view(0)["result"]["rows"]} == {0}
        play(table, "timeout")
        assert len(table.state.current.order) == 3, "nobody is seated out for not continuing"

    def test_all_who_continue_hurry_the_next_deal(self) -> None:
        table = pool([0, 0, 0])
        all_drop_but(table, 1)
        continue_all(table)
        assert table.view(0)["clock"]["remaining_ms"] == 3_000

    def test_one_toss_then_the_first_turn_moves_one_seat_on(self) -> None:
        table = pool([0, 0, 0, 0])
        first = [table.state.current.order[0]]
        for _ in range(4):
            all_drop_but(table, first[-1])
            play(table, "timeout")
            first.append(table.state.current.order[0])
        assert first == [(first[0] + step) % 4 for step in range(5)]
        assert sum(event.name == "toss_made" for events in table.log for event in events) == 1

    def test_it_passes_over_who_is_out(self) -> None:
        table = pool([0, 0, 0, 0])
        first = table.state.current.order[0]
        second, third, last = ((first + step) % 4 for step in (1, 2, 3))
        table.state = with_seat(table.state, second, total=190)
        all_drop_but(table, first)
        assert out(table) == [second]
        play(table, f"{second}: rejoin no; timeout")
        assert table.state.current.order == (third, last, first)


class TestElimination:
    @pytest.mark.parametrize(
        "book, drop, stays, goes", [("standard-pool-201", 25, 175, 176), ("standard-pool-101", 20, 80, 81)]
    )
    def test_out_is_who_reaches_the_limit(self, book: str, drop: int, stays: int, goes: int) -> None:
        table = pool([stays, goes, 0, 0], book=book)
        all_drop_but(table, 3)
        assert table.totals()[:2] == [stays + drop, goes + drop] and out(table) == [1]

    def test_the_last_one_wins_the_prize_pool(self) -> None:
        table = pool([190, 190, 30])
        all_drop_but(table, 2)
        awarded = table.find(e.PrizeAwarded)
        assert awarded.shares == ((2, 270),) and awarded.fee == 30
        assert table.state.phase is Phase.OVER and table.view(0)["result"]["winner"] == 2
        assert table.find(e.MatchEnded).winners == (2,) and table.view(0)["table"]["prize"] == 270

    def test_the_final_accounts_stay_on_view(self) -> None:
        table = pool([190, 190, 30])
        assert table.view(0)["accounts"] is None
        all_drop_but(table, 2)
        amounts = [(0, 100, 0), (1, 100, 0), (2, 100, 270)]
        accounts = [{"seat": seat, "paid": paid, "amount": amount, "why": None} for seat, paid, amount in amounts]
        assert [table.view(seat)["accounts"] for seat in (0, None)] == [accounts, accounts]

    def test_the_fee_rounds_down(self) -> None:
        table = pool([190, 30], entry=33, fee_percent=11)
        all_drop_but(table, 1)
        assert (table.find(e.PrizeAwarded).shares, table.find(e.PrizeAwarded).fee) == (((1, 59),), 7)


class TestRejoin:
    def offered(self, survivors: tuple[int, int] = (100, 30)) -> Table:
        table = pool([190, *survivors])
        all_drop_but(table, 2)
        return table

    def test_who_was_just_eliminated_may_come_back_with_one_more_than_the_highest(self) -> None:
        table = self.offered()
        assert table.state.phase is Phase.REJOIN and table.view(0)["prompt"] == {
            "kind": "rejoin",
            "seats": [0],
            "price": 100,
            "score": 126,
        }
        assert table.view(0)["clock"]["remaining_ms"] == 20_000
        play(table, "0: rejoin yes")
        assert table.totals() == [126, 125, 30] and table.state.phase is Phase.RESULT
        assert table.find(e.PlayerRejoined) == e.PlayerRejoined(seat=0, amount=100, total=126)
        assert table.view(0)["table"]["prize"] == 360 and table.view(0)["seats"][0]["rejoins"] == 1

    def test_no_and_silence_are_no(self) -> None:
        for answer in ("0: rejoin no", "timeout"):
            table = self.offered()
            play(table, answer)
            assert table.state.phase is Phase.RESULT and out(table) == [0]
            assert refused(table, "0: rejoin yes") == "wrong_phase"

    def test_only_who_is_asked_may_answer(self) -> None:
        assert refused(self.offered(), "1: rejoin yes") == "wrong_phase"

    @pytest.mark.parametrize("highest, phase", [(149, Phase.REJOIN), (150, Phase.RESULT)])
    def test_not_when_a_survivor_is_above_174(self, highest: int, phase: Phase) -> None:
        assert self.offered((highest, 30)).state.phase is phase

    def test_not_in_a_match_of_two(self) -> None:
        table = pool([190, 0])
        all_drop_but(table, 1)
        assert table.state.phase is Phase.OVER

    def test_two_at_once_come_back_with_the_same_score(self) -> None:
        table = pool([190, 195, 100, 30])
        all_drop_but(table, 3)
        play(table, "1: rejoin yes")
        assert table.state.phase is Phase.REJOIN
        play(table, "0: rejoin yes")
        assert table.totals() == [126, 126, 125, 30] and table.find(e.RejoinClosed).seats == (0, 1, 2, 3)

    def test_the_score_is_reckoned_anew_when_a_survivor_leaves(self) -> None:
        table = pool([190, 100, 60, 30])
        all_drop_but(table, 3)
        assert table.totals() == [215, 125, 85, 30] and table.view(0)["prompt"]["score"] == 126
        play(table, "wait 5; 1: leave")
        assert table.names() == ["player_left", "rejoin_opened"] and table.state.phase is Phase.REJOIN
        assert (table.view(0)["prompt"]["score"], table.view(0)["clock"]["remaining_ms"]) == (86, 15_000)
        play(table, "0: rejoin yes")
        assert table.totals()[0] == 86 == table.find(e.PlayerRejoined).total

    def test_one_who_leaves_and_was_not_the_highest_changes_nothing(self) -> None:
        table = pool([190, 100, 60, 30])
        all_drop_but(table, 3)
        play(table, "2: leave")
        assert table.names() == ["player_left"] and table.view(0)["prompt"]["score"] == 126

    def test_who_is_back_is_still_in_but_their_score_does_not_count(self) -> None:
        """Both were eliminated together; the highest survivor leaves after the first of them is back."""
        table = pool([190, 195, 100, 30])
        all_drop_but(table, 3)
        play(table, "1: rejoin yes; 2: leave")
        assert table.state.phase is Phase.REJOIN and table.view(0)["prompt"]["score"] == 31
        play(table, "0: rejoin yes")
        assert table.totals() == [31, 126, 125, 30] and table.state.phase is Phase.RESULT

    def test_when_the_survivors_have_gone_those_who_are_back_count(self) -> None:
        table = pool([190, 195, 196, 100, 30])
        all_drop_but(table, 4)
        play(table, "0: rejoin yes; 1: rejoin yes; 3: leave; 4: leave")
        assert table.view(2)["prompt"]["score"] == 127
        play(table, "2: rejoin yes")
        assert table.totals()[:3] == [126, 126, 127]

    def test_it_may_happen_again(self) -> None:
        table = self.offered()
        play(table, "0: rejoin yes; timeout")
        table.state = with_seat(table.state, 0, total=190)
        all_drop_but(table, 2)
        assert table.state.phase is Phase.REJOIN
        play(table, "0: rejoin yes")
        assert table.view(0)["table"]["prize"] == 450

    def test_the_last_survivor_wins_though_another_is_still_asked(self) -> None:
        table = self.offered()
        play(table, "1: leave")
        assert table.find(e.PrizeAwarded).shares == ((2, 270),) and table.state.phase is Phase.OVER

    def test_leaving_instead_of_answering_is_elimination(self) -> None:
        table = self.offered()
        play(table, "0: leave")
        assert table.state.phase is Phase.RESULT and table.view(1)["seats"][0]["status"] == "left"


class TestLeaving:
    def test_in_a_running_deal_it_costs_eighty_and_the_match(self) -> None:
        table = pool([0, 0, 0])
        play(table, "1: leave")
        assert (table.find(e.PlayerLeft).points, table.find(e.PlayerLeft).returned) == (80, 0)
        all_drop_but(table, 0)
        assert table.totals() == [0, 80, 25]
        play(table, "timeout")
        assert sorted(table.state.current.order) == [0, 2] and refused(table, "1: leave") == "not_seated"

    def test_between_two_deals_it_costs_the_match(self) -> None:
        table = pool([0, 0, 0])
        all_drop_but(table, 0)
        play(table, "1: leave; timeout")
        assert sorted(table.state.current.order) == [0, 2]

    def test_if_all_but_one_leave_that_one_wins(self) -> None:
        running = pool([0, 0, 0])
        play(running, "1: leave; 2: leave")
        assert running.find(e.PrizeAwarded).shares == ((0, 270),)
        between = pool([0, 0, 0])
        all_drop_but(between, 0)
        play(between, "0: leave; 1: leave")
        assert between.find(e.PrizeAwarded).shares == ((2, 270),)

    def test_so_they_do_while_a_split_is_offered_which_ends_first(self) -> None:
        table = pool_after_leaving(100, 75)
        all_drop_but(table, 0)
        play(table, "1: offer_split; 0: leave")
        assert table.names() == ["player_left", "split_ended", "prize_awarded", "match_ended"]

    def test_and_while_others_may_rejoin_whose_chance_is_over(self) -> None:
        table = pool([190, 0, 0])
        all_drop_but(table, 2)
        assert table.state.phase is Phase.REJOIN
        play(table, "1: leave")
        assert table.names() == [
            "player_left", "rejoin_declined", "rejoin_closed", "prize_awarded", "match_ended",
        ]  # fmt: skip

    def test_one_who_is_out_may_go_without_any_effect(self) -> None:
        table = pool([190, 160, 0, 0])
        all_drop_but(table, 3)
        play(table, "0: leave")
        assert table.view(1)["seats"][0]["status"] == "left" and table.state.match is not None
        play(table, "timeout")
        assert len(table.state.current.order) == 3

    def test_a_cancelled_match_refunds_every_entry_and_rejoin(self) -> None:
        table = pool([190, 100, 30])
        all_drop_but(table, 2)
        play(table, "0: rejoin yes; timeout; 1: leave")
        table.do(m.Cancel(reason="a fault of ours"))
        assert table.find(e.MatchCancelled).refunds == ((0, 200), (1, 100), (2, 100))
        assert table.state.phase is Phase.OVER
