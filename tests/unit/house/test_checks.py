"""The doors run every check, report which failed, and never call a run good that left something out."""

import pytest

from tests import checks, doors
from tests.checks import Check

PASSES, FAILS = Check("what passes", ["-c", "print('so it goes')"]), Check("what fails", ["-c", "raise SystemExit(3)"])


def test_every_check_runs_and_its_outcome_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    passed, failed, again = checks.run([PASSES, FAILS, PASSES], lanes=2)
    assert (passed.passed, failed.passed, again.passed) == (True, False, True)
    assert 0 < passed.processor <= 60
    output = capsys.readouterr().out
    assert output.count("so it goes") == 2 and "what fails: FAILED" in output


@pytest.mark.parametrize(
    ("arguments", "of_the_door", "status"),
    [
        ([], [PASSES], 0),
        ([], [PASSES, FAILS], 1),
        ([], [PASSES, Check("what is left out", [], lacks="no means")], 0),
        (["--all"], [PASSES, Check("what is left out", [], lacks="no means")], 1),
        (["--al"], [PASSES], 2),
    ],
)
def test_a_door_is_green_when_nothing_failed_and_with_all_when_nothing_was_left_out(
    arguments: list[str],
    of_the_door: list[Check],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doors, "_fast", lambda: of_the_door)
    monkeypatch.setattr(doors, "_everything", lambda: of_the_door)
    assert doors.run(arguments) == status
    output = capsys.readouterr().out
    if not arguments:
        assert "manage.py test --all" in output.splitlines()[-1], "it says what it did not run, and how to"
    assert ("LEFT OUT  what is left out: no means" in output) is (len(of_the_door) == 2 and bool(of_the_door[1].lacks))
