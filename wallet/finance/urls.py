"""Pages for staff of finance."""

from django.urls import path

from wallet.finance import views

app_name = "finance"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("fees/", views.fees, name="fees"),
    path("entries/", views.entries, name="entries"),
    path("exports/", views.exports, name="exports"),
    path("exports/file/", views.export_file, name="export_file"),
    path("exports/progress/", views.export_progress, name="export_progress"),
    path("lift/", views.lift, name="lift"),
]
