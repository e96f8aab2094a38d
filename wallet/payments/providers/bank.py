"""The gateway for bank transfers: players transfer and quote a reference, staff look it up at the bank."""

from django.conf import settings

from wallet.base.money import display
from wallet.language import worded, worded_later
from wallet.payments.models import Deposit
from wallet.payments.providers.base import Instructions


class Bank:
    name = "bank"
    title = worded_later("Bank transfer")
    by_hand = True

    def instructions(self, deposit: Deposit) -> Instructions:
        return Instructions(
            lines=(
                (worded("Transfer"), display(deposit.amount, deposit.currency)),
                (worded("To"), settings.MONEY_BANK_DETAILS),
                (worded("Quote as reference"), deposit.reference),
            )
        )
