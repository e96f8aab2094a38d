"""A short part of `python -m tests.fleet care`, and planted faults that it must detect."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from tests.fleet import care
from wallet.audit.audit import AuditReport
from wallet.models import Reason
from wallet.responsible_gaming import admission, limits, services as responsible_gaming

pytestmark = pytest.mark.django_db


def test_no_fee_goes_beyond_what_holds() -> None:
    care.AnyCare.counts.clear()
    care.play(10, seed=1, steps=30)
    assert care.AnyCare.counts["done"] and len(care.AnyCare.counts) >= 3


def _in_utc(period: Any, now: datetime, bounds: Any = limits.bounds) -> tuple[datetime, datetime]:
    with patch("wallet.base.report_zone.zone", lambda: UTC):
        since, until = bounds(period, now)
        return since, until


def _round_the_rejoin(*, admit: Any = admission.admit, **arguments: Any) -> None:
    if not arguments["key"].startswith("key:"):
        admit(**arguments)


PLANTED = {
    "rejoins and added chips go round": ("wallet.responsible_gaming.admission.admit", _round_the_rejoin),
    "rejoins do not count": ("wallet.responsible_gaming.limits.PUT_IN", (Reason.BUY_IN, Reason.ADD_CHIPS)),
    "looser an hour early": ("wallet.responsible_gaming.services.LOOSENING", timedelta(hours=71)),
    "days of another zone": ("wallet.responsible_gaming.limits.bounds", _in_utc),
    "looser at once": ("wallet.responsible_gaming.services._is_looser", lambda amount, limit: False),
    "exclusions are forgotten": ("wallet.responsible_gaming.admission._excluded", lambda user_id, now: None),
    "one chip too many": (
        "wallet.responsible_gaming.admission._beyond",
        lambda user, rules, code, amount, now, real=admission._beyond: real(user, rules, code, amount - 1, now),
    ),
    "only the first limit is asked": (
        "wallet.responsible_gaming.limits.rules",
        lambda user, now, real=limits.rules: real(user, now)[:1],
    ),
    "a break can be shortened": ("wallet.responsible_gaming.services.limits.exclusions", lambda users, now: []),
}

#: The seed that comes to the fault soonest, where it is not 2.
SOONEST = {"rejoins do not count": 1}


#: The audit after each run costs more than its steps, which are what sees these faults.
NO_AUDIT = ("tests.fleet.care.audit.audit", lambda: AuditReport(accounts=0, postings=0, transfers=0, differences=[]))


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str) -> None:
    target, replacement = PLANTED[fault]
    assert timedelta(hours=72) == responsible_gaming.LOOSENING
    with patch(target, replacement), patch(*NO_AUDIT), pytest.raises(AssertionError):
        care.play(150, seed=SOONEST.get(fault, 2))
