"""What a computer player reckons from what was picked and let go: cards that are gone, what the next player takes."""

import pytest

from rules.books import BOOKS
from rules.bots import Strength
from rules.bots.expert import Neighbour
from rules.bots.eye import Eye, cards_gone, seen_by, unseen_by
from tests.unit.rules.game.play import Table, deal, play

MINE = "3H 4H 5H 7C 8C JR 9S 9D QC 6H KC 2S KH"
THEIRS = "7H 8H 9C 10C JS 2D 3D 4D QD QH 5S 6S KD"


def after(moves: str) -> Table:
    table = deal("standard-points", [MINE, THEIRS], upcard="AS", cut="AD", closed="KS 10H 4C 4S")
    play(table, moves)
    return table


def eye_of(table: Table) -> Eye:
    view = table.view(0)
    assert view["me"] is not None and view["deal"] is not None
    return Eye(view, view["me"], BOOKS["standard-points"], view["deal"]["wild_rank"] or 0, Strength.EXPERT)


def chances(moves: str) -> dict[str, float]:
    """Return the chance that the next player takes each of some cards after these moves."""
    eye = eye_of(after(moves))
    seen = seen_by(eye)
    neighbour = Neighbour(eye, seen, unseen_by(eye, seen.cards))
    return {face: neighbour.takes(f"{face}1") for face in ("6H", "KH", "9S", "KD")}


@pytest.mark.parametrize(
    ("moves", "shown", "times"),
    [
        ("draw closed; discard 5H; draw open", "5H", 1),
        ("draw closed; discard 5H; draw open; discard 5H", "5H", 1),
        ("draw closed; discard 5H; draw closed; discard QH; draw open", "QH", 1),
        ("draw closed; discard 5H; draw closed; discard QH; draw open; discard QH", "QH", 1),
        ("draw closed; discard KC; draw closed; discard KD", "KC", 1),
        ("draw closed; discard 5H; draw closed; discard KD", "10H", 0),
    ],
)
def test_a_card_that_was_picked_and_let_go_again_is_gone_once(moves: str, shown: str, times: int) -> None:
    """Wherever it is: with the next player, in the own hand, or on the pile again."""
    assert cards_gone(eye_of(after(moves)))[shown] == times


def test_a_card_that_was_picked_let_go_and_shuffled_in_again_may_come_again() -> None:
    table = after("draw closed; discard 5H; draw open; discard 5H; draw closed; discard KS")
    while table.state.current.reshuffles == 0:
        play(table, "draw closed")
        play(table, f"discard {table.state.current.hand(table.turn).cards[-1]}")
    assert cards_gone(eye_of(table))["5H"] == 0


@pytest.fixture(scope="module")
def before() -> dict[str, float]:
    return chances("draw closed; discard 9D; draw closed; discard 2D; draw closed")


def test_a_card_beside_one_that_they_picked_is_likelier_taken(before: dict[str, float]) -> None:
    then = chances("draw closed; discard 5H; draw open; discard 2D; draw closed")
    assert then["6H"] > before["6H"] + 0.1
    assert then["9S"] - before["9S"] < then["6H"] - before["6H"]


def test_the_like_of_a_card_that_they_let_go_is_hardly_taken(before: dict[str, float]) -> None:
    then = chances("draw closed; discard 9D; draw closed; discard KD; draw closed")
    assert then["KD"] < before["KD"] / 4


def test_a_card_whose_like_they_declined_is_taken_less_often(before: dict[str, float]) -> None:
    then = chances("draw closed; discard KH; draw closed; discard 2D; draw closed")
    assert then["KH"] < before["KH"] / 1.5
