"""Pages of the wallet."""

from django.urls import path

from wallet import views

app_name = "wallet"
urlpatterns = [path("", views.statement, name="statement")]
