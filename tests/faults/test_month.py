"""A short month of what `manage.py faults month` plays whole, and that it would see what it looks for."""

import pytest

from tests.faults import month
from wallet import reports

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_short_month_is_told_by_finance_and_export_as_the_ledger_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = month.play(seed=5, size=6, days=2)
    assert figures["faults"] == []
    assert figures["matches"] > 3
    assert figures["days_signed"] == 2
    wrongly = {**reports.FIGURES, "fees": reports.FIGURES["won"]}
    monkeypatch.setattr(reports, "FIGURES", wrongly)
    assert month._finance(2)
