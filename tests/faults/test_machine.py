"""A few short stories, the same in every run; `manage.py faults machine` tells many new ones."""

import pytest

from tables import services
from tests.faults import machine

pytestmark = pytest.mark.django_db


def test_whatever_is_done_in_whatever_order_nothing_is_lost() -> None:
    machine.stories(4, 25)


def test_a_planted_fault_is_told_as_a_story(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked before is done once more."""
    monkeypatch.setattr(services, "_first_answer", lambda *arguments: None)
    monkeypatch.setattr(services, "_remember", lambda *arguments: None)
    with pytest.raises(machine.Wrong):
        machine.stories(40, 20, shorten=False)
