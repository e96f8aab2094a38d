"""Declared identities of players, and all payments in and out. Amounts are in smallest units of real money."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from wallet.base.money import LARGEST_AMOUNT, REAL
from wallet.language import worded_later

#: The currency of deposits and withdrawals: rupees, the only real money.
CURRENCY = "INR"


class Identity(models.Model):
    """A player's declaration about themselves, and whether staff have verified it. A changed one is unverified."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="identity", editable=False)
    jurisdiction = models.CharField("lives in", max_length=6, help_text="As ISO 3166-2 has it, such as IN-GA.")
    birth_date = models.DateField()
    terms = models.CharField("terms accepted", max_length=20, help_text="Their version.")
    terms_at = models.DateTimeField("accepted at")
    declared_at = models.DateTimeField()
    verified_at = models.DateTimeField(null=True)
    verified_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    pan = models.CharField(
        "PAN", max_length=64, blank=True, default="", db_default="", editable=False,
        help_text="A mark of the PAN that staff saw, made with the installation's key: the same PAN has the same mark.",
    )  # fmt: skip
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
            models.UniqueConstraint(
                fields=["pan"], condition=~Q(pan="") & Q(verified_at__isnull=False), name="gateways_identity_pan_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}, {self.jurisdiction}, born {self.birth_date}"


class Decided(models.Model):
    """A payment that one member of staff confirms and another decides, nobody about their own money."""

    gateway = models.CharField(max_length=12)
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField(help_text="In smallest units.")
    bank_reference = models.CharField(max_length=40, blank=True, help_text="The bank's own, as staff read it there.")
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision = models.CharField("why it was decided so", max_length=500, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=LARGEST_AMOUNT), name="%(app_label)s_%(class)s_amount"
            ),
            models.CheckConstraint(condition=Q(currency__in=REAL), name="%(app_label)s_%(class)s_real_money"),
            models.CheckConstraint(condition=~Q(confirmed_by=F("player")), name="%(app_label)s_%(class)s_not_confirms"),
            models.CheckConstraint(condition=~Q(decided_by=F("player")), name="%(app_label)s_%(class)s_not_decides"),
        ]


