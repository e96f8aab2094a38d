"""Two deals of `python -m tests.fleet growth`, and proof that it detects a deal that is not packed."""

import pytest

from tables.log import upkeep
from tests.fleet import growth

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_deal_of_six_is_small_once_it_is_packed_and_the_audit_is_clean() -> None:
    figures = growth.run(seed=1, size=2)
    assert figures["faults"] == []
    assert figures["deals packed"] == 3, "two deals, and what came before the first"
    assert figures["packed"]["all"] < figures["live"]["all"]


def test_a_deal_that_stays_large_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "run_upkeep", lambda kinds: {})
    (fault,) = growth.run(seed=1, size=1)["faults"]
    assert fault.startswith("a packed deal takes")
