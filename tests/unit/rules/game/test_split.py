"""Splits of a pool: who may offer and agree, the automatic one, and the shares."""

import pytest

from rules.game import events as e
from rules.game.state import Phase
from tests.unit.rules.game.play import play, refused
from tests.unit.rules.game.pools import all_drop_but, out, pool, pool_after_leaving


class TestSplit:
    """Entry 200, no fee: a match of four with two or three players left."""

    def test_each_drop_more_is_worth_an_entry(self) -> None:
        table = pool_after_leaving(0, 25)
        all_drop_but(table, 0)
        assert table.totals()[:2] == [0, 50] and "offer_split" in table.view(0)["me"]["moves"]
        play(table, "1: offer_split")
        lines = table.view(0)["prompt"]["lines"]
        assert [(line["drops"], line["excess"], line["share"]) for line in lines] == [(8, 2, 600), (6, 0, 200)]
        assert [line["excess_amount"] for line in lines] == [400, 0]

    def test_there_is_none_when_less_than_an_entry_would_be_left_to_share(self) -> None:
        table = pool_after_leaving(0, 75)
        all_drop_but(table, 0)
        assert refused(table, "1: offer_split") == "split_not_possible"

    def test_all_must_accept(self) -> None:
        table = pool_after_leaving(100, 75)
        all_drop_but(table, 0)
        play(table, "1: offer_split")
        assert table.view(0)["prompt"]["answers"] == {"1": True} and table.view(0)["clock"]["remaining_ms"] == 20_000
        assert refused(table, "1: answer_split yes") == "already_answered"
        play(table, "0: answer_split yes")
        assert table.find(e.PrizeAwarded).shares == ((0, 400), (1, 400)) and table.state.phase is Phase.OVER

    @pytest.mark.parametrize("answer", ["0: answer_split no", "timeout"])
    def test_one_refusal_or_silence_ends_the_offer(self, answer: str) -> None:
        table = pool_after_leaving(100, 75)
        all_drop_but(table, 0)
        play(table, "1: offer_split")
        play(table, answer)
        assert table.state.phase is Phase.RESULT and table.view(0)["clock"]["remaining_ms"] == 3_000
        assert refused(table, "0: offer_split") == "split_not_possible", "one offer between two deals"
        play(table, "timeout")
        all_drop_but(table, 0)
        assert "offer_split" in table.view(1)["me"]["moves"]

    def test_with_too_many_left_there_is_none(self) -> None:
        table = pool([0, 0, 0, 0])
        all_drop_but(table, 0)
        assert refused(table, "0: offer_split") == "split_not_possible"

    def test_leaving_ends_the_offer(self) -> None:
        table = pool_after_leaving(100, 75, 50, players=4)
        all_drop_but(table, 0)
        play(table, "1: offer_split; 2: leave")
        assert table.state.phase is Phase.RESULT and table.state.split is None

    def test_with_no_drops_left_anywhere_the_pot_is_split_at_once(self) -> None:
        table = pool_after_leaving(180, 176, 151)
        all_drop_but(table, 0)
        assert out(table) == [1]
        assert table.find(e.PrizeAwarded).shares == ((0, 400), (2, 400)) and table.state.phase is Phase.OVER

    def test_so_it_is_when_the_one_who_had_drops_left_leaves(self) -> None:
        table = pool_after_leaving(180, 151, 100)
        all_drop_but(table, 0)
        assert [table.view(0)["seats"][seat]["drops_left"] for seat in range(3)] == [0, 0, 3]
        play(table, "2: leave")
        assert table.names() == ["player_left", "prize_awarded", "match_ended"]
        assert table.find(e.PrizeAwarded).shares == ((0, 400), (1, 400)) and table.state.phase is Phase.OVER

    def test_and_when_a_fourth_leaves_three_without_drops(self) -> None:
        table = pool([180, 151, 151, 151], fee_percent=0, entry=200)
        all_drop_but(table, 0)
        assert table.totals() == [180, 176, 176, 176] and table.state.phase is Phase.RESULT
        play(table, "1: leave")
        assert table.find(e.PrizeAwarded).shares == ((0, 267), (2, 267), (3, 266))

    def test_and_of_a_match_of_three(self) -> None:
        table = pool([180, 151, 0], fee_percent=0)
        all_drop_but(table, 0)
        play(table, "2: leave")
        assert table.find(e.PrizeAwarded).shares == ((0, 150), (1, 150))

    def test_and_in_the_place_of_an_offer(self) -> None:
        table = pool_after_leaving(180, 151, 100)
        all_drop_but(table, 0)
        play(table, "0: offer_split; 2: leave")
        assert table.names() == ["player_left", "split_ended", "prize_awarded", "match_ended"]
        assert table.find(e.PrizeAwarded).shares == ((0, 400), (1, 400))

    def test_a_running_deal_is_played_to_its_end_first(self) -> None:
        """A split comes after a deal: a player with a hand may still win everything (RULES.md, Pool)."""
        table = pool([180, 180, 180, 180], fee_percent=0)
        play(table, "3: leave")
        assert table.state.phase is Phase.PLAYING
        all_drop_but(table, 0)
        assert table.find(e.PrizeAwarded).shares == ((0, 400),)

    def test_but_only_after_the_rejoin_window(self) -> None:
        table = pool_after_leaving(0, 180, 0)
        all_drop_but(table, 0)
        assert table.state.phase is Phase.REJOIN and refused(table, "0: offer_split") == "wrong_phase"
        play(table, "1: rejoin no")
        assert "offer_split" in table.view(0)["me"]["moves"]
