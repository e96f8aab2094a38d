"""What is added up of the transfers by day, and kept. The audit adds all of it up again."""

from django.conf import settings
from django.db import models

from wallet.models.books import AccountKind, Reason


class Closing(models.Model):
    """The transfers after the id `after`, up to and with `last`, added up by day. Made by `sums.close_days`."""

    zone = models.CharField(max_length=64, help_text="Whose days these are.")
    after = models.PositiveBigIntegerField()
    last = models.PositiveBigIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["zone", "after"], name="wallet_closing_once")]

    def __str__(self) -> str:
        return f"closing of transfers up to {self.last}"


class DaySum(models.Model):
    """How many transfers of a closing one day had of one sort, and their amount in smallest units."""

    closing = models.ForeignKey(Closing, models.PROTECT, related_name="sums")
    day = models.DateField()
    currency = models.CharField(max_length=10)
    reason = models.CharField(max_length=12, choices=Reason)
    debit_kind = models.CharField(max_length=12, choices=AccountKind)
    debit_unowned = models.BooleanField(help_text="The account that paid is nobody's: the house's, a computer's.")
    credit_kind = models.CharField(max_length=12, choices=AccountKind)
    credit_unowned = models.BooleanField(help_text="The account that was paid is nobody's.")
    transfers = models.PositiveBigIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["currency", "day"], name="wallet_daysum_day")]

    def __str__(self) -> str:
        return f"{self.reason} of {self.day}: {self.amount} {self.currency}"


class PlaceSum(models.Model):
    """How many transfers of a closing to or from accounts at tables one day had at one place, and their amount."""

    closing = models.ForeignKey(Closing, models.PROTECT, related_name="place_sums")
    day = models.DateField()
    currency = models.CharField(max_length=10)
    reason = models.CharField(max_length=12, choices=Reason)
    debit_kind = models.CharField(max_length=12, choices=AccountKind)
    credit_kind = models.CharField(max_length=12, choices=AccountKind)
    at_table = models.BigIntegerField(null=True)
    at_stake = models.BigIntegerField(null=True)
    at_book = models.CharField(max_length=40)
    at_title = models.CharField(max_length=80)
    account = models.CharField(max_length=40, help_text="Of the stack or pot, where nobody said at which table.")
    transfers = models.PositiveBigIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["currency", "day"], name="wallet_placesum_day")]

    def __str__(self) -> str:
        return f"{self.reason} at table {self.at_table} on {self.day}: {self.amount} {self.currency}"


class FeeSum(models.Model):
    """How many fees of a closing a player bore on one day, and what they bore of them; see `wallet.ledger.fees`."""

    closing = models.ForeignKey(Closing, models.PROTECT, related_name="fee_sums")
    day = models.DateField()
    currency = models.CharField(max_length=10)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text="None: computer players."
    )
    transfers = models.PositiveBigIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["currency", "day"], name="wallet_feesum_day")]

    def __str__(self) -> str:
        return f"fees of {self.player or 'computers'} on {self.day}: {self.amount} {self.currency}"
