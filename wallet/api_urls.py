"""Addresses of the wallet below /api/."""

from django.urls import path

from wallet.api import StatementView, WalletView

urlpatterns = [
    path("wallet/", WalletView.as_view(), name="api-wallet"),
    path("wallet/statement/", StatementView.as_view(), name="api-statement"),
]
