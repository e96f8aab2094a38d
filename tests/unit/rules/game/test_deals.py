"""Deals: the best of three, or of as many as the table was opened with; and matches for chips."""

import pytest

from rules.books import book, with_deals
from rules.game import events as e
from rules.game.events.base import with_seat
from rules.game.invariants import Broken, check_invariants
from rules.game.state import Phase, Place
from tests.support.shows import GOOD, SHOW
from tests.unit.rules.game.play import Table, dealt, pass_turn, play, rig


def loses(table: Table, loser: int, totals: tuple[int, int] | None = None) -> None:
    """Let the connected `loser` run out of time, for 80 points; set `totals` before the deal is scored."""
    if totals is not None:
        for seat, total in enumerate(totals):
            table.state = with_seat(table.state, seat, total=total)
    if table.turn != loser:
        pass_turn(table)
    play(table, "timeout; timeout")


def next_deal(table: Table) -> None:
    play(table, "timeout")
    assert table.state.phase is Phase.PLAYING


def test_after_two_deals_a_lead_of_eighty_is_not_enough() -> None:
    table = dealt("standard-deals-3", 2)
    loses(table, 0)
    next_deal(table)
    loses(table, 1, totals=(160, 0))
    assert table.totals() == [160, 80] and table.state.phase is Phase.RESULT


def test_but_more_than_eighty_ends_the_match() -> None:
    table = dealt("standard-deals-3", 2)
    loses(table, 0)
    next_deal(table)
    loses(table, 1, totals=(0, 1))
    assert table.totals() == [0, 81] and table.state.phase is Phase.OVER
    assert table.find(e.PrizeAwarded).shares == ((0, 180),) and table.find(e.PrizeAwarded).fee == 20


def test_the_lowest_total_after_three_deals_wins() -> None:
    table = dealt("standard-deals-3", 2)
    for loser in (0, 1):
        loses(table, loser)
        next_deal(table)
    loses(table, 0, totals=(80, 159))
    assert table.find(e.PrizeAwarded).shares == ((1, 180),) and table.state.phase is Phase.OVER


def test_a_tie_is_played_on_until_it_is_broken() -> None:
    table = dealt("standard-deals-3", 2)
    for loser, totals in ((0, None), (1, None), (0, (0, 80)), (1, (80, 0))):
        loses(table, loser, totals)
        assert table.state.phase is Phase.RESULT
        next_deal(table)
    loses(table, 0, (80, 80))
    assert table.find(e.PrizeAwarded).shares == ((1, 180),)


def test_leaving_at_any_time_gives_the_prize_to_the_other() -> None:
    running = dealt("standard-deals-3", 2)
    play(running, "0: leave")
    assert running.find(e.PrizeAwarded).shares == ((1, 180),) and running.state.phase is Phase.OVER
    between = dealt("standard-deals-3", 2)
    loses(between, 1)
    play(between, "0: leave")
    assert between.find(e.PrizeAwarded).shares == ((1, 180),)


def test_the_first_turn_alternates() -> None:
    table = dealt("standard-deals-3", 2)
    first = table.state.current.order[0]
    loses(table, 0)
    next_deal(table)
    assert table.state.current.order[0] == 1 - first


@pytest.mark.parametrize("deals", [1, 2, 5])
def test_a_table_may_have_its_own_number_of_deals(deals: int) -> None:
    table = dealt("standard-deals-3", 2, deals=deals)
    assert table.state.book.title == f"Deals Rummy, {deals} deal{'s' if deals > 1 else ''}"
    for number in range(1, deals):
        loses(table, number % 2)
        next_deal(table)
    # No lead before that decides: each has lost as often as the other, or once more.
    loses(table, 0, totals=(0, 30))
    assert table.find(e.PrizeAwarded).shares == ((1, 180),) and table.state.phase is Phase.OVER


def test_a_number_of_deals_changes_no_book_that_counts_none() -> None:
    assert with_deals(book("standard-pool-101"), 2) is book("standard-pool-101")


# --- for chips --------------------------------------------------------------------------------------------------------

#: Ten cards in melds, for each of two losers; twos are wild.
MELDS = ("AD KD QD JD | 4C 5C 6C | 8S 8H 8D", "3D 4D 5D 6D | 6S 7S 8S | 9H 9D 9S")
#: Three loose cards that count so much.
LOOSE = {4: "4S 2C 2H", 18: "10S 5S 3S", 20: "10S 7S 3S"}


def wins(table: Table, winner: int, points: dict[int, int]) -> None:
    """Let the winner show on their second turn; each of the others pays these points of `LOOSE`."""
    melds = dict(zip(points, MELDS, strict=True))
    hands = {seat: f"{melds[seat].replace('|', '')} {LOOSE[each]}" for seat, each in points.items()}
    order = sorted(table.state.current.order)
    rig(table, [hands.get(seat, GOOD) for seat in order], cut="2D", first=winner)
    pass_turn(table, len(order))
    play(table, "draw closed")
    play(table, f"finish {table.state.current.hand(winner).cards[-1]}; submit {SHOW}")
    for seat in points:
        play(table, f"{seat}: submit {melds[seat]}")
    assert table.points() == {winner: 0, **points}


