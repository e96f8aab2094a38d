"""The ladder: mirrored deals, honest figures, and programs of other people that are good, late, dead or cheat."""

import json
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rules.books import BOOKS
from rules.bots import Strength
from tables.simulation.ladder import (
    Entered,
    Ladder,
    Played,
    interval,
    percent_interval,
    percentile,
    play_contest,
    results_of,
    total_of,
)
from tests.support.sampling import one_of_each

GENTLE, SOUND = Entered("gentle", Strength.GENTLE), Entered("sound", Strength.SOUND)
#: Answers each view with a legal frame of the simplest kind: in a few lines of their own, as somebody else would.
SIMPLE = """
import json, sys
for line in sys.stdin:
    view = json.loads(line)
    moves, hand = view["me"]["moves"], view["me"]["hand"]
    if "draw" in moves:
        frame = {"type": "draw", "pile": "closed"}
    elif "discard" in moves:
        frame = {"type": "discard", "card": hand[0]}
    else:
        frame = {"type": "submit", "groups": []}
    print(json.dumps(frame), flush=True)
"""
LATE = "import time\ntime.sleep(60)\n"
DEAD = "raise SystemExit(3)\n"
CHEATING = SIMPLE.replace('"card": hand[0]', '"card": "JR9"')
WANDERING = SIMPLE.replace('{"type": "draw", "pile": "closed"}', '{"type": "sort"}')
#: Its first line goes on until the second question, for which the rest of it must not be taken.
ENDLESS = """
import sys
for number, line in enumerate(sys.stdin):
    print('{"type": "drop"}' + chr(10) if number else "x" * 9000, end="", flush=True)
"""
MALFORMED = "import sys\nfor line in sys.stdin:\n    print('[1, 2', flush=True)\n"


def played(*entries: Entered, seats: int | None = None, shoes: int = 3, book: str = "standard-points") -> Played:
    contest = Ladder(entries, book, seats or len(entries), seed=5)
    return total_of(list(play_contest(contest, shoes)))


def program(tmp_path: Path, source: str) -> Entered:
    path = tmp_path / "player.py"
    path.write_text(source)
    return Entered("external", command=f"{sys.executable} {path}")


def test_everybody_sits_in_every_seat_with_each_shoe() -> None:
    pair = Ladder((GENTLE, SOUND), "standard-points", 2, 1)
    assert [pair.seated(turn) for turn in range(pair.deals_a_shoe)] == [[0, 1], [1, 0]]
    six = Ladder((GENTLE, SOUND), "standard-points", 6, 1)
    assert [six.seated(turn) for turn in range(six.deals_a_shoe)] == [[0, 1] * 3, [1, 0] * 3]
    odd = Ladder((GENTLE, SOUND), "standard-points", 3, 1)
    places = [odd.seated(turn) for turn in range(odd.deals_a_shoe)]
    assert len(places) == 3 and all(sorted(seat[place] for seat in places) == [0, 0, 1] for place in range(3))


def test_what_one_wins_the_others_lose_and_equal_players_come_out_even() -> None:
    result = played(SOUND, Entered("sound 2", Strength.SOUND))
    assert all(own.points == -other.points for own, other in result.tallies)
    assert all(own.points == 0 and own.won == other.won == 1 for own, other in result.tallies)
    of_three = played(GENTLE, SOUND, Entered("sharp", Strength.SHARP), shoes=2)
    assert all(sum(tally.points for tally in shoe) == 0 for shoe in of_three.tallies)
    assert any(tally.points for shoe in of_three.tallies for tally in shoe)


def test_a_stronger_player_is_found_wherever_it_is_named() -> None:
    for order in ((GENTLE, SOUND), (SOUND, GENTLE)):
        contest = Ladder(order, "standard-points", 2, 9)
        told = results_of(contest, total_of(list(play_contest(contest, 30))))
        by_name = {player["player"]: player for player in told["players"]}
        assert by_name["sound"]["points_a_deal"]["low"] > 0 > by_name["gentle"]["points_a_deal"]["high"]
        assert by_name["sound"]["deals_won_percent"]["low"] > 50


