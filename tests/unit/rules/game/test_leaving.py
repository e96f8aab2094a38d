"""Leaving while somebody melds: what it costs, and who goes on."""

from rules.cards import face
from rules.game import events as e
from rules.game.state import Phase
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW, finished
from tests.unit.rules.game.play import Table, deal, play, refused


def declaring() -> Table:
    """Seat 0 is in their second turn, with a card in the finish slot; leaving would cost them 40 otherwise."""
    table = deal("standard-points", [GOOD, PURE, RAGS], cut="9S", closed="7H 8H 10H 10S", stack=2_000)
    play(table, "draw closed; discard 7H; draw closed; discard 8H; draw closed; discard 10H")
    play(table, "draw closed; finish 10S")
    return table


def test_a_declarer_who_leaves_before_they_submit_has_shown_wrongly() -> None:
    table = declaring()
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


def test_even_with_a_hand_that_is_a_valid_show() -> None:
    table = declaring()
    play(table, f"0: arrange {SHOW}; 0: leave")
    assert table.state.current.hand(0).points == 80


def test_the_price_of_leaving_follows_the_losers_arrangement() -> None:
    """In the second round leaving costs 40, but a player whose hand counts more pays that, as if they had stayed."""
    table = declaring()
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


def test_leaving_stays_the_price_where_the_hand_counts_less() -> None:
    low = "AS 2S 3S 4H 5H 6H 2C 2D 2H QD QH 3C 3D"
    table = deal("standard-points", [GOOD, low], cut="9S", closed="7H 8H 10H")
    play(table, f"draw closed; discard 7H; draw closed; discard 8H; draw closed; finish 10H; submit {SHOW}")
    play(table, "1: arrange AS 2S 3S | 4H 5H 6H | 2C 2D 2H")
    assert table.view(1)["me"]["leave_points"] == 40, "26 in the hand"
    play(table, "1: leave")
    assert table.points()[1] == 40


def test_others_leave_at_the_usual_price_while_the_declarer_melds() -> None:
    table = declaring()
    assert table.view(1)["me"]["leave_points"] == 40
    play(table, "1: leave")
    assert table.find(e.PlayerLeft).points == 40 and table.state.phase is Phase.MELDING


def test_one_who_dropped_pays_no_more() -> None:
    table = deal("standard-points", [PURE, GOOD], cut="9S", closed="10H")
    assert table.view(0)["me"]["leave_points"] == 80
    three = deal("standard-points", [PURE, GOOD, RAGS], cut="9S", closed="10H")
    play(three, f"drop; draw closed; finish 10H; submit {SHOW}")
    assert three.view(0)["me"]["leave_points"] == 20
    play(three, "0: leave; 2: submit")
    assert three.points()[0] == 20


def test_the_winner_waits_for_the_result() -> None:
    assert refused(finished(), "0: leave") == "show_accepted"


def test_a_loser_who_leaves_before_submitting_pays_for_leaving() -> None:
    table = finished(others=(PURE,))
    play(table, "1: leave")
    assert table.state.phase is Phase.RESULT and table.points() == {0: 0, 1: 80}


def test_one_who_has_submitted_keeps_their_points() -> None:
    table = finished()
    play(table, "1: submit AS 2S 3S; 1: leave; 2: submit")
    assert table.points() == {0: 0, 1: 38, 2: 40}


def test_the_declarer_wins_when_all_others_leave_meanwhile() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "draw closed; finish 10H; 1: leave")
    assert table.points() == {0: 0, 1: 80}
