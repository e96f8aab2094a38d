"""A ledger filled in bulk for measurements is like one that was posted."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.db import connection

from tests.benchmarks import _filling
from wallet.audit import audit
from wallet.base import triggers
from wallet.base.report_zone import midnight
from wallet.finance.periods import Period
from wallet.finance.totals import by_day
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: No table tells of what was played here.
OF_TABLES = "derived"


def test_a_ledger_filled_in_bulk_is_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_filling, "PLAYERS", 20)
    _filling.fill(500)
    assert Transfer.objects.count() == 500
    assert triggers.missing(connection, TRIGGERS) == []
    last = _filling.FIRST + timedelta(days=_filling.DAYS - 1)
    with time_machine.travel(_later(midnight(last))):
        assert [each for each in audit.audit().differences if each.check != OF_TABLES] == []
    days = by_day(Period(first=_filling.FIRST, last=last), "FUN")
    assert sum(day.transfers for day in days.values()) == 500
    assert min(day.transfers for day in days.values()) > 0


def _later(moment: datetime) -> datetime:
    return moment + timedelta(days=10)