def test_by_chips_three_shows_beat_the_lowest_points() -> None:
    """Why a table of three is not decided by points: RULES.md, Deals."""
    asha, bela, chand = 0, 1, 2
    table, points = dealt("standard-deals-6", 3), dict.fromkeys(range(3), 0)
    assert table.totals() == [480, 480, 480]
    for number in range(1, 7):
        winner, loser, pays = (bela, chand, 18) if number % 2 else (chand, bela, 20)
        wins(table, winner, {asha: 4, loser: pays})
        points = {seat: points[seat] + each for seat, each in table.points().items()}
        if number < 6:
            next_deal(table)
    assert points == {asha: 24, bela: 60, chand: 54}, "by points, she who never showed would win"
    assert table.totals() == [456, 486, 498] and table.state.phase is Phase.OVER
    assert table.find(e.PrizeAwarded).shares == ((chand, 270),)


@pytest.mark.parametrize("key", ["standard-deals-2", "standard-deals-6"])
def test_no_lead_ends_a_match_for_chips_early(key: str) -> None:
    table = dealt(key, 2)
    for _ in range((table.state.book.deals or 0) - 1):
        loses(table, 0)
        assert table.state.phase is Phase.RESULT
        next_deal(table)
    loses(table, 0)
    assert table.state.phase is Phase.OVER and dict(table.find(e.PrizeAwarded).shares) == {1: 180}


def test_the_last_deal_may_make_up_for_all_that_a_deal_can_cost() -> None:
    table = dealt("standard-deals-2", 2)
    loses(table, 0)
    assert table.totals() == [80, 240]
    next_deal(table)
    loses(table, 1)
    assert table.totals() == [160, 160] and table.state.phase is Phase.RESULT, "a tie, played on"


def in_the_last_deal(*totals: int) -> Table:
    """Return a table of four in its sixth deal, at these totals; the last to play has the last of them."""
    table = dealt("standard-deals-6", 4)
    for _ in range(5):
        play(table, "drop; drop; drop")
        next_deal(table)
    for seat, total in zip(table.state.current.order, totals, strict=True):
        table.state = with_seat(table.state, seat, total=total)
    return table


def test_only_those_who_tie_play_on() -> None:
    table = in_the_last_deal(540, 539, 381, 460)
    level, third, fourth, winner = table.state.current.order
    play(table, "drop; drop; drop")
    assert [table.state.seat(seat).total for seat in (level, third, fourth, winner)] == [520, 519, 361, 520]
    assert table.find(e.PlayerEliminated).total == 361
    assert [table.state.seat(seat).place for seat in (third, fourth)] == [Place.OUT, Place.OUT]
    assert table.view(third)["me"]["moves"] == ["leave"] and table.view(level)["seats"][third]["status"] == "out"
    next_deal(table)
    assert set(table.state.current.order) == {level, winner}
    play(table, "drop")
    last = table.state.current.order[-1]
    assert table.find(e.PrizeAwarded).shares == ((last, 360),), "also where a third has more chips than the second"
    assert min(table.state.seat(seat).total for seat in (level, winner)) == 500 and sum(table.totals()) == 4 * 480


def test_where_all_tie_all_play_on_and_a_leaver_wins_nothing() -> None:
    table = in_the_last_deal(500, 500, 500, 420)
    play(table, "drop; drop; drop")
    assert table.totals() == [480] * 4 and table.state.phase is Phase.RESULT
    assert "player_eliminated" not in table.names(2)
    leader = dealt("standard-deals-6", 3)
    play(leader, "drop; drop")
    first = leader.state.result.winner
    play(leader, f"{first}: leave")
    for _ in range(5):
        next_deal(leader)
        play(leader, "drop")
    assert leader.state.seat(first).total == 520 and first not in dict(leader.find(e.PrizeAwarded).shares)


def test_chips_are_neither_made_nor_lost() -> None:
    table = dealt("standard-deals-6", 3)
    check_invariants(table.state)
    for total, fault in ((479, "neither made nor lost"), (481, "neither made nor lost"), (-1, "below zero")):
        with pytest.raises(Broken, match=fault):
            check_invariants(with_seat(table.state, 1, total=total))


def test_a_table_for_chips_may_have_its_own_number_of_deals() -> None:
    table = dealt("standard-deals-6", 2, deals=1)
    assert table.state.book.title == "Deals Rummy for chips, 1 deal" and table.totals() == [80, 80]
    play(table, "drop")
    assert sorted(table.totals()) == [60, 100] and table.state.phase is Phase.OVER
    assert with_deals(book("standard-deals-2"), 4).title == "Deals Rummy for chips, 4 deals"