class Movement(Decided):
    """A deposit or withdrawal, which a player requests."""

    #: The name of the form that was sent, so that a form sent twice counts once.
    request = models.CharField(max_length=40)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="%(class)ss")
    asked_at = models.DateTimeField()

    class Meta(Decided.Meta):
        abstract = True
        constraints = [
            *Decided.Meta.constraints,
            models.UniqueConstraint(fields=["player", "request"], name="%(app_label)s_%(class)s_once"),
            # The reference of a refused or cancelled row is free for the right one.
            models.UniqueConstraint(
                fields=["gateway", "bank_reference"],
                condition=~Q(bank_reference="") & ~Q(status__in=["refused", "cancelled"]),
                name="%(app_label)s_%(class)s_bank_once",
                violation_error_message="This bank reference belongs to another one.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.model_name} {self.pk} of {self.player}"


_TWO_PEOPLE = Q(confirmed_by__isnull=False, decided_by__isnull=False) & ~Q(decided_by=F("confirmed_by"))


class Deposit(Movement):
    """A payment by a player. It is posted in the ledger when it is done, never before."""

    class Status(models.TextChoices):
        ASKED = "asked", worded_later("waits for your payment")
        CONFIRMED = "confirmed", worded_later("payment seen, waits for approval")
        DONE = "done", worded_later("in your balance")
        REFUSED = "refused", worded_later("refused")
        CANCELLED = "cancelled", worded_later("cancelled by you")

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
    """A payment to a player. The amount is on hold from the request until it is paid out or returned.

    If the bank returns a paid withdrawal, the money arrives in suspense and then returns to the player's balance.
    """

    class Status(models.TextChoices):
        ASKED = "asked", worded_later("on hold, waits for our staff")
        CONFIRMED = "confirmed", worded_later("on hold, waits for approval")
        PAID = "paid", worded_later("paid out")
        REFUSED = "refused", worded_later("refused, returned to your balance")
        CANCELLED = "cancelled", worded_later("cancelled by you, returned to your balance")
        CAME_BACK = "came_back", worded_later("returned by the bank, in your balance again")

    OPEN = (Status.ASKED, Status.CONFIRMED)

    status = models.CharField(max_length=9, choices=Status, default=Status.ASKED)
    destination = models.BinaryField(help_text="Where it goes, sealed: see `vault`.")
    ending = models.CharField("account", max_length=4, help_text="The last four of the account's number.")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, editable=False, related_name="+",
        help_text="Who of the staff asked for a player who cannot; none where they asked themselves.",
    )  # fmt: skip

    class Meta(Movement.Meta):
        abstract = False
        permissions = [
            ("confirm_withdrawal", "Can see where a withdrawal goes, and confirm it"),
            ("approve_withdrawal", "Can approve or refuse a withdrawal that another confirmed"),
        ]
        constraints = [
            *Movement.Meta.constraints,
            models.CheckConstraint(
                condition=~Q(status__in=["paid", "came_back"]) | _TWO_PEOPLE, name="gateways_withdrawal_two_people"
            ),
            models.CheckConstraint(condition=~Q(asked_by=F("player")), name="gateways_withdrawal_not_asks"),
            models.CheckConstraint(condition=~Q(decided_by=F("asked_by")), name="gateways_withdrawal_asker_apart"),
        ]
        indexes = [
            models.Index(fields=["player", "-id"], name="gateways_withdrawals_of"),
            models.Index(
                fields=["status"], condition=Q(status__in=["asked", "confirmed"]), name="gateways_withdrawals"
            ),
        ]


class GatewayEvent(models.Model):
    """A signed event of a gateway, and its outcome. Rows are only added, never changed."""

    class Outcome(models.TextChoices):
        APPLIED = "applied", "applied"
        IGNORED = "ignored", "nothing to do"
        UNKNOWN = "unknown_reference", "no such deposit"
        AMOUNT = "wrong_amount", "another amount was asked for"
        CURRENCY = "wrong_currency", "a currency of which we take nothing, sent back by the gateway"
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


class SuspenseItem(Decided):
    """A payment that has arrived and may not enter a balance; it waits until two people have sent it back.

    A withdrawal that the bank returns waits only for the second of them, and then returns to its player's balance.
    """

    class Status(models.TextChoices):
        WAITS = "waits", worded_later("waits in suspense")
        CONFIRMED = "confirmed", worded_later("waits for approval")
        SENT_BACK = "sent_back", worded_later("sent back where it came from")
        CAME_BACK = "came_back", worded_later("in the player's balance again")

    class Why(models.TextChoices):
        UNKNOWN = "unknown_reference", "there is no such deposit"
        AMOUNT = "wrong_amount", "another amount was asked for"
        CLOSED = "closed", "the deposit was closed already"
        NOT_ELIGIBLE = "not_eligible", "the player may not play for money"
        RETURNED = "returned", "the bank returned a withdrawal"

    OPEN = (Status.WAITS, Status.CONFIRMED)

    arrival = models.CharField(max_length=60, help_text="The gateway's event, or the bank's reference of what arrived.")
    arrived_at = models.DateTimeField()
    why = models.CharField("why it is here", max_length=20, choices=Why)
    status = models.CharField(max_length=9, choices=Status, default=Status.WAITS)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="suspended", help_text="As far as known."
    )
    deposit = models.ForeignKey(Deposit, models.PROTECT, null=True, related_name="suspended")
    withdrawal = models.OneToOneField(Withdrawal, models.PROTECT, null=True, related_name="came_back")
    event = models.OneToOneField(GatewayEvent, models.PROTECT, null=True, related_name="suspended")
    noted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta(Decided.Meta):
        abstract = False
        verbose_name = "payment in suspense"
        verbose_name_plural = "payments in suspense"
        permissions = [
            ("confirm_suspenseitem", "Can note a payment that fits no deposit, and confirm that it goes back"),
            ("approve_suspenseitem", "Can approve what another confirmed of a payment in suspense"),
        ]
        constraints = [
            *Decided.Meta.constraints,
            models.UniqueConstraint(fields=["gateway", "arrival"], name="gateways_suspense_once"),
            models.CheckConstraint(
                condition=~Q(status__in=["sent_back", "came_back"]) | _TWO_PEOPLE, name="gateways_suspense_two_people"
            ),
            models.CheckConstraint(
                condition=Q(withdrawal=None, why__in=["unknown_reference", "wrong_amount", "closed", "not_eligible"])
                | Q(withdrawal__isnull=False, why="returned"),
                name="gateways_suspense_why",
            ),
        ]
        indexes = [models.Index(fields=["player", "-id"], name="gateways_suspense_of")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}: {self.get_why_display()}"
