"""Whoever has no cards to play changes nothing of the running deal: they are out, dropped, gone, done or waiting."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from rules.books import BOOKS
from rules.errors import Refused
from rules.game import Broken, events as e, legal_moves, moves as m
from rules.game.events.base import with_match, with_seat
from rules.game.phases import seating
from rules.game.state import IN_DEAL, Phase, Place, Standing, TableState
from tests.support.samples import SAMPLES
from tests.unit.rules.game.hands import RAGS
from tests.unit.rules.game.play import Table, dealt, play, rig
from tests.unit.rules.game.pools import all_drop_but, leave_and_split, out, pool

READY = "3H 4H 5H 6H 7H 8H 9H QD QS QC 2C 2S 2D"
SHOWN = "3H 4H 5H 6H | 7H 8H 9H | QD QS QC | 2C 2S 2D"
LARGE = sorted(key for key, rules in BOOKS.items() if rules.max_seats == 6)
Scene = Callable[[str], Table]


def crowded(key: str) -> Table:
    """Return a deal of seats 0 to 4, seat 0 to play; 5 waits for the next, in a match as one who is out of it."""
    rules = BOOKS[key]
    if rules.per_point:
        table = dealt(key, 5, seats=6)
        play(table, "5: sit 800")
    else:
        # Seat 5 reaches the limit, or is behind five who tie after the last deal.
        totals = [470, 590, 590, 590, 590, 50] if rules.deals else [0, 0, 0, 0, 0, (rules.pool_limit or 0) - 1]
        table = pool(totals, book=key)
        table.state = with_match(table.state, deals=(rules.deals or 1) - 1)
        all_drop_but(table, 0)
        play(table, "timeout" if rules.deals else "5: rejoin no; timeout")
        assert table.state.seat(5).place is Place.OUT
    rig(table, ["", "", "", READY, ""], cut="9S", closed="KD KC 4S 4D")
    return table


def on_turn(key: str) -> Table:
    """Seat 0 has dropped, 1 has shown wrongly, 2 has left; 3 is to draw."""
    table = crowded(key)
    play(table, "drop; draw closed; finish KD; submit; 2: leave")
    return table


def drawn(key: str) -> Table:
    table = on_turn(key)
    play(table, "draw closed")
    return table


def showing(key: str) -> Table:
    table = drawn(key)
    play(table, "finish KC")
    return table


def melding(key: str) -> Table:
    """Seat 3 has shown; 4 is still to submit, 2 has left and 1 has submitted."""
    table = crowded(key)
    play(table, "drop; draw closed; discard KD; draw closed; discard KC")
    play(table, f"draw closed; finish 4S; submit {SHOWN}; 2: leave; 1: submit")
    return table


SCENES: dict[str, Scene] = {"turn": on_turn, "drawn": drawn, "showing": showing, "melding": melding}


def bystanders(state: TableState) -> list[int]:
    hands = enumerate(state.current.hands)
    return [seat for seat, hand in hands if hand is None or hand.standing is not Standing.IN]


def attempts(table: Table, seats: list[int]) -> Iterator[tuple[m.PlayerMove, TableState]]:
    """Yield each move that the engine takes from these seats, and the state after it; the table stays as it is."""
    for seat in seats:
        for kind in m.PLAYER_MOVES:
            move = kind(seat=seat, **SAMPLES.get(kind.name, {}))
            before, log = table.state, list(table.log)
            try:
                table.do(move)
            except Refused:
                assert kind.name not in legal_moves(before, seat) or kind.name in SAMPLES
            else:
                yield move, table.state
            table.state, table.log = before, log


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("key", LARGE)
def test_no_move_of_theirs_changes_the_deal(key: str, scene: str) -> None:
    table = SCENES[scene](key)
    before, seats = table.state, bystanders(table.state)
    assert before.phase in IN_DEAL and {0, 2, 5} < set(seats)
    taken = list(attempts(table, seats))
    assert {move.name for move, _ in taken} <= {"leave", "add_chips"}
    assert {move.seat for move, _ in taken if move.name == "leave"} >= {0, 1, 5} & set(seats)
    for move, after in taken:
        assert after.deal is before.deal and after.match is before.match and after.result is None, move
        assert (after.phase, after.clock) == (before.phase, before.clock), move
        others = [number for number in range(6) if number != move.seat]
        assert [after.seats[number] for number in others] == [before.seats[number] for number in others], move


@pytest.mark.parametrize("key", LARGE)
def test_the_deal_ends_as_it_would_have_without_them(key: str) -> None:
    ends = []
    for leavers in ((), (0,), (5,), (0, 1, 5)):
        table = showing(key)
        for seat in leavers:
            play(table, f"{seat}: leave")
        play(table, f"submit {SHOWN}; 4: submit")
        ends.append(table.find(e.DealEnded))
    assert all(end == ends[0] for end in ends) and ends[0].winner == 3


def last_deals(*, fee_percent: int = 0) -> Table:
    """Return the tenth deal of a pool of 201: 200 200 200 75, the fifth is out, nobody may rejoin."""
    table = pool([175, 175, 175, 75, 200], fee_percent=fee_percent)
    all_drop_but(table, 3)
    assert table.totals() == [200, 200, 200, 75, 225] and out(table) == [4] and table.state.phase is Phase.RESULT
    return table


def test_a_deal_is_played_to_its_end_though_somebody_who_is_out_leaves() -> None:
    """Whoever loses it reaches the limit, so its winner has the whole prize."""
    table = last_deals()
    play(table, "timeout; 3: leave; 4: leave")
    assert table.names() == ["player_left"] and set(table.state.current.alive) == {0, 1, 2}
    all_drop_but(table, 0)
    assert table.totals()[:3] == [200, 225, 225] and table.find(e.PrizeAwarded).shares == ((0, 500),)


def test_between_two_deals_those_without_a_drop_share() -> None:
    table = last_deals()
    play(table, "4: leave")
    assert table.names() == ["player_left"] and table.state.phase is Phase.RESULT
    play(table, "3: leave")
    assert table.find(e.PrizeAwarded).shares == ((0, 167), (1, 167), (2, 166))


@pytest.mark.parametrize("show", [f"submit {SHOWN}; 3: leave; 4: leave", f"3: leave; 4: leave; submit {SHOWN}"])
def test_a_valid_show_is_never_cut_off(show: str) -> None:
    table = last_deals(fee_percent=10)
    play(table, "timeout")
    rig(table, [READY, RAGS, "", ""], cut="9S", closed="KD")
    play(table, f"draw closed; finish KD; {show}")
    assert table.state.phase is Phase.MELDING and set(table.state.current.alive) == {1, 2}
    play(table, "1: submit; 2: submit")
    assert table.points()[1] == 40 and 2 < table.points()[2] <= 40, "half: a show before their first turn"
    assert table.find(e.PrizeAwarded).shares == ((0, 450),)


def test_a_leave_that_shares_the_prize_in_a_running_deal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the split is asked for whenever somebody leaves who is out."""
    monkeypatch.setattr(seating, "_leave_match", leave_and_split)
    table = last_deals()
    play(table, "timeout; 3: leave")
    with pytest.raises(Broken, match="a running deal is changed by its players only"):
        play(table, "4: leave")


