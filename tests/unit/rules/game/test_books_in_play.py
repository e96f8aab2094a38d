"""Every book played: drops, absence, leaving, the piles, the toss and the pool, each row at a table of each book."""

import pytest

from rules.books import BOOKS
from rules.cards import face
from rules.game import events as e
from rules.game.events import By
from rules.game.events.base import with_hand, with_seat
from rules.game.state import Phase, Place, Standing
from tests.unit.rules.game import test_books_in_shows
from tests.unit.rules.game.play import Table, deal, dealt, pass_turn, play, refused
from tests.unit.rules.game.rows import (
    ASKED,
    DUELS,
    KEYS,
    ROWS,
    check_price_in_view,
    in_the_second_round,
    price,
    row,
    three,
)

PACKS = {2: "packs for two", 4: "packs for four", 5: "packs for five", 6: "packs for six"}


def test_the_table_has_a_column_for_every_book_and_a_test_for_every_row() -> None:
    assert list(BOOKS) == KEYS
    assert set(ROWS) == ASKED | set(PACKS.values()) and test_books_in_shows.__doc__


@row("most players")
def test_so_many_can_sit_down(key: str, expected: str) -> None:
    assert len(dealt(key, int(expected)).state.current.order) == int(expected)
    assert BOOKS[key].max_seats == int(expected), "stakes offer no more seats than the book has"


@pytest.mark.parametrize("players", PACKS)
@pytest.mark.parametrize("key", KEYS)
def test_packs_by_the_number_of_players(key: str, players: int) -> None:
    expected = ROWS[PACKS[players]][key]
    if expected != "-":
        table = dealt(key, players).state.current
        upcard = len(table.discards)
        assert len(table.closed) + 13 * players + upcard + 1 == 53 * int(expected)


@row("open pile")
def test_the_open_pile(key: str, expected: str) -> None:
    table = three(key, closed="9C")
    play(table, "draw closed; discard 9C")
    top = table.view(1)["deal"]["open_top"]
    if expected == "yes":
        assert face(top) == "9C"
        play(table, "draw open")
        assert face(table.state.current.hand(1).cards[-1]) == "9C"
    else:
        assert top is None and refused(table, "draw open") == "pile_empty"


