"""Pages for staff of finance."""

from django.urls import path

from wallet.finance import views as finance_views

app_name = "finance"
urlpatterns = [
    path("", finance_views.overview, name="overview"),
    path("fees/", finance_views.fees, name="fees"),
    path("entries/", finance_views.entries, name="entries"),
    path("exports/", finance_views.exports, name="exports"),
    path("exports/file/", finance_views.export_file, name="export_file"),
    path("exports/progress/", finance_views.export_progress, name="export_progress"),
    path("lift/", finance_views.lift, name="lift"),
]