def test_the_same_seed_gives_the_same_result_in_any_number_of_processes() -> None:
    contest = Ladder((GENTLE, SOUND), "standard-points", 2, 3)
    one, two = (total_of(list(play_contest(contest, 7, processes))) for processes in (1, 2))
    assert one.tallies == two.tallies and one.digest == two.digest
    other = Ladder((GENTLE, SOUND), "standard-points", 2, 4)
    assert total_of(list(play_contest(other, 7))).digest != one.digest


def test_intervals_and_percentiles_are_those_of_the_textbook() -> None:
    assert interval([1, 2, 3, 4, 5]) == pytest.approx((3, 3 - 1.386, 3 + 1.386), abs=0.001)
    assert percent_interval([0.02, 0.04]).mean == 3
    assert percent_interval([0.0, 0.0, 0.5]).low == 0 and percent_interval([1.0, 1.0, 0.5]).high == 100
    assert percent_interval([1.0]) == (100, None, None)
    assert interval([7]) == (7, None, None)
    assert percentile(range(1, 101), 99) == 99 and percentile([3], 50) == 3


@pytest.mark.parametrize("book", one_of_each(BOOKS, lambda book: BOOKS[book].family))
def test_experts_play_every_book_by_its_rules(book: str) -> None:
    experts = (Entered("expert", Strength.EXPERT), Entered("expert 2", Strength.EXPERT))
    result = played(*experts, seats=BOOKS[book].max_seats, shoes=1, book=book)
    assert not any(result.faults) and all(result.milliseconds)


def test_a_program_of_somebody_else_plays(tmp_path: Path) -> None:
    result = played(program(tmp_path, SIMPLE), SOUND, shoes=2)
    assert not result.faults[0] and len(result.milliseconds[0]) > 10
    assert sum(shoe[0].points for shoe in result.tallies) < 0


@pytest.mark.parametrize(
    ("source", "fault"), [(DEAD, "dead"), (CHEATING, "illegal"), (WANDERING, "illegal"), (MALFORMED, "malformed")]
)
def test_what_cannot_be_taken_is_counted_and_time_runs_out(tmp_path: Path, source: str, fault: str) -> None:
    result = played(program(tmp_path, source), SOUND, shoes=2)
    assert result.faults[0][fault] > 0 and set(result.faults[0]) == {fault}
    assert not result.faults[1] and sum(shoe[1].won for shoe in result.tallies) > 0


def test_the_rest_of_a_line_without_end_answers_no_other_question(tmp_path: Path) -> None:
    result = played(program(tmp_path, ENDLESS), SOUND, shoes=2)
    assert result.faults[0]["malformed"] == len(result.milliseconds[0]) > 1


def test_a_late_program_is_dropped_as_at_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.simulation.ladder.PATIENCE", 0.05)
    result = played(program(tmp_path, LATE), SOUND, shoes=1)
    assert result.faults[0]["late"] == 2
    assert [tally.points for tally in result.tallies[0]] == [-40, 40]


def test_the_command_tells_it_as_json_and_as_text(tmp_path: Path) -> None:
    arguments = {"players": "gentle,sound", "deals": 3, "seed": 2, "stderr": StringIO()}
    plain, text = StringIO(), StringIO()
    call_command("ladder", **arguments, json=True, stdout=plain)
    call_command("ladder", **arguments, stdout=text)
    told = json.loads(plain.getvalue())
    assert (told["deals"], told["shoes"], told["seats"]) == (4, 2, 2)
    assert [player["player"] for player in told["players"]] == ["gentle", "sound"]
    assert told["digest"] in text.getvalue() and "sound less gentle" in text.getvalue()


@pytest.mark.parametrize(
    "arguments",
    [
        {"players": "gentle,nobody"},
        {"players": ""},
        {"players": "gentle"},
        {"book": "no-such-book"},
        {"seats": 7},
        {"seats": 1},
        {"players": "gentle,sound,sharp", "seats": 2},
        {"deals": 0},
        {"processes": 0},
        {"external": ["'"]},
        {"external": [" "]},
        {"external": ["no-such-program --fast"]},
        {"external": ["/no/such/program"]},
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: dict[str, object]) -> None:
    usual: dict[str, object] = {"players": "gentle,sound", "deals": 2, "seed": 1}
    with pytest.raises(CommandError) as error:
        call_command("ladder", **(usual | arguments))
    assert error.value.returncode == 2 and "\n" not in str(error.value)
