"""A short month of `python -m tests.fleet accounting_month`, and proof that it detects planted faults."""

import pytest

from tests.fleet import accounting_month, exported_files, sums
from wallet.finance.totals import BALANCES, FIGURES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


def test_finance_and_exports_of_a_short_month_agree_with_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exported_files, "OFFICE", None)
    figures = accounting_month.play(seed=5, size=6, days=2)
    assert figures["faults"] == []
    assert figures["matches"] >= 6
    assert figures["days_signed"] == 2
    assert all(figures["sums"].get(name) for name in FIGURES)
    _every_wrong_figure_is_seen(monkeypatch)


def _every_wrong_figure_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    period, ledger = sums.month_of(accounting_month.FIRST, 2), sums.add_up("FUN")
    assert ledger.closing[accounting_month.FIRST]["in_play"] > 0
    for name, other in zip(FIGURES, [*list(FIGURES)[1:], "won"], strict=True):
        with monkeypatch.context() as patch:
            patch.setitem(FIGURES, name, FIGURES[other])
            findings = sums.differences(period, "FUN", ledger)
        assert findings, name
    for name, other in (("in_play", "liabilities"), ("liabilities", "in_play")):
        with monkeypatch.context() as patch:
            patch.setitem(BALANCES, name, BALANCES[other])
            assert any(name in each for each in sums.differences(period, "FUN", ledger))
