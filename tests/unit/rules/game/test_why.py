"""The explanation of a row's points in a result is compared with the points that the engine has booked."""

import re
from collections import Counter

import pytest

from rules.books import BOOKS
from rules.cards import points
from rules.game import explain_deal
from rules.game.results import Outcome, Row
from rules.game.views.why import explain_row, explain_share
from tests.support.simulated import played_deals
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW
from tests.unit.rules.game.play import Table, deal, play
from tests.unit.rules.game.test_pool import all_drop_but, pool

PLAYERS = {"standard-deals-3": 2, "standard-pool-101": 4, "club-points": 5, "standard-blind": 3}


def why(table: Table, seat: int) -> str:
    (row,) = (row for row in table.view(None)["result"]["rows"] if row["seat"] == seat)
    return str(row["why"])


def faults(book: str, row: Row, text: str, counted: dict[str, int], wild: int) -> list[str]:
    """Return the parts of an explanation that do not add up to the points of its row."""
    differences = []
    if counted != {card: points(card, wild) for card in counted}:
        differences.append("a card counts something else")
    for terms, total in re.findall(r"((?:\d+ \+ )+\d+) = (\d+)", text):
        if sum(map(int, terms.split(" + "))) != int(total) or int(total) != sum(counted.values()):
            differences.append("the sum does not add up")
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if row.outcome is Outcome.WON:
        return differences + ["a winner pays"] * bool(numbers or row.points)
    stated = numbers[0] if row.outcome is Outcome.WRONG else numbers[-1]
    if stated != row.points:
        differences.append(f"{stated} is told, {row.points} are booked")
    cards = [*row.loose, *(card for group in row.groups for card in group)]
    if not set(counted) <= set(cards):
        differences.append("a card counts that was not held")
    return differences


def test_every_row_of_every_book_is_explained_to_the_point() -> None:
    outcomes: Counter[str] = Counter()
    for book in BOOKS:
        for played in played_deals(book, players=PLAYERS.get(book, 3), deals=3, seed=3):
            state = played.ended
            assert state.result is not None
            from_log = explain_deal(played.book, played.happened, players=state.terms.seats)
            for row in state.result.rows:
                explanation = explain_row(played.book, state.current, row)
                assert faults(book, row, explanation.text, dict(explanation.counted), state.current.wild) == [], (
                    explanation,
                    row,
                )
                assert (
                    from_log[row.seat].text.startswith(explanation.text)
                    and from_log[row.seat].counted == explanation.counted
                )
                outcomes[row.outcome] += 1
    assert outcomes.keys() == {"won", "lost", "dropped", "wrong", "left"}


def test_a_false_explanation_is_found() -> None:
    row = Row(seat=0, outcome=Outcome.LOST, groups=(), kinds=(), loose=("10S1", "9H1"), points=19, amount=0, total=None)
    counted = {"10S1": 10, "9H1": 9}
    honest = "There is no pure sequence. Every card counts: 10 + 9 = 19."
    assert faults("standard-points", row, honest, counted, 2) == []
    for text, shown in (
        (honest.replace("10 + 9", "10 + 8"), counted),
        (honest.replace("= 19", "= 20"), counted),
        (honest, {"10S1": 10, "9H1": 10}),
        (honest, {"10S1": 10}),
        (f"{honest} A loser pays at least 2 points.", counted),
    ):
        assert faults("standard-points", row, text, shown, 2)


def explanation(book: str, hand: str, laid: str, *, turn: bool, show: str = SHOW) -> str:
    """Return the explanation for the loser in seat 1 of a valid show, before or after a turn of theirs; nines are
    wild."""
    table = deal(book, [GOOD, hand], cut="9S", closed="2H 2D 10H")
    if turn:
        play(table, "draw closed; discard 2H; draw closed; discard 2D")
    play(table, f"draw closed; finish {'10H' if turn else '2H'}; submit {show}; 1: submit {laid}")
    return why(table, 1)


SUMS = {
    "no pure": (
        ("standard-points", RAGS, "", True),
        "There is no pure sequence. Every card counts: "
        "2 + 4 + 6 + 8 + 10 + 10 + 10 + 3 + 5 + 7 + 10 + 10 = 85. More than 80 points are never counted.",
    ),
    "one life": (
        ("standard-points", PURE, "AS 2S 3S", True),
        "There is no second sequence. Only pure sequences are free, all else counts: "
        "4 + 6 + 8 + 10 + 10 + 10 + 5 + 7 + 10 + 6 = 76.",
    ),
    "before a turn": (
        ("standard-points", PURE, "AS 2S 3S", False),
        "There is no second sequence. Only pure sequences are free, all else counts: "
        "4 + 6 + 8 + 10 + 10 + 10 + 5 + 7 + 10 + 6 = 76. "
        "The show came before the first turn of this player, so only half counts, rounded up: 38.",
    ),
    "flat twenty": (
        ("flat20-points", PURE, "AS 2S 3S", False),
        "The show came before the first turn of this player, which costs 20 points here.",
    ),
    "both lives": (
        ("standard-points", "AS 2S 3S 4D 5D 6D 8C 8H 8S KD QC 2C JR", "AS 2S 3S | 4D 5D 6D | 8C 8H 8S JR", True),
        "Both sequences are there, so only cards in no meld count: 10 + 10 + 2 = 22.",
    ),
    "all melded": (
        (
            "standard-points",
            "AS 2S 3S 4D 5D 6D 8C 8H 8S KD KC KS JR",
            "AS 2S 3S | 4D 5D 6D | 8C 8H 8S JR | KD KC KS",
            True,
        ),
        "Both sequences are there and every card is in a meld. A loser pays at least 2 points.",
    ),
}


@pytest.mark.parametrize("case", SUMS)
def test_a_loser_reads_how_the_hand_was_counted(case: str) -> None:
    (book, hand, laid, turn), text = SUMS[case]
    assert explanation(book, hand, laid, turn=turn) == text


def test_a_rejoin_that_is_not_offered_is_told_with_its_reason() -> None:
    table = pool([95, 75, 0, 0], book="standard-pool-101")
    all_drop_but(table, 3)
    assert "Out of the match with 115 points. No rejoin: another player already has more than 79 points." in why(
        table, 0
    )
    assert "rejoin" not in why(table, 2)
    later = explain_deal(table.state.book, table.happened(), players=4)
    assert {seat: sentence.text for seat, sentence in later.items()} == {seat: why(table, seat) for seat in range(4)}


def test_one_who_may_rejoin_is_not_told_otherwise() -> None:
    table = pool([95, 10, 0, 0], book="standard-pool-101")
    all_drop_but(table, 3)
    assert table.view(0)["prompt"]["kind"] == "rejoin"
    assert "No rejoin" not in why(table, 0)


@pytest.mark.parametrize(
    ("drops", "excess", "words"),
    [
        (0, 0, "No drop left: an equal part"),
        (1, 0, "One drop left, the fewest"),
        (2, 1, "one entry for it"),
        (4, 3, "3 entries for them"),
    ],
)
def test_a_share_is_told_line_by_line(drops: int, excess: int, words: str) -> None:
    assert words in explain_share(drops, excess)
