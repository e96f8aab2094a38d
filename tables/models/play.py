"""Models of play: tables, seatings, matches, deals, and the log of events."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class Table(models.Model):
    """One running instance of a stake, or a practice table.

    Its state is in `snapshot` and the events after it; only the facts that queries need have columns.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"
        FROZEN = "frozen", "frozen for staff"

    title = models.CharField(max_length=80)
    stake_id = models.BigIntegerField(null=True, db_index=True, help_text="The stake in the lobby; none for practice.")
    book = models.CharField(max_length=40)
    book_version = models.PositiveIntegerField()
    family = models.CharField(max_length=10)
    currency = models.CharField(max_length=10)
    seats = models.PositiveSmallIntegerField()
    practice_for = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="practice_tables"
    )
    strength = models.CharField(
        max_length=6,
        blank=True,
        default="",
        db_default="",
        help_text="Of its computer players; empty where there are none, and where practice was for chips of one's own.",
    )
    guided = models.BooleanField(default=False, db_default=False, help_text="The first deal comes with hints.")
    shoe = models.ForeignKey(
        "Shoe",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="tables",
        help_text="Fixed beforehand: its one deal, which others play with the same cards.",
    )
    private_code = models.CharField(max_length=12, blank=True, db_index=True)
    tournament_id = models.BigIntegerField(null=True, db_index=True, help_text="The tournament that it is part of.")
    round = models.PositiveSmallIntegerField(null=True, help_text="Of a knock-out.")
    status = models.CharField(max_length=6, choices=Status.choices, default=Status.OPEN)
    phase = models.CharField(max_length=10, default="waiting")
    seated = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveBigIntegerField(default=0)
    snapshot = models.BinaryField(
        db_default=b"",
        help_text="The state at `snapshot_version`, written by rules.game.codec and sealed; the events tell the rest.",
    )
    snapshot_version = models.PositiveBigIntegerField(default=0, db_default=0)
    deadline_ms = models.BigIntegerField(null=True, help_text="When the running clock ends, in ms since 1970 UTC.")
    computer_due_ms = models.BigIntegerField(null=True, help_text="When a computer player moves next.")
    last_outage = models.BigIntegerField(
        default=0, db_default=0, help_text="The last outage for which the running clock was put forward, if it had to."
    )
    deal = models.ForeignKey("Deal", models.PROTECT, null=True, related_name="+", help_text="The deal at hand.")
    fault = models.TextField(blank=True, help_text="Why the table was frozen.")
    terms = models.JSONField(null=True, help_text="What it was opened with: with the events, all can be rebuilt.")
    opened_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True)
    void_at = models.DateTimeField(
        null=True, help_text="When it was cancelled by the books: its state and events tell nothing certain."
    )
    log_pruned_at = models.DateTimeField(null=True, help_text="When its events went, long after it was closed.")

    class Meta:
        permissions = [
            ("freeze_table", "Can freeze and resume a table"),
            ("cancel_table", "Can cancel what is played at a table, and refund it"),
        ]
        constraints = [models.CheckConstraint(condition=Q(seats__gte=2, seats__lte=6), name="table_two_to_six_seats")]
        indexes = [
            models.Index(fields=["deadline_ms"], name="table_deadline", condition=Q(status="open")),
            models.Index(fields=["computer_due_ms"], name="table_computer_due", condition=Q(status="open")),
            models.Index(fields=["status", "stake_id"], name="table_by_stake"),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.pk})"

    @property
    def for_practice_chips(self) -> bool:
        """Return whether all players here play with chips of the practice house instead of their own."""
        return bool(self.strength)


class Seating(models.Model):
    """One stay of a player, or of a computer player, on a seat. Its id names the stack in the wallet."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="seatings")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="seatings")
    name = models.CharField(max_length=40)
    entrant_id = models.BigIntegerField(null=True, help_text="Of the tournament; none at other tables.")
    taken_at = models.DateTimeField(db_default=Now())
    left_at = models.DateTimeField(null=True, help_text="From here on the player holds the seat no more.")
    freed_at = models.DateTimeField(null=True, help_text="From here on the seat may be taken by another.")
    connection = models.CharField(max_length=32, blank=True, help_text="The one socket that plays this seat.")
    connection_count = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text="So many sockets have come to this seat."
    )
    connection_number = models.PositiveBigIntegerField(
        default=0,
        db_default=0,
        help_text="Which of them plays it, or was the last to: no earlier one ever plays again.",
    )
    seen_ms = models.BigIntegerField(default=0, help_text="Last sign of life of that socket, in ms since 1970 UTC.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "seat"], condition=Q(freed_at=None), name="one_player_a_seat"),
            models.UniqueConstraint(fields=["user", "table"], condition=Q(left_at=None), name="one_seat_a_table"),
        ]

    def __str__(self) -> str:
        return f"{self.name} on seat {self.seat + 1} of table {self.table_id}"

    @property
    def is_computer(self) -> bool:
        return self.user_id is None


class Match(models.Model):
    """One contest from its first deal to the final accounts."""

    class Status(models.TextChoices):
        OPEN = "open"
        SETTLED = "settled"
        CANCELLED = "cancelled"

    table = models.ForeignKey(Table, models.PROTECT, related_name="matches")
    book = models.CharField(max_length=40)
    book_version = models.PositiveIntegerField()
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.OPEN)
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=["table"], condition=Q(status="open"), name="one_open_match_a_table")
        ]
        indexes = [models.Index(fields=["ended_at"], name="matches_as_they_ended", condition=Q(status="settled"))]

    def __str__(self) -> str:
        return f"match {self.pk} at table {self.table_id}"


class Deal(models.Model):
    """13 cards each, played until scored. The seed stays sealed until the deal is over or void."""

    class Status(models.TextChoices):
        PREPARED = "prepared"
        PLAYING = "playing"
        OVER = "over"
        VOID = "void"
        CANCELLED = "cancelled"

    match = models.ForeignKey(Match, models.PROTECT, related_name="deals")
    number = models.PositiveIntegerField(help_text="Counts the deals of the match from 1.")
    book = models.CharField(max_length=40)
    book_version = models.PositiveIntegerField()
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.PREPARED)
    commitment = models.CharField(max_length=64, help_text="SHA-256, published before any card is dealt.")
    sealed_seed = models.BinaryField()
    client_seeds = models.JSONField(default=list, help_text="Hex, in seat order, empty for a seat that gave none.")
    order = models.JSONField(default=list, help_text="The seats in the deal, in the order of play.")
    result = models.JSONField(null=True, help_text="The rows of the result table, with names.")
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="deals_of_a_match_are_numbered")]

    def __str__(self) -> str:
        return f"deal {self.pk}"


class DealSeat(models.Model):
    """One player's part in a deal, from the deal of their hand to its outcome: an entry of their history."""

    deal = models.ForeignKey(Deal, models.PROTECT, related_name="seats")
    seating = models.ForeignKey(Seating, models.PROTECT, related_name="deals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="deals")
    seat = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=10, blank=True, help_text="Empty until the deal is scored.")
    points = models.PositiveIntegerField(default=0)
    amount = models.BigIntegerField(default=0, help_text="Won or lost, in the smallest unit of the currency.")
    total = models.PositiveIntegerField(
        null=True, help_text="Points or chips in the match so far, where it counts them."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["deal", "seat"], name="a_seat_is_scored_once")]
        indexes = [models.Index(fields=["user", "-id"], name="history_of_a_player")]

    def __str__(self) -> str:
        return f"seat {self.seat + 1} in deal {self.deal_id}: {self.outcome}, {self.points} points"


