"""A few short sequences of operations, the same in every run; `python -m tests.fleet model_based` runs many more."""

import pytest
from hypothesis.stateful import initialize

from rules.game import engine
from rules.game.phases import seating
from tests.fleet import model_based
from tests.unit.rules.game.pools import leave_and_split
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
    with pytest.raises(model_based.Violation, match="as the seat is free again"):
        model_based.run_sequences(20, 10, machine=Leavers, shorten=False)


class Bystanders(model_based.AnyTable):
    """The last deals of a pool, whose players only leave: one of them is out, and two have no drop left."""

    play = play_on = vandal = stale = again = add_chips = vanish = come_back = None
    tick = step_the_clock = freeze = resume = cancel = None

    @initialize()
    def open(self) -> None:
        super().open(key="standard-pool-101", full=True, late=True)

    def sit(self, player: int, amount: int | None, seat: int | None) -> None:
        super().sit(player, amount, seat)

    def jump(self, late: int) -> None:
        super().jump(late)


@pytest.mark.slow
def test_somebody_who_is_out_and_changes_the_running_deal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: whoever leaves between their own deals may end the running one by an automatic split."""
    monkeypatch.setattr(seating, "_leave_match", leave_and_split)
    monkeypatch.setattr(engine, "check_bystander", lambda before, seat, after: None)
    with pytest.raises(model_based.Violation, match="somebody without cards has changed the running deal"):
        model_based.run_sequences(60, 10, machine=Bystanders, shorten=False)
