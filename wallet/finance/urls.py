"""Addresses of the finance pages."""

from django.urls import path

from wallet.finance import views
from wallet.finance.months import views as months

app_name = "finance"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("fees/", views.fees, name="fees"),
    path("entries/", views.entries, name="entries"),
    path("exports/", views.exports, name="exports"),
    path("exports/file/", views.export_file, name="export_file"),
    path("exports/progress/", views.export_progress, name="export_progress"),
    path("accounts/", months.accounts, name="accounts"),
    path("months/", months.page, name="months"),
    path("months/close/", months.close, name="close_month"),
    path("months/audit/", months.audit_now, name="audit_now"),
    path("months/audit/progress/", months.audit_progress, name="audit_progress"),
    path("reports/file/", views.report_file, name="report_file"),
    path("lift/", views.lift, name="lift"),
]
