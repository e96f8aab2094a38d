"""Glicko-2 by the worked example of its author, and what must hold of any try."""

import pytest
from hypothesis import given, strategies as st

from lobby.puzzles.rating import LEAST_DEVIATION, Glicko, after_period, after_try

standings = st.builds(
    Glicko, rating=st.floats(400, 3000), deviation=st.floats(LEAST_DEVIATION, 350), volatility=st.floats(0.03, 0.1)
)


def test_the_worked_example_of_the_paper() -> None:
    opponents = [(Glicko(1400, 30), 1.0), (Glicko(1550, 100), 0.0), (Glicko(1700, 300), 0.0)]
    found = after_period(Glicko(1500, 200, 0.06), opponents)
    assert found.rating == pytest.approx(1464.06, abs=0.02)
    assert found.deviation == pytest.approx(151.52, abs=0.02)
    assert found.volatility == pytest.approx(0.05999, abs=0.00001)


def test_the_volatility_does_not_depend_on_where_the_scale_begins() -> None:
    """Only differences of ratings count: packages that take the rating for the deviation in step 5 fail here."""
    low = after_period(Glicko(1500, 60, 0.06), [(Glicko(1200, 60), 0.0)] * 6)
    high = after_period(Glicko(2500, 60, 0.06), [(Glicko(2200, 60), 0.0)] * 6)
    assert high.volatility == pytest.approx(low.volatility, rel=1e-9)
    assert high.rating - low.rating == pytest.approx(1000)


@given(standings, standings)
def test_who_wins_rises_and_who_loses_falls(one: Glicko, other: Glicko) -> None:
    up, down = after_try(one, other, won=True), after_try(one, other, won=False)
    assert down.rating < one.rating < up.rating
    assert LEAST_DEVIATION <= up.deviation <= 352


def test_a_surprise_moves_further_than_what_was_expected() -> None:
    strong, weak = Glicko(1900, 80), Glicko(1100, 80)
    assert after_try(weak, strong, won=True).rating - 1100 > 3 * (after_try(strong, weak, won=True).rating - 1900)