def test_a_move_that_takes_from_others_in_a_running_deal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: chips that somebody adds come from the stack of another."""
    table = crowded("standard-points")
    monkeypatch.setattr(e.ChipsAdded, "fold", lambda event, state: with_seat(state, 4, stack=0))
    with pytest.raises(Broken, match="no seat of others"):
        play(table, "5: add_chips 100")


@pytest.mark.parametrize("phase", [Phase.RESULT, Phase.REJOIN, Phase.SPLIT])
def test_between_deals_as_well_one_who_is_out_changes_only_their_own_seat(phase: Phase) -> None:
    table = pool([0, 0, 0, 0, 200])
    all_drop_but(table, 0)
    play(table, "4: rejoin no")
    if phase is Phase.SPLIT:
        play(table, "3: leave; 0: offer_split")
    if phase is Phase.REJOIN:
        play(table, "timeout")
        table.state = with_seat(table.state, 3, total=200)
        all_drop_but(table, 0)
    before = table.state
    assert before.phase is phase and before.seat(4).place is Place.OUT
    taken = list(attempts(table, [4]))
    assert [move.name for move, _ in taken] == ["leave"]
    for _, after in taken:
        assert replace(after, seats=before.seats, version=0, view_version=()) == replace(
            before, version=0, view_version=()
        )
        assert after.seats[:4] == before.seats[:4]
