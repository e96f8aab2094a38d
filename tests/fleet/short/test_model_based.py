"""A few short sequences of operations, the same in every run; `python -m tests.fleet model_based` runs many more."""

import pytest

from tests.fleet import model_based
from wallet.play_money import services as play_money

pytestmark = pytest.mark.django_db


def test_no_order_of_operations_loses_anything() -> None:
    model_based.run_sequences(4, 25)


class Leavers(model_based.AnyTable):
    """Players who only sit down and leave: with real shuffles, other sequences take long to get that far."""

    play = play_on = vandal = stale = again = add_chips = vanish = come_back = None
    tick = jump = step_the_clock = freeze = resume = cancel = None


def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a player who leaves does not get their chips back."""
    monkeypatch.setattr(play_money, "cash_out", lambda **wish: None)
    with pytest.raises(model_based.Violation, match="a seat that is free"):
        model_based.run_sequences(20, 10, machine=Leavers, shorten=False)
