"""Where computer players think: an expert beside the process that serves, with the same answers."""

import json
import os
import resource
import signal

import pytest

from rules import bots
from tables.play import computers
from tests.unit.rules.game.hands import PURE, RAGS
from tests.unit.rules.game.play import Table, deal, play

HAND = "3H 4H 7C 8C JS JH KS KD 2C 9D 10D AC 6S"


@pytest.fixture
def table() -> Table:
    table = deal("standard-points", [HAND, RAGS], upcard="5H", cut="9S")
    play(table, "draw closed")
    return table


def test_an_expert_answers_from_a_process_of_its_own_as_it_would_here(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bots.choose(table.view(0), bots.Strength.EXPERT)
    monkeypatch.setattr(bots, "choose", None)
    assert computers.decision(table.view(0), bots.Strength.EXPERT) == expected


def test_the_others_decide_where_they_are(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computers, "_expert", None)
    for strength in (bots.Strength.GENTLE, bots.Strength.SOUND, bots.Strength.SHARP):
        assert computers.decision(table.view(0), strength) == bots.choose(table.view(0), strength)


def test_an_expert_whose_process_is_gone_still_answers_and_is_started_again(table: Table) -> None:
    expected = bots.choose(table.view(0), bots.Strength.EXPERT)
    assert computers.decision(table.view(0), bots.Strength.EXPERT) == expected
    first = computers._expert()._process
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert computers.decision(table.view(0), bots.Strength.EXPERT) == expected
    assert computers.decision(table.view(0), bots.Strength.EXPERT) == expected
    again = computers._expert()._process
    assert again is not None and again.pid != first.pid


def test_who_finds_the_process_taken_for_too_long_decides_here(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computers, "_PATIENCE", 0)
    monkeypatch.setattr(computers, "_expert", None)
    with computers._one_at_a_time:
        expected = bots.choose(table.view(0), bots.Strength.EXPERT)
        assert computers.decision(table.view(0), bots.Strength.EXPERT) == expected
    assert not computers._one_at_a_time.locked()


def test_it_answers_a_server_that_has_many_files_open(table: Table) -> None:
    """`select` takes no file beyond 1,024; each socket of a player is one."""
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < 1_200:
        pytest.skip("this machine allows too few open files")
    computers._expert().end()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(few, 1_200), most))
    files = list[int]()
    try:
        while not files or files[-1] < 1_050:
            files.append(os.open(os.devnull, os.O_RDONLY))
        assert isinstance(computers._expert().asked(table.view(0)), dict)
    finally:
        for file in files:
            os.close(file)
        computers._expert().end()
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))


def test_its_process_ends_with_its_input(table: Table) -> None:
    computers.decision(table.view(0), bots.Strength.EXPERT)
    process = computers._expert()._process
    assert process is not None and process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    computers._expert().end()


def test_nothing_to_do_is_no_move() -> None:
    table = deal("standard-points", [PURE, RAGS], cut="9S")
    assert computers.decision(json.loads(json.dumps(table.view(1))), bots.Strength.EXPERT) is None
