"""Pages of the wallet: the player's, those about the books for everybody, and those of finance."""

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
