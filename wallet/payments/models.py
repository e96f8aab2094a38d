"""Who may play for money, and what came in and went out. Amounts are in smallest units, of real money only."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from wallet.base.money import LARGEST_AMOUNT, REAL


class Identity(models.Model):
    """What a player declares about themselves, and whether staff have seen it proved. A new declaration is unproved."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="identity", editable=False)
    jurisdiction = models.CharField("lives in", max_length=6, help_text="As ISO 3166-2 has it, such as IN-GA.")
    birth_date = models.DateField()
    terms = models.CharField("terms accepted", max_length=20, help_text="Their version.")
    terms_at = models.DateTimeField("accepted at")
    declared_at = models.DateTimeField()
    verified_at = models.DateTimeField(null=True)
    verified_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    proved_at = models.DateTimeField(
        "first verified at", null=True, editable=False, help_text="Kept whatever becomes of it: it opens withdrawals."
    )

    class Meta:
        verbose_name_plural = "identities"
        permissions = [("verify_identity", "Can verify what a player declares, and take that back")]
        constraints = [
            models.CheckConstraint(
                condition=Q(verified_at=None, verified_by=None)
                | Q(verified_at__isnull=False, verified_by__isnull=False),
                name="gateways_identity_verified_by_somebody",
            ),
            models.CheckConstraint(condition=~Q(verified_by=F("player")), name="gateways_identity_not_by_himself"),
            models.CheckConstraint(
                condition=Q(verified_at=None) | Q(proved_at__isnull=False), name="gateways_identity_proved_for_good"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}, {self.jurisdiction}, born {self.birth_date}"


class Movement(models.Model):
    """What a deposit and a withdrawal have in common: one asks, one of the staff confirms, another one decides."""

    #: Names the form that was sent: sent twice, it asks once.
    request = models.CharField(max_length=40)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="%(class)ss")
    gateway = models.CharField(max_length=12)
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField(help_text="In smallest units.")
    asked_at = models.DateTimeField()
    bank_reference = models.CharField(max_length=40, blank=True, help_text="The bank's own, as staff read it there.")
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision = models.CharField("why it was decided so", max_length=500, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(fields=["player", "request"], name="%(app_label)s_%(class)s_once"),
            models.UniqueConstraint(
                fields=["gateway", "bank_reference"],
                condition=~Q(bank_reference=""),
                name="%(app_label)s_%(class)s_bank_once",
                violation_error_message="This bank reference belongs to another one.",
            ),
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=LARGEST_AMOUNT), name="%(app_label)s_%(class)s_amount"
            ),
            models.CheckConstraint(condition=Q(currency__in=REAL), name="%(app_label)s_%(class)s_real_money"),
            models.CheckConstraint(condition=~Q(confirmed_by=F("player")), name="%(app_label)s_%(class)s_not_confirms"),
            models.CheckConstraint(condition=~Q(decided_by=F("player")), name="%(app_label)s_%(class)s_not_decides"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.model_name} {self.pk} of {self.player}"


_TWO_PEOPLE = Q(confirmed_by__isnull=False, decided_by__isnull=False) & ~Q(decided_by=F("confirmed_by"))


class Deposit(Movement):
    """A player pays in. The ledger moves once it is done, never before."""

    class Status(models.TextChoices):
        ASKED = "asked", "waits for your payment"
        CONFIRMED = "confirmed", "payment seen, waits for approval"
        DONE = "done", "in your balance"
        REFUSED = "refused", "refused"
        CANCELLED = "cancelled", "cancelled by you"

    OPEN = (Status.ASKED, Status.CONFIRMED)

    reference = models.CharField(max_length=12, unique=True, help_text="What the player quotes when paying.")
    status = models.CharField(max_length=9, choices=Status, default=Status.ASKED)

    class Meta(Movement.Meta):
        abstract = False
        permissions = [
            ("confirm_deposit", "Can confirm that a deposit has arrived"),
            ("approve_deposit", "Can approve or refuse a deposit that another confirmed"),
        ]
        constraints = [
            *Movement.Meta.constraints,
            models.CheckConstraint(
                condition=~Q(status="done") | Q(gateway="test") | _TWO_PEOPLE, name="gateways_deposit_two_people"
            ),
        ]
        indexes = [
            models.Index(fields=["player", "-id"], name="gateways_deposits_of"),
            models.Index(fields=["status"], condition=Q(status__in=["asked", "confirmed"]), name="gateways_deposits"),
        ]


class Withdrawal(Movement):
    """A player is paid out. The amount is on hold from the moment they ask, until it is paid or returned."""

    class Status(models.TextChoices):
        ASKED = "asked", "on hold, waits for our staff"
        CONFIRMED = "confirmed", "on hold, waits for approval"
        PAID = "paid", "paid out"
        REFUSED = "refused", "refused, returned to your balance"
        CANCELLED = "cancelled", "cancelled by you, returned to your balance"

    OPEN = (Status.ASKED, Status.CONFIRMED)

    status = models.CharField(max_length=9, choices=Status, default=Status.ASKED)
    destination = models.BinaryField(help_text="Where it goes, sealed: see `vault`.")
    ending = models.CharField("account", max_length=4, help_text="The last four of the account's number.")

    class Meta(Movement.Meta):
        abstract = False
        permissions = [
            ("confirm_withdrawal", "Can see where a withdrawal goes, and confirm it"),
            ("approve_withdrawal", "Can approve or refuse a withdrawal that another confirmed"),
        ]
        constraints = [
            *Movement.Meta.constraints,
            models.CheckConstraint(condition=~Q(status="paid") | _TWO_PEOPLE, name="gateways_withdrawal_two_people"),
        ]
        indexes = [
            models.Index(fields=["player", "-id"], name="gateways_withdrawals_of"),
            models.Index(
                fields=["status"], condition=Q(status__in=["asked", "confirmed"]), name="gateways_withdrawals"
            ),
        ]


class GatewayEvent(models.Model):
    """What a gateway told us, under its signature, and what came of it. Added once, never changed."""

    class Outcome(models.TextChoices):
        APPLIED = "applied", "applied"
        IGNORED = "ignored", "nothing to do"
        UNKNOWN = "unknown_reference", "no such deposit"
        AMOUNT = "wrong_amount", "another amount was asked for"
        CURRENCY = "wrong_currency", "another currency was asked for"
        CLOSED = "closed", "the deposit was closed already"
        NOT_ELIGIBLE = "not_eligible", "the player may not play for money"

    gateway = models.CharField(max_length=12)
    event = models.CharField(max_length=60, help_text="The gateway's own name for it.")
    at = models.DateTimeField()
    kind = models.CharField(max_length=40)
    reference = models.CharField(max_length=40)
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    digest = models.CharField(max_length=64, help_text="SHA-256 of what was sent.")
    outcome = models.CharField(max_length=20, choices=Outcome)
    deposit = models.ForeignKey(Deposit, models.PROTECT, null=True, related_name="events")

    class Meta:
        db_table = "gateways_event"
        constraints = [models.UniqueConstraint(fields=["gateway", "event"], name="gateways_event_once")]

    def __str__(self) -> str:
        return f"{self.gateway} {self.event}: {self.outcome}"
