"""The models of the wallet: the books, what is kept about them, and the sums that are added up of them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from wallet.base.money import LARGEST_AMOUNT
from wallet.base.places import COLUMNS, PostingPlace
from wallet.base.requests import TwoPersonRequest
from wallet.language import gettext_lazy


class AccountKind(models.TextChoices):
    """What an account is for. Only kinds in MAY_BE_NEGATIVE may be below zero: money comes from them."""

    PLAYER = "player", "Player's balance"
    STACK = "stack", "Stack at a table"
    POT = "pot", "Pot of a match"
    FEES = "fees", "Fees"
    ISSUANCE = "issuance", "Issuance"
    PRACTICE = "practice", "Practice house"


MAY_BE_NEGATIVE = (AccountKind.ISSUANCE, AccountKind.PRACTICE)
HOUSE = (AccountKind.FEES, AccountKind.ISSUANCE, AccountKind.PRACTICE)
LONGEST_KEY = 100
#: The accounts that tell what somebody holds now.
HELD = Q(kind=AccountKind.PLAYER) | Q(balance__gt=0)


class Reason(models.TextChoices):
    """Why money moved, in the words that players read."""

    SIGN_UP = "sign_up", gettext_lazy("Welcome chips")
    REFILL = "refill", gettext_lazy("Daily refill")
    BUY_IN = "buy_in", gettext_lazy("Took a seat")
    ADD_CHIPS = "add_chips", gettext_lazy("Added chips at the table")
    DEAL = "deal", gettext_lazy("Deal settled")
    CASH_OUT = "cash_out", gettext_lazy("Left the table")
    ENTRY = "entry", gettext_lazy("Entry to a match")
    REJOIN = "rejoin", gettext_lazy("Rejoined a match")
    PRIZE = "prize", gettext_lazy("Prize of a match")
    REFUND = "refund", gettext_lazy("Match cancelled, entry returned")
    TOURNAMENT_ENTRY = "t_entry", gettext_lazy("Entry to a tournament")
    TOURNAMENT_PRIZE = "t_prize", gettext_lazy("Prize of a tournament")
    TOURNAMENT_REFUND = "t_refund", gettext_lazy("Entry to a tournament returned")
    CHIPS_ISSUED = "t_chips", gettext_lazy("Tournament chips issued")
    CHIPS_TAKEN_BACK = "t_back", gettext_lazy("Tournament chips taken back")
    ADJUST = "adjust", gettext_lazy("Adjusted by our staff")
    FORFEIT = "forfeit", gettext_lazy("Forfeited when the account was closed")


#: Why tables move money: each such posting follows from an event of a table.
OF_TABLES = (
    Reason.BUY_IN, Reason.ADD_CHIPS, Reason.DEAL, Reason.CASH_OUT,
    Reason.ENTRY, Reason.REJOIN, Reason.PRIZE, Reason.REFUND, Reason.CHIPS_ISSUED, Reason.CHIPS_TAKEN_BACK,
)  # fmt: skip


class Account(models.Model):
    """One holder of one currency. `balance` is in smallest units and always the sum of the transfers so far."""

    kind = models.CharField(max_length=12, choices=AccountKind)
    reference = models.CharField(
        max_length=40, help_text="user, seating, match or tournament, each with its id; or house."
    )
    currency = models.CharField(max_length=10)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="accounts", editable=False
    )
    balance = models.BigIntegerField(default=0, editable=False)
    head = models.CharField(
        max_length=64, default="", db_default="", blank=True, editable=False, help_text="Seal of its latest transfer."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "reference", "currency"], name="wallet_account_one_each"),
            models.UniqueConstraint(
                fields=["kind", "reference"],
                condition=Q(kind__in=[AccountKind.STACK, AccountKind.POT]),
                name="wallet_account_one_currency",
            ),
            models.CheckConstraint(condition=Q(kind__in=AccountKind.values), name="wallet_account_kind"),
            models.CheckConstraint(
                condition=Q(balance__gte=0) | Q(kind__in=MAY_BE_NEGATIVE), name="wallet_account_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(kind=AccountKind.STACK)
                | Q(kind=AccountKind.PLAYER, owner__isnull=False)
                | Q(kind__in=[AccountKind.POT, *HOUSE], owner__isnull=True),
                name="wallet_account_owner",
            ),
        ]
        # A player leaves an empty stack behind at every table; what they hold is found without them.
        indexes = [
            models.Index(fields=["owner"], condition=HELD, name="wallet_account_held"),
            models.Index(fields=["kind"], condition=Q(kind=AccountKind.POT, balance__gt=0), name="wallet_account_pots"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reference} {self.currency}"


class Posting(models.Model):
    """A group of transfers made together or not at all, under a unique key."""

    key = models.CharField(max_length=LONGEST_KEY, unique=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the key, the reason, the transfers and the place.")
    reason = models.CharField(max_length=12, choices=Reason)
    created_at = models.DateTimeField(db_index=True)
    at_table = models.BigIntegerField(null=True, verbose_name="table", help_text="None: not made in play.")
    at_match = models.BigIntegerField(null=True, verbose_name="match")
    at_deal = models.BigIntegerField(null=True, verbose_name="deal")
    at_stake = models.BigIntegerField(null=True, verbose_name="stake", help_text="None at a table: practice.")
    at_book = models.CharField(max_length=40, default="", db_default="", verbose_name="rule book")
    at_title = models.CharField(max_length=80, default="", db_default="", verbose_name="title of the table")
    trail_entry = models.BigIntegerField(
        null=True, editable=False, help_text="The latest entry of the audit trail then; the links cover its seal."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="wallet_posting_key"),
            models.CheckConstraint(condition=Q(reason__in=Reason.values), name="wallet_posting_reason"),
        ]
        indexes = [
            models.Index(fields=["at_table"], condition=Q(at_table__isnull=False), name="wallet_posting_at_table")
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def place(self) -> PostingPlace | None:
        """Return where it was made, None where that was at no table."""
        return PostingPlace.of([getattr(self, column) for column in COLUMNS])


class Transfer(models.Model):
    """`amount` smallest units moved from `debit` to `credit`; the two balances are those right afterwards."""

    posting = models.ForeignKey(Posting, models.PROTECT, related_name="transfers", db_index=False)
    line = models.PositiveSmallIntegerField(help_text="Place within the posting, from 0.")
    debit = models.ForeignKey(Account, models.PROTECT, related_name="debits", db_index=False)
    credit = models.ForeignKey(Account, models.PROTECT, related_name="credits", db_index=False)
    amount = models.BigIntegerField()
    debit_balance = models.BigIntegerField()
    credit_balance = models.BigIntegerField()
    seal = models.CharField(
        max_length=64,
        default="",
        db_default="",
        help_text="HMAC-SHA-256 of this transfer and of the seals before it on both its accounts.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["posting", "line"], name="wallet_transfer_line"),
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=LARGEST_AMOUNT), name="wallet_transfer_amount"
            ),
            models.CheckConstraint(condition=~Q(debit=F("credit")), name="wallet_transfer_two_sides"),
        ]
        indexes = [
            models.Index(fields=["debit", "id"], name="wallet_transfer_debit"),
            models.Index(fields=["credit", "id"], name="wallet_transfer_credit"),
        ]

    def __str__(self) -> str:
        return f"{self.posting} line {self.line}"


class DayHead(models.Model):
    """All transfers of a day (UTC) and of the days before it, in one fingerprint; an act of the trail tells it, too."""

    day = models.DateField(unique=True)
    transfers = models.PositiveBigIntegerField(help_text="How many the day had.")
    last_transfer = models.PositiveBigIntegerField(help_text="Its id.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the day's seals and of the signed day before.")
    signed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.day}"


class AuditRun(models.Model):
    """One audit of the books and what it found."""

    started_at = models.DateTimeField(db_index=True)
    ended_at = models.DateTimeField()
    accounts = models.PositiveBigIntegerField()
    postings = models.PositiveBigIntegerField()
    transfers = models.PositiveBigIntegerField()
    differences = models.PositiveIntegerField(help_text="How many were found.")
    findings = models.JSONField(default=list, help_text="The first of them, by name.")

    class Meta:
        permissions = [
            ("view_finance", "Can see the finance pages and export the ledger"),
            ("lift_freeze", "Can let settlement go on after a difference"),
        ]

    def __str__(self) -> str:
        return f"audit of {self.started_at:%Y-%m-%d %H:%M}: {self.differences or 'no'} differences"


class Freeze(models.Model):
    """Settlement is frozen from `since` until one of finance asks to lift the freeze, and another lifts it."""

    since = models.DateTimeField()
    reason = models.CharField(max_length=300)
    run = models.ForeignKey(AuditRun, models.PROTECT, null=True, blank=True, related_name="freezes")
    note = models.CharField(max_length=300, blank=True, help_text="Why it is to be lifted.")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(lifted_by=F("asked_by")), name="wallet_freeze_lifted_by_two")
        ]

    def __str__(self) -> str:
        return f"settlement frozen since {self.since:%Y-%m-%d %H:%M}"


class ExportRecord(models.Model):
    """Who exported which part of the ledger."""

    at = models.DateTimeField(db_index=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    via = models.CharField(max_length=60, help_text="The page, the API, or the command and the account it ran under.")
    first_day = models.DateField(help_text="In the report zone.")
    last_day = models.DateField(help_text="In the report zone.")
    currency = models.CharField(max_length=10, blank=True, help_text="Empty: all.")
    format = models.CharField(max_length=5)
    rows = models.PositiveBigIntegerField()
    as_of = models.PositiveBigIntegerField(help_text="The id of the last transfer in it, or of the one asked for.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file.")

    def __str__(self) -> str:
        return f"{self.first_day} to {self.last_day} as {self.format}: {self.rows} rows"


class Adjustment(TwoPersonRequest):
    """A player's balance is to be changed by hand: one of the staff asks, above the limit another grants it."""

    NAME, FACTS = "adjustment", ("player_id", "currency", "amount")

    #: Names the form that was sent: sent twice, it asks once.
    request_id = models.CharField(max_length=40, unique=True)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="adjustments")
    currency = models.CharField(max_length=10)
    amount = models.BigIntegerField(help_text="In smallest units; below 0 what is taken away.")
    posting_key = models.CharField(max_length=LONGEST_KEY, blank=True, help_text="Of its posting, once there is one.")

    class Meta(TwoPersonRequest.Meta):
        permissions = [
            ("ask_adjustment", "Can ask for an adjustment"),
            ("decide_adjustment", "Can grant or refuse what another asked for"),
        ]
        constraints = [
            *TwoPersonRequest.Meta.constraints,
            models.CheckConstraint(condition=~Q(amount=0), name="wallet_adjustment_amount"),
            models.CheckConstraint(
                condition=(Q(status="granted") & ~Q(posting_key="")) | (~Q(status="granted") & Q(posting_key="")),
                name="wallet_adjustment_posted",
            ),
        ]
        indexes = [models.Index(fields=["player", "-asked_at"], name="wallet_adjusted_players")]

    def __str__(self) -> str:
        return f"adjustment {self.pk}: {self.amount:+d} {self.currency} for {self.player}"


class Acknowledgement(TwoPersonRequest):
    """A request to acknowledge a difference: once it is granted, the difference no longer freezes settlement.

    It covers exactly this difference: anything else that is found, or said otherwise, is new.
    """

    NAME, FACTS = "acknowledgement", ("digest", "check_name", "subject", "message")

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of what was found.")
    check_name = models.CharField("check", max_length=60)
    subject = models.CharField("about", max_length=300)
    message = models.TextField("what was found")

    class Meta(TwoPersonRequest.Meta):
        verbose_name = "acknowledged difference"
        permissions = [
            ("ask_acknowledgement", "Can ask for a difference to be acknowledged"),
            ("decide_acknowledgement", "Can grant or refuse what another asked for"),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.subject} {self.message}"[:200]


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