@row("toss order")
def test_the_highest_card_plays_first(key: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seats 0 to 3 toss a nine, a king, an ace and a two (of two players: a nine and a king)."""
    monkeypatch.setattr("rules.shuffling.toss", lambda *_: ("9C", "KD", "AS", "2D"))
    if key in DUELS:
        assert dealt(key, 2).state.current.order == (1, 0)
        return
    table = dealt(key, 4)
    assert table.state.current.order == {"seats": (2, 3, 0, 1), "ranks": (2, 1, 0, 3)}[expected]
    assert table.view(0)["deal"]["dealer_seat"] == {"seats": 1, "ranks": 3}[expected], "the last to play deals"


@row("toss each deal")
def test_the_toss_of_the_second_deal(key: str, expected: str) -> None:
    table = dealt(key, 2, stack=None if "pool" in key or "deals" in key else 5_000)
    first = table.state.current.order[0]
    table.state = with_hand(table.state, first, misses=2)
    play(table, "timeout; timeout; 0: continue; 1: continue; timeout")
    assert table.state.current.number == 2
    assert ("toss_made" in table.names()) == (expected == "yes")
    if expected == "no":
        assert table.state.current.order[0] != first, "the first turn moves one seat on"


# --- drops, absence, leaving ------------------------------------------------------------------------------------------


@row("first drop")
def test_a_first_drop_costs(key: str, expected: str) -> None:
    table = three(key)
    if expected == "none":
        assert refused(table, "drop") == "drops_not_allowed"
        return
    play(table, "drop")
    assert price(table) == expected and table.turn == 1


@row("middle drop")
def test_a_middle_drop_costs(key: str, expected: str) -> None:
    table = in_the_second_round(key)
    if expected == "none":
        assert refused(table, "drop") == "drops_not_allowed"
        return
    play(table, "drop")
    assert price(table) == expected


@row("first drop")
def test_a_drop_armed_ahead_costs_the_same(key: str, expected: str) -> None:
    table = three(key)
    if expected == "none":
        assert refused(table, "1: auto_drop on") == "drops_not_allowed"
        return
    play(table, "1: auto_drop on")
    pass_turn(table)
    assert str(table.state.current.hand(1).points) == expected


def no_draw_in_time(table: Table, expected: str, offline: str) -> None:
    """Turn and extra time have run out; `expected` is points, a miss or a card played."""
    play(table, f"timeout{offline}; timeout{offline}")
    if expected.isdigit():
        assert price(table) == expected and table.find(e.PlayerDropped).by is By.PLATFORM
        return
    seat = table.view(1)["seats"][0]
    assert (seat["misses"], seat["auto"]) == ((1, 1) if expected == "miss" else (0, 1))
    assert table.state.current.hand(0).standing is Standing.IN and table.turn == 1
    assert table.find(e.CardDrawn).pile == "closed"
    assert {event.by for event in table.log[-1] if isinstance(event, e.CardDrawn | e.CardDiscarded)} == {By.PLATFORM}


@row("no draw, connected, first round")
def test_no_draw_in_time_while_connected_in_the_first_round(key: str, expected: str) -> None:
    no_draw_in_time(three(key), expected, "")


@row("no draw, connected, later")
def test_no_draw_in_time_while_connected_later(key: str, expected: str) -> None:
    no_draw_in_time(in_the_second_round(key), expected, "")


@row("no draw, offline, first round")
def test_no_draw_in_time_while_offline_in_the_first_round(key: str, expected: str) -> None:
    no_draw_in_time(three(key), expected, " 0")


@row("no draw, offline, later")
def test_no_draw_in_time_while_offline_later(key: str, expected: str) -> None:
    no_draw_in_time(in_the_second_round(key), expected, " 0")


def absent(key: str, turns: int, offline: str) -> Table:
    """Seat 0 has had one turn of their own, then let so many in a row pass; the others play on."""
    table = in_the_second_round(key)
    for left in reversed(range(turns)):
        play(table, f"timeout{offline}; timeout{offline}")
        if left:
            assert table.state.current.hand(0).standing is Standing.IN
            pass_turn(table, len(table.state.current.order) - 1)
    return table


@row("third miss in a row")
@pytest.mark.parametrize("offline", ["", " 0"], ids=["connected", "offline"])
def test_the_third_miss_in_a_row_costs(key: str, expected: str, offline: str) -> None:
    assert price(absent(key, 3, offline)) == expected


@row("tenth auto play in a row")
def test_the_tenth_auto_play_in_a_row_costs(key: str, expected: str) -> None:
    assert price(absent(key, 10, " 0")) == expected


def late_with_a_discard(table: Table, expected: str, offline: str) -> None:
    """Check that the drawn card is discarded for them without a miss, or that they are dropped and it goes out as
    well."""
    play(table, f"draw closed; timeout{offline}; timeout{offline}")
    hand, seat = table.state.current.hand(0), table.view(0)["seats"][0]
    drawn = table.find(e.CardDrawn).card
    assert table.turn == 1 and table.state.phase is Phase.PLAYING
    if expected == "play":
        assert hand.standing is Standing.IN and drawn not in hand.cards
        assert (seat["misses"], seat["auto"]) == (0, 0) and table.view(1)["deal"]["open_top"] in (drawn, None)
        return
    assert price(table) == expected and table.find(e.PlayerDropped).by is By.PLATFORM
    assert drawn in hand.cards and len(hand.cards) == 14
    assert drawn not in [entry.card for entry in table.state.current.discards]


@row("drawn, not discarded, first round")
@pytest.mark.parametrize("offline", ["", " 0"], ids=["connected", "offline"])
def test_drawn_but_not_discarded_in_time_in_the_first_round(key: str, expected: str, offline: str) -> None:
    """Their first round lasts until the discard, as for a player who leaves (RULES.md, The books)."""
    late_with_a_discard(three(key), expected, offline)


@row("drawn, not discarded, later")
@pytest.mark.parametrize("offline", ["", " 0"], ids=["connected", "offline"])
def test_drawn_but_not_discarded_in_time_later(key: str, expected: str, offline: str) -> None:
    late_with_a_discard(in_the_second_round(key), expected, offline)


@row("drawn, not discarded, later")
def test_the_last_one_wins_when_the_other_is_late_with_a_discard(key: str, expected: str) -> None:
    """The result shows all fourteen cards that left the deal."""
    table = deal(key, ["", ""], cut="2S")
    play(table, "draw closed; timeout; timeout")
    assert (table.state.current.winner == 1) == (expected != "play")
    if expected != "play":
        assert table.state.result is not None and len(table.state.result.rows[0].loose) == 14


@row("leave, first round")
def test_leaving_in_the_first_round_costs(key: str, expected: str) -> None:
    left_with(three(key), expected)


@row("leave, first card drawn")
def test_drawing_first_makes_leaving_no_cheaper(key: str, expected: str) -> None:
    table = three(key)
    play(table, "draw closed")
    left_with(table, expected)


@row("leave, later")
def test_leaving_later_costs(key: str, expected: str) -> None:
    left_with(in_the_second_round(key), expected)


def left_with(table: Table, expected: str) -> None:
    check_price_in_view(table, 0, expected)
    play(table, "0: leave")
    if expected == "match":
        assert table.state.phase is Phase.OVER and table.find(e.PrizeAwarded).shares == ((1, 180),)
    else:
        assert price(table) == expected and table.state.phase is Phase.PLAYING


@row("leave takes one out of the match")
def test_leaving_between_deals(key: str, expected: str) -> None:
    table = deal(key, [""] * 3, cut="2S", stack=None if expected == "yes" else 5_000)
    play(table, "drop; drop; 0: leave; 1: continue; 2: continue; timeout")
    assert sorted(table.state.current.order) == [1, 2]
    if expected == "yes":
        assert table.state.seat(0).place is Place.GONE and refused(table, "0: sit 100") == "wrong_phase"
    else:
        play(table, "0: sit 5000")


@row("drop, then leave")
def test_who_dropped_and_then_leaves_keeps_the_drops_points(key: str, expected: str) -> None:
    table = three(key)
    play(table, "drop; 0: leave; drop")
    assert str(table.points()[0]) == expected == str(table.find(e.PlayerLeft).points)


@row("middle drop, then leave")
def test_after_a_middle_drop_too(key: str, expected: str) -> None:
    table = in_the_second_round(key)
    play(table, "drop; 0: leave; drop")
    assert str(table.points()[0]) == expected


# --- the open pile, the pool ------------------------------------------------------------------------------------------


@row("joker on the open pile")
@pytest.mark.parametrize("joker", ["JR", "2D"])
def test_a_joker_stays_on_the_open_pile(key: str, expected: str, joker: str) -> None:
    table = three(key, closed=joker)
    play(table, f"draw closed; discard {joker}")
    assert refused(table, "draw open") == "joker_not_allowed" and expected == "no"


@row("joker as the very first upcard")
@pytest.mark.parametrize("joker", ["JR", "2D"])
def test_the_very_first_upcard_is_for_the_first_player(key: str, expected: str, joker: str) -> None:
    table = three(key, upcard=joker)
    play(table, "draw open")
    assert face(table.state.current.hand(0).cards[-1]) == joker and expected == "yes"


@row("joker as the very first upcard")
def test_once_passed_over_it_is_nobodys(key: str, expected: str) -> None:
    table = three(key, upcard="JR")
    pass_turn(table)
    top = table.state.current.open_pile[-1]
    assert table.turn == 1 and top.seat == 0, "it lies under the first discard"
    if key in DUELS:
        return
    table = three(key, upcard="JR")
    play(table, "drop")
    assert refused(table, "draw open") == "joker_not_allowed" and expected == "yes"


#: The limit of each pool, and what a first drop costs in it.
LIMIT = {"standard-pool-61": 61, "standard-pool-101": 101, "standard-pool-201": 201, "club-pool-201": 201}
DROP = {61: 15, 101: 20, 201: 25}


def pool(key: str, *totals: int) -> Table:
    """Seat 0 begins; the players are at these totals."""
    table = deal(key, [""] * len(totals), cut="2S")
    for seat, total in enumerate(totals):
        table.state = with_seat(table.state, seat, total=total)
    return table


@row("out of the pool at")
def test_one_is_out_of_the_pool_at_the_limit(key: str, expected: str) -> None:
    drop = DROP[int(expected)]
    table = pool(key, int(expected) - drop, int(expected) - drop - 1, 0)
    play(table, "drop; drop")
    assert table.totals()[:2] == [int(expected), int(expected) - 1]
    assert [table.state.seat(seat).place for seat in (0, 1)] == [Place.OUT, Place.HERE]


@row("first drops that leave one in")
def test_so_many_first_drops_leave_one_in(key: str, expected: str) -> None:
    drop = DROP[LIMIT[key]]
    assert table_after_drops(key, int(expected) - 1, drop).state.phase is Phase.RESULT
    assert table_after_drops(key, int(expected), drop).state.phase is Phase.OVER


def table_after_drops(key: str, before: int, drop: int) -> Table:
    table = pool(key, before * drop, 0)
    play(table, "drop")
    return table


@row("rejoin while nobody is above")
def test_one_may_rejoin_while_nobody_is_above(key: str, expected: str) -> None:
    drop = DROP[LIMIT[key]]
    for more, phase in ((0, Phase.REJOIN), (1, Phase.RESULT)):
        table = pool(key, LIMIT[key] - 1, int(expected) + more - drop, 0)
        play(table, "drop; drop")
        assert table.totals()[1] == int(expected) + more and table.state.phase is phase
    table = pool(key, LIMIT[key] - 1, 10, 0)
    play(table, "drop; drop; 0: rejoin yes")
    assert table.totals() == [10 + drop + 1, 10 + drop, 0], "one point above the highest"
