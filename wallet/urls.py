"""Pages of the wallet."""

from django.urls import path

from wallet import views

app_name = "wallet"
urlpatterns = [
    path("", views.statement, name="statement"),
    path("refill/", views.refill, name="refill"),
    path("statement/download/", views.statement_file, name="statement_file"),
]
