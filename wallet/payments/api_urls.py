"""Addresses of deposits and withdrawals below /api/."""

from django.urls import path

from wallet.payments import api

urlpatterns = [
    path("wallet/identity/", api.IdentityView.as_view(), name="api-identity"),
    path("wallet/deposits/", api.Deposits.as_view(), name="api-deposits"),
    path("wallet/deposits/<int:deposit_id>/cancel/", api.DepositCancel.as_view(), name="api-deposit-cancel"),
    path("wallet/withdrawals/", api.Withdrawals.as_view(), name="api-withdrawals"),
    path("wallet/withdrawals/<int:withdrawal_id>/cancel/", api.WithdrawalCancel.as_view(), name="api-hold-cancel"),
    path("gateways/test/webhook/", api.TestWebhook.as_view(), name="api-test-webhook"),
]
