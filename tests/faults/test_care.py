"""A short part of `manage.py faults care`, and the faults that it must not miss."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from tests.faults import care
from wallet.care import admission, limits, services, spans
from wallet.models import Reason

pytestmark = pytest.mark.django_db


def test_no_fee_goes_beyond_what_holds() -> None:
    care.AnyCare.counts.clear()
    care.play(10, seed=1, steps=30)
    assert care.AnyCare.counts["done"] and len(care.AnyCare.counts) >= 3


def _in_utc(span: Any, now: datetime) -> tuple[datetime, datetime]:
    with patch("wallet.days.zone", lambda: UTC), patch("wallet.care.spans.zone", lambda: UTC):
        return spans.bounds(span, now)


def _round_the_rejoin(**arguments: Any) -> None:
    if not arguments["key"].startswith("key:"):
        admission.admit(**arguments)


PLANTED = {
    "rejoins and added chips go round": ("wallet.services.care.admit", _round_the_rejoin),
    "rejoins do not count": ("wallet.care.limits.PUT_IN", (Reason.BUY_IN, Reason.ADD_CHIPS)),
    "looser an hour early": ("wallet.care.services.LOOSENING", timedelta(hours=71)),
    "days of another zone": ("wallet.care.limits.bounds", _in_utc),
    "looser at once": ("wallet.care.services._looser", lambda amount, held: False),
    "exclusions are forgotten": ("wallet.care.admission._excluded", lambda user_id, now: None),
    "one chip too many": (
        "wallet.care.admission._beyond",
        lambda user, rules, code, amount, now, real=admission._beyond: real(user, rules, code, amount - 1, now),
    ),
    "only the first limit is asked": (
        "wallet.care.limits.rules",
        lambda user, now, real=limits.rules: real(user, now)[:1],
    ),
    "a break can be shortened": ("wallet.care.services.limits.exclusions", lambda users, now: []),
}


@pytest.mark.once
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str) -> None:
    where, wrong = PLANTED[fault]
    assert timedelta(hours=72) == services.LOOSENING
    with patch(where, wrong), pytest.raises(AssertionError):
        care.play(150, seed=2)
