"""Pages of the wallet."""

from django.urls import path

from wallet.views import StatementPage

app_name = "wallet"
urlpatterns = [path("", StatementPage.as_view(), name="statement")]
