"""How likely the next player takes a card, as a computer player reckons it from what they picked and let go."""

import pytest

from rules.books import BOOKS
from rules.bots import Strength
from rules.bots.eye import Eye
from rules.bots.seen import Neighbour, seen_by, unseen_by
from tests.unit.rules.game.play import deal, play

MINE = "3H 4H 5H 7C 8C JR 9S 9D QC 6H KC 2S KH"
THEIRS = "7H 8H 9C 10C JS 2D 3D 4D QD QH 5S 6S KD"


def chances(moves: str) -> dict[str, float]:
    """Return the chance that the next player takes each of some cards after these moves."""
    table = deal("standard-points", [MINE, THEIRS], upcard="AS", cut="AD", closed="KS 10H 4C 4S")
    play(table, moves)
    view = table.view(0)
    assert view["me"] is not None and view["deal"] is not None
    eye = Eye(view, view["me"], BOOKS["standard-points"], view["deal"]["wild_rank"] or 0, Strength.EXPERT)
    seen = seen_by(eye)
    neighbour = Neighbour(eye, seen, unseen_by(eye, seen.cards))
    return {face: neighbour.takes(f"{face}1") for face in ("6H", "KH", "9S", "KD")}


@pytest.fixture(scope="module")
def before() -> dict[str, float]:
    return chances("draw closed; discard 9D; draw closed; discard 2D; draw closed")


def test_a_card_beside_one_that_they_picked_is_likelier_taken(before: dict[str, float]) -> None:
    after = chances("draw closed; discard 5H; draw open; discard 2D; draw closed")
    assert after["6H"] > before["6H"] + 0.1
    assert after["9S"] - before["9S"] < after["6H"] - before["6H"]


def test_the_like_of_a_card_that_they_let_go_is_hardly_taken(before: dict[str, float]) -> None:
    after = chances("draw closed; discard 9D; draw closed; discard KD; draw closed")
    assert after["KD"] < before["KD"] / 4


def test_a_card_whose_like_they_declined_is_taken_less_often(before: dict[str, float]) -> None:
    after = chances("draw closed; discard KH; draw closed; discard 2D; draw closed")
    assert after["KH"] < before["KH"] / 1.5
