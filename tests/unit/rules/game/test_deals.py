"""Deals: the best of three, or of as many as the table was opened with."""

import pytest

from rules.books import book, with_deals
from rules.game import events as e
from rules.game.events.updates import with_seat
from rules.game.state import Phase
from tests.unit.rules.game.play import Table, dealt, pass_turn, play


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
