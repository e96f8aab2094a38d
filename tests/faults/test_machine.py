"""A few short stories, the same in every run; `manage.py faults machine` tells many new ones."""

import pytest

from tests.faults import machine
from wallet import services as wallet

pytestmark = pytest.mark.django_db


def test_whatever_is_done_in_whatever_order_nothing_is_lost() -> None:
    machine.stories(4, 25)


def test_a_planted_fault_is_told_as_a_story(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves does not get his chips back."""
    monkeypatch.setattr(wallet, "cash_out", lambda **wish: None)
    with pytest.raises(machine.Wrong, match="a seat that is free"):
        machine.stories(40, 20, shorten=False)
