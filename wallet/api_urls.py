"""Addresses of the wallet below /api/."""

from django.urls import path

from wallet.api import RefillView, StatementFileView, StatementView, WalletView
from wallet.finance.api import DaysView, ExportView, FeesView, LedgerView, PlacesView
from wallet.finance.months.api import MonthsView

urlpatterns = [
    path("wallet/", WalletView.as_view(), name="api-wallet"),
    path("wallet/refill/", RefillView.as_view(), name="api-refill"),
    path("wallet/statement/", StatementView.as_view(), name="api-statement"),
    path("wallet/statement/download/", StatementFileView.as_view(), name="api-statement-file"),
    path("finance/ledger/", LedgerView.as_view(), name="api-finance-ledger"),
    path("finance/days/", DaysView.as_view(), name="api-finance-days"),
    path("finance/places/", PlacesView.as_view(), name="api-finance-places"),
    path("finance/fees/", FeesView.as_view(), name="api-finance-fees"),
    path("finance/months/", MonthsView.as_view(), name="api-finance-months"),
    path("finance/export/", ExportView.as_view(), name="api-finance-export"),
]