class LoggedEvent(models.Model):
    """One event at a table. The events have an order without gaps; applying them from the first gives the state."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="events")
    deal = models.ForeignKey(Deal, models.PROTECT, null=True, related_name="events")
    version = models.PositiveBigIntegerField(help_text="The version of the table that this event is part of.")
    number = models.PositiveSmallIntegerField(help_text="Counts the events of that version from 0.")
    kind = models.CharField(max_length=40)
    at_ms = models.BigIntegerField(help_text="When, in ms since 1970 UTC by the clock of the database.")
    payload = models.BinaryField(help_text="The event, written by rules.game.codec and sealed.")

    class Meta:
        db_table = "tables_event"
        constraints = [models.UniqueConstraint(fields=["table", "version", "number"], name="events_are_in_order")]

    def __str__(self) -> str:
        return f"{self.kind} at version {self.version} of table {self.table_id}"


class Pack(models.Model):
    """The events of one deal, or those before the first deal, in one row. `tables.log.packs` describes its format."""

    # The constraint below provides its index.
    table = models.ForeignKey(Table, models.PROTECT, related_name="packs", db_index=False)
    deal = models.ForeignKey(Deal, models.PROTECT, null=True, related_name="packs")
    first_version = models.PositiveBigIntegerField()
    last_version = models.PositiveBigIntegerField()
    events = models.PositiveIntegerField(help_text="How many events are in it.")
    last_ms = models.BigIntegerField(help_text="When the last of them happened, in ms since 1970 UTC.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the events, taken when they were packed.")
    content = models.BinaryField(help_text="The events, compressed and sealed.")
    packed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "first_version"], name="events_are_packed_once"),
            models.CheckConstraint(condition=Q(last_version__gte=F("first_version")), name="a_pack_has_a_version"),
        ]

    def __str__(self) -> str:
        return f"versions {self.first_version} to {self.last_version} of table {self.table_id}"


class SharedDeal(models.Model):
    """A public link to a finished deal. A player of the deal has created it and may revoke it."""

    deal = models.ForeignKey(Deal, models.PROTECT, related_name="shares")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="shared_deals")
    token = models.CharField(max_length=43, unique=True, help_text="The unguessable part of the link.")
    names_hidden = models.BooleanField(help_text="Whether players go by their seats there.")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, help_text="From here on the link leads nowhere.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["deal", "user"], condition=Q(revoked_at=None), name="one_link_a_deal")
        ]

    def __str__(self) -> str:
        return f"link {self.pk} to deal {self.deal_id}"


class Answer(models.Model):
    """The stored answer to a request with an id: a repeat of the request gets the same answer and changes nothing."""

    seating = models.ForeignKey(Seating, models.CASCADE, related_name="answers")
    request_id = models.CharField(max_length=64)
    answer = models.JSONField()
    answered_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["seating", "request_id"], name="a_request_is_answered_once")]

    def __str__(self) -> str:
        return f"answer to {self.request_id}"


class ServerHeartbeat(models.Model):
    """The heartbeat of the web processes, in one row: when one last served.

    In ms since 1970 UTC by the database clock. Workers do not write it: without web processes nobody can play,
    without workers play continues.
    """

    at_ms = models.BigIntegerField(default=0)
    refused_ms = models.BigIntegerField(null=True, help_text="Since when the database takes no moves; see `outages`.")

    def __str__(self) -> str:
        return f"alive at {self.at_ms}"


class Outage(models.Model):
    """A span of time in which no web process served, or no move could be written; see `outages`. In ms as there.

    An outage that ends before it begins shows that the database clock was ahead and was set back.
    """

    began_ms = models.BigIntegerField()
    ended_ms = models.BigIntegerField()

    def __str__(self) -> str:
        return f"outage {self.pk} of {self.ended_ms - self.began_ms} ms"
