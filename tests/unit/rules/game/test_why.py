"""The explanation of a row's points in a result is compared with the points that the engine has booked."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import pytest

from rules.books import BOOKS
from rules.cards import points
from rules.game import events as e, explain_deal
from rules.game.results import Outcome, Row
from rules.game.state import replace
from rules.game.views.why import explain_row, explain_share
from tests.support.simulated import played_deals
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW
from tests.unit.rules.game.play import Table, deal, play
from tests.unit.rules.game.pools import all_drop_but, pool

PLAYERS = {"standard-deals-2": 2, "standard-deals-3": 2, "standard-pool-101": 4, "club-points": 5, "standard-blind": 3}


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


def seats_of(happened: Iterable[e.Event], kind: type[Any], **fields: object) -> list[int]:
    """Return the seats of the events of this kind with these fields, up to the end of the deal."""
    until = takewhile(lambda event: not isinstance(event, e.DealEnded), happened)
    events = (event for event in until if isinstance(event, kind))
    return [event.seat for event in events if all(getattr(event, name) == value for name, value in fields.items())]


def misreports(happened: list[e.Event], seat: int, text: str) -> list[str]:
    """Return the phrases of an explanation that the events of the deal contradict, and those that are missing."""
    dropped_by = {event.seat: event.by for event in happened if isinstance(event, e.PlayerDropped)}
    drawn, discarded = seats_of(happened, e.CardDrawn), seats_of(happened, e.CardDiscarded)
    holding = drawn.count(seat) > discarded.count(seat)
    # Whoever is out has left, dropped or shown wrongly by what happened first; a declarer who leaves shows wrongly.
    left_show = seat in seats_of(happened, e.ShowRefused, by=e.By.LEAVING)
    refused, left = seat in seats_of(happened, e.ShowRefused), seat in seats_of(happened, e.PlayerLeft)
    out = refused or seat in dropped_by
    timed_out = seats_of(happened, e.ShowRefused, by=e.By.PLATFORM)
    true = {
        "A valid show": seat in seats_of(happened, e.ShowAccepted),
        "Dropped in the first round": seat in dropped_by and seat not in drawn,
        "Dropped after the first round": seat in dropped_by and seat in discarded and not holding,
        "Dropped for not discarding": dropped_by.get(seat) is e.By.PLATFORM and holding,
        "wrong": refused,
        "Left before submitting": left_show,
        "not submitted in time": seat in timed_out,
        "Left the running deal": left and not out,
        "before discarding": left and seat not in discarded,
        "Left after the show": left and bool(seats_of(happened, e.ShowAccepted)),
        "before the first turn of this player": seat not in drawn,
    }
    false = [phrase for phrase, is_true in true.items() if phrase in text and not is_true]
    needed = {"not discarding": holding and seat in dropped_by, "wrong": refused, "Left before submitting": left_show}
    return false + [f"nothing of {phrase}" for phrase, is_needed in needed.items() if is_needed and phrase not in text]


#: Ways out of a deal: the book, what is played by three (two in the deals book), the seat, and what is read of it.
LIVES = "3H 4H 5H 6H 7H 8H 9H QD QS QC 2C 2S 2D"
SHOWS_AT_ONCE = "draw closed; finish 10H; 0: arrange 3H 4H 5H 6H | 7H 8H 9H | QD QS QC | 2C 2S 2D"
WAYS_OUT: dict[str, tuple[str, str, int, str]] = {
    f"{name}, {book}": (book, script, seat, text)
    for name, books, script, seat, text in (
        (
            "a declarer with a complete hand leaves",
            [book for book in BOOKS if BOOKS[book].max_seats == 6 and BOOKS[book].full_count == 80],
            f"{SHOWS_AT_ONCE}; 0: leave; drop",
            0,
            "Left before submitting the show, which is a wrong one then: 80 points.",
        ),
        (
            "a declarer with an incomplete hand leaves",
            [book for book in BOOKS if BOOKS[book].max_seats == 6 and BOOKS[book].full_count == 80],
            "draw closed; finish 10H; 0: arrange 3H 4H 5H 6H; 0: leave; drop",
            0,
            "Left before submitting the show, which is a wrong one then: 80 points.",
        ),
        (
            "a declarer of a short pool leaves",
            ["standard-pool-61"],
            f"{SHOWS_AT_ONCE}; 0: leave; drop",
            0,
            "Left before submitting the show, which is a wrong one then: 60 points.",
        ),
        (
            "a declarer submits an incomplete hand and leaves",
            ["standard-pool-101", "flat20-points"],
            "draw closed; finish 10H; submit 3H 4H 5H 6H; 0: leave; drop",
            0,
            "A wrong show costs 80 points. There is no second sequence. 9 cards lie in no group.",
        ),
        (
            "a declarer with a complete hand is late",
            ["lives-points", "lives-drop-points"],
            f"{SHOWS_AT_ONCE}; timeout; drop",
            0,
            "A show that is not submitted in time is a wrong one and costs 80 points.",
        ),
        (
            "everybody leaves a declarer",
            ["standard-points", "standard-pool-101", "lives-points"],
            f"{SHOWS_AT_ONCE}; 1: leave; 2: leave",
            0,
            "Everybody else was out of the deal: nothing to pay.",
        ),
        (
            "drawn and not discarded on the first turn",
            ["club-points"],
            "draw closed; timeout; timeout; drop",
            0,
            "Dropped for not discarding in time: 20 points.",
        ),
        (
            "drawn and not discarded on the first turn of a pool",
            ["club-pool-201"],
            "draw closed; timeout; timeout; drop",
            0,
            "Dropped for not discarding in time: 25 points.",
        ),
        (
            "drawn and not discarded later",
            ["club-points"],
            "draw closed; discard 10H; draw closed; discard KH; drop; draw closed; timeout; timeout",
            0,
            "Dropped for not discarding in time: 40 points.",
        ),
        (
            "no card drawn on the first turn",
            ["standard-points", "club-points"],
            "timeout; timeout; drop",
            0,
            "Dropped in the first round, before drawing a card: 20 points.",
        ),
        (
            "no card drawn later",
            ["standard-points", "club-points"],
            "draw closed; discard 10H; draw closed; discard KH; drop; timeout; timeout",
            0,
            "Dropped after the first round: 40 points.",
        ),
        (
            "gone before the first discard",
            ["standard-points"],
            "draw closed; 0: leave; drop",
            0,
            "Left the running deal before discarding for the first time: 80 points.",
        ),
        (
            "gone after the first discard",
            ["standard-points"],
            "draw closed; discard 10H; 0: leave; drop",
            0,
            "Left the running deal after discarding: 40 points.",
        ),
    )
    for book in books
}


@pytest.mark.parametrize("case", WAYS_OUT)
def test_the_sentence_says_how_a_player_went_out(case: str) -> None:
    book, script, seat, text = WAYS_OUT[case]
    table = deal(book, [LIVES, "", ""], cut="9S", closed="10H KH")
    play(table, script)
    assert why(table, seat) == text
    assert explain_deal(table.state.book, table.happened(), players=3)[seat].text == text


def test_events_of_before_tell_of_a_declarer_who_left_what_the_hand_shows() -> None:
    """They say `by` the player of every wrong show; one that lies complete can only have been left."""
    table = deal("standard-points", [LIVES, "", ""], cut="9S", closed="10H KH")
    play(table, f"{SHOWS_AT_ONCE}; 0: leave; drop")
    before = [replace(each, by=e.By.PLAYER) if isinstance(each, e.ShowRefused) else each for each in table.happened()]
    assert explain_deal(table.state.book, before, players=3)[0].text == why(table, 0)


def test_a_sentence_that_tells_something_else_is_found() -> None:
    table = deal("club-points", ["", "", ""], cut="9S")
    play(table, "draw closed; timeout; timeout; drop")
    happened = table.happened()
    assert misreports(happened, 0, "Dropped for not discarding in time: 20 points.") == []
    for text in ("Dropped after the first round: 40 points.", "Left the running deal: 80 points.", "A valid show."):
        assert misreports(happened, 0, text)


def test_every_row_of_every_book_is_explained_to_the_point() -> None:
    outcomes: Counter[str] = Counter()
    for book in BOOKS:
        for played in played_deals(book, players=PLAYERS.get(book, 3), deals=3, seed=3):
            state = played.ended
            assert state.result is not None
            from_log = explain_deal(played.book, played.happened, players=state.terms.seats)
            for row in state.result.rows:
                gone = row.seat in seats_of(played.happened, e.PlayerLeft)
                explanation = explain_row(played.book, state.current, row, gone=gone)
                assert misreports(played.happened, row.seat, explanation.text) == [], (explanation.text, row)
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
