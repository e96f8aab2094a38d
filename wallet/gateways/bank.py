"""The desk for bank transfers: players transfer by themselves and quote a reference, staff look it up at the bank."""

from django.conf import settings

from wallet.gateways.base import WayIn
from wallet.gateways.models import Deposit
from wallet.money import display


class Bank:
    name = "bank"
    title = "Bank transfer"
    by_hand = True

    def way_in(self, deposit: Deposit) -> WayIn:
        return WayIn(
            lines=(
                ("Transfer", display(deposit.amount, deposit.currency)),
                ("To", settings.MONEY_BANK_DETAILS),
                ("Quote as reference", deposit.reference),
            )
        )
