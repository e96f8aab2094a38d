"""Random whole matches of every book with the vandal at the table, every check on."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rules.books import BOOKS
from tables.simulation.run import SimulationReport, run

PLAYERS = {"standard-deals-2": 2, "standard-deals-3": 2, "standard-pool-101": 4, "club-points": 5, "standard-blind": 3}
ROOT = Path(__file__).parents[4]


def simulated(book: str, *, matches: int = 3, seed: int = 1, vandal: bool = True) -> SimulationReport:
    return run(book=BOOKS[book], players=PLAYERS.get(book, 3), matches=matches, seed=seed, vandal=vandal)


@pytest.mark.parametrize("book", BOOKS)
def test_every_book_holds_under_play(book: str) -> None:
    matches = 1 if BOOKS[book].pool_limit else 3
    report = simulated(book, matches=matches)
    assert report.matches == matches and report.deals >= matches and report.refused > 0


def reaches(book: str, wanted: set[str]) -> bool:
    """Return whether some runs of a few matches reach all these events."""
    happened: set[str] = set()
    for seed in range(10):
        happened |= simulated(book, matches=4, seed=seed, vandal=False).happened.keys()
        if wanted <= happened:
            return True
    return False


def test_runs_reach_every_corner_of_points() -> None:
    assert reaches(
        "classic-points",
        {
            "show_accepted", "show_refused", "player_dropped", "turn_auto_played", "extra_time_began", "player_left",
            "seat_continued", "chips_added", "client_seed_added", "auto_drop_set", "hand_sorted", "hand_submitted",
        },
    )  # fmt: skip


@pytest.mark.slow
def test_and_of_pool() -> None:
    assert reaches(
        "standard-pool-101",
        {
            "player_eliminated", "rejoin_opened", "player_rejoined", "rejoin_declined", "split_offered",
            "split_answered", "prize_awarded", "match_ended",
        },
    )  # fmt: skip


@pytest.mark.slow
def test_same_seed_same_digest_whatever_the_hashing(tmp_path: Path) -> None:
    arguments = ["simulate", "--book", "standard-points", "--players", "3", "--matches", "2", "--seed", "9", "--json"]
    runs = [
        subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={"PYTHONHASHSEED": hashing, "RUMMY_DATA": str(tmp_path / hashing), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
        )
        for hashing in ("1", "2")
    ]
    digests = {json.loads(each.communicate()[0])["digest"] for each in runs}
    digests.add(run(book=BOOKS["standard-points"], players=3, matches=2, seed=9).digest)
    assert len(digests) == 1
    assert run(book=BOOKS["standard-points"], players=3, matches=2, seed=10).digest not in digests


def test_the_command_speaks_to_people_and_to_programs() -> None:
    arguments = {"book": "standard-blind", "players": 2, "matches": 1, "seed": 4}
    text, plain = StringIO(), StringIO()
    call_command("simulate", **arguments, stdout=text)
    call_command("simulate", **arguments, json=True, stdout=plain)
    report = json.loads(plain.getvalue())
    assert report["digest"] in text.getvalue() and report["matches"] == 1 and report["moves_per_second"] > 0


@pytest.mark.slow
def test_the_command_plays_all_books_at_once() -> None:
    plain, text, progress = StringIO(), StringIO(), StringIO()
    call_command("simulate", all=True, matches=22, seed=4, json=True, stdout=plain, stderr=progress)
    call_command("simulate", all=True, matches=22, seed=4, jobs=2, stdout=text, stderr=progress)
    report = json.loads(plain.getvalue())
    assert [each["book"] for each in report["books"]] == list(BOOKS) and report["matches"] == 22
    assert sum(each["moves"] for each in report["books"]) == report["moves"]
    assert report["digest"] in text.getvalue() and "100 %: 22 matches" in progress.getvalue()


@pytest.mark.parametrize(
    "arguments",
    [
        {"book": "no-such-book"},
        {"players": 1},
        {"players": 7},
        {"book": "standard-deals-3", "players": 3},
        {"matches": 0},
        {"players": None},
        {"jobs": 0},
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: dict[str, object]) -> None:
    usual: dict[str, object] = {"book": "standard-points", "players": 2, "matches": 1, "seed": 1}
    with pytest.raises(CommandError) as error:
        call_command("simulate", **(usual | arguments))
    assert error.value.returncode == 2 and "\n" not in str(error.value)
