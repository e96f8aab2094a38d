"""How long a clock must run for time that its players could not use: the cases of `outages.allowance`, to the ms."""

from typing import Any

import pytest

from rules.game import Clock
from rules.game.state import ClockKind
from tables.models import Outage
from tables.play import outages

#: A clock of 30 s that ends at 130 s.
CLOCK = Clock(kind=ClockKind.TURN, deadline=130_000, length=30_000, seat=0)


def out(began: int, ended: int) -> Outage:
    return Outage(began_ms=began, ended_ms=ended)


#: Each case: the time, what is known besides, and the ms from then for which the clock must run.
CASES: dict[str, tuple[int, dict[str, Any], int]] = {
    "it runs": (110_000, {}, 0),
    "it ends at this moment": (130_000, {}, 0),
    "it ended a little ago": (135_000, {}, 0),
    "it was forgotten": (135_001, {}, 10_000),
    "it was cut with much left": (120_000, {"missed": [out(105_000, 120_000)]}, 25_000),
    "it was cut some time ago": (122_000, {"missed": [out(105_000, 120_000)]}, 23_000),
    "it was cut with little left": (127_000, {"missed": [out(126_000, 127_000)]}, 10_000),
    "it would have ended meanwhile": (170_000, {"missed": [out(129_000, 170_000)]}, 10_000),
    "it would have ended long ago but for a long outage": (170_000, {"missed": [out(110_000, 170_000)]}, 20_000),
    "it began in the outage": (120_000, {"missed": [out(95_000, 120_000)]}, 30_000),
    "it was cut twice": (125_000, {"missed": [out(101_000, 104_000), out(120_000, 125_000)]}, 13_000),
    "the outage was over before it began": (110_000, {"missed": [out(80_000, 99_999)]}, 0),
    "the outage ends later by this clock": (110_000, {"missed": [out(105_000, 110_001)]}, 0),
    "it was forgotten, and no outage had a part in it": (140_000, {"missed": [out(80_000, 99_999)]}, 0),
    "the database clock was set back": (50_000, {"missed": [out(105_000, 50_000)]}, 30_000),
    "the same, by less": (100_001, {"missed": [out(105_000, 100_001)]}, 0),
    "who returns has enough left": (120_000, {"returns": True}, 0),
    "who returns has too little left": (120_001, {"returns": True}, 10_000),
    "somebody is unheard, and it runs": (129_999, {"unheard": True}, 0),
    "somebody is unheard, and it has ended": (130_000, {"unheard": True}, 10_000),
}


@pytest.fixture(autouse=True)
def books_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wallet.ledger.settlement_freeze.is_frozen", lambda: False)


@pytest.mark.parametrize("case", CASES)
def test_a_clock_must_run_for(case: str) -> None:
    now, known, expected = CASES[case]
    assert outages.allowance(CLOCK, now, **known) == expected


def test_while_settlement_is_frozen_a_forgotten_clock_only_waits_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wallet.ledger.settlement_freeze.is_frozen", lambda: True)
    assert outages.allowance(CLOCK, 200_000) == 0
    assert outages.allowance(CLOCK, 200_000, [out(129_000, 200_000)]) == 10_000
