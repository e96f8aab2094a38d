"""A corrupted game is frozen alone and refunded once, whatever record is left."""

import pytest

from tables import staff
from tests.fleet import corruption
from wallet.play_money import recovery

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.databases
def test_ruined_games_are_refunded_once_and_none_is_stuck() -> None:
    figures = corruption.run(seed=7, size=12)
    assert figures["faults"] == []
    assert figures["games"] == figures["refunded"] == 12


def test_the_harness_sees_chips_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "stack", lambda seating: 0)
    assert corruption.run(seed=1, size=8)["faults"]


def test_the_harness_sees_a_table_that_cannot_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise RuntimeError("nobody knows whose chips these are")

    monkeypatch.setattr(staff, "void", refuse)
    assert any("nobody knows" in fault for fault in corruption.run(seed=1, size=6)["faults"])
