"""Pages of deposits and withdrawals, below the wallet's."""

from django.urls import path

from wallet.payments import views

urlpatterns = [
    path("money/", views.overview, name="money"),
    path("money/details/", views.details, name="details"),
    path("money/terms/", views.terms, name="terms"),
    path("money/deposits/", views.deposit_ask, name="deposit_ask"),
    path("money/deposits/<int:deposit_id>/", views.deposit, name="deposit"),
    path("money/deposits/<int:deposit_id>/cancel/", views.deposit_cancel, name="deposit_cancel"),
    path("money/withdrawals/", views.withdrawal_ask, name="withdrawal_ask"),
    path("money/withdrawals/<int:withdrawal_id>/cancel/", views.withdrawal_cancel, name="withdrawal_cancel"),
    path("money/checkout/<str:reference>/", views.checkout, name="checkout"),
]
