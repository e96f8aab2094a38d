"""The desk for bank transfers: players transfer by themselves and quote a reference, staff look it up at the bank."""

from django.conf import settings

from wallet.base.money import display
from wallet.payments.models import Deposit
from wallet.payments.providers.base import Instructions


class Bank:
    name = "bank"
    title = "Bank transfer"
    by_hand = True

    def instructions(self, deposit: Deposit) -> Instructions:
        return Instructions(
            lines=(
                ("Transfer", display(deposit.amount, deposit.currency)),
                ("To", settings.MONEY_BANK_DETAILS),
                ("Quote as reference", deposit.reference),
            )
        )
