"""The addresses of the wallet: pages of the player's, about the books for everybody, of finance; and the API."""

from django.urls import include, path

from wallet import views
from wallet.finance import views as finance
from wallet.finance.months import views as months

_wallet = [
    path("", views.statement, name="statement"),
    path("refill/", views.refill, name="refill"),
    path("statement/download/", views.statement_file, name="statement_file"),
]
_transparency = [path("", views.transparency, name="heads"), path("heads.txt", views.heads_file, name="file")]
_finance = [
    path("", finance.overview, name="overview"),
    path("fees/", finance.fees, name="fees"),
    path("entries/", finance.entries, name="entries"),
    path("exports/", finance.exports, name="exports"),
    path("exports/file/", finance.export_file, name="export_file"),
    path("exports/progress/", finance.export_progress, name="export_progress"),
    path("accounts/", months.accounts, name="accounts"),
    path("months/", months.page, name="months"),
    path("months/close/", months.close, name="close_month"),
    path("months/audit/", months.audit_now, name="audit_now"),
    path("months/audit/progress/", months.audit_progress, name="audit_progress"),
    path("reports/file/", finance.report_file, name="report_file"),
    path("lift/", finance.lift, name="lift"),
]

urlpatterns = [
    path("wallet/", include((_wallet, "wallet"))),
    path("transparency/", include((_transparency, "transparency"))),
    path("finance/", include((_finance, "finance"))),
]

#: Under /api/.
api = [
    path("wallet/", views.WalletView.as_view(), name="api-wallet"),
    path("wallet/refill/", views.RefillView.as_view(), name="api-refill"),
    path("wallet/statement/", views.StatementView.as_view(), name="api-statement"),
    path("wallet/statement/download/", views.StatementFileView.as_view(), name="api-statement-file"),
    path("finance/ledger/", finance.LedgerView.as_view(), name="api-finance-ledger"),
    path("finance/days/", finance.DaysView.as_view(), name="api-finance-days"),
    path("finance/places/", finance.PlacesView.as_view(), name="api-finance-places"),
    path("finance/fees/", finance.FeesView.as_view(), name="api-finance-fees"),
    path("finance/months/", months.MonthsView.as_view(), name="api-finance-months"),
    path("finance/export/", finance.ExportView.as_view(), name="api-finance-export"),
]
