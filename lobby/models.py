"""Who plays, and what staff offer them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from lobby.accounts import names
from lobby.accounts.passwords import composed
from lobby.reports.models import Report as Report
from rules.books import BOOKS, Family, RuleBook
from rules.game.state import Clocks, Terms

#: Least stack for one deal, in points (rules.md, Points and blind: money).
POINTS_PER_DEAL = 80


class PlayerManager(UserManager["Player"]):
    """Find players by name, whatever the case in which it was typed."""

    def get_by_natural_key(self, username: str | None) -> Player:
        return self.get(username__iexact=username or "")


class Player(AbstractUser):
    """A person with an account: player, staff or finance."""

    username = models.CharField(
        "name",
        max_length=20,
        unique=True,
        help_text=names.USERNAME_HELP,
        validators=[names.username_characters],
        error_messages={"unique": "This name is taken. Please choose another."},
    )
    display_name = models.CharField(
        max_length=20,
        blank=True,
        help_text="What others see at the table. Empty: the name you sign in with.",
        validators=[names.display_name_characters, names.not_reserved],
    )

    objects: ClassVar[PlayerManager] = PlayerManager()

    class Meta:
        permissions = [
            ("lock_player", "Can lock and unlock an account"),
            ("exclude_player", "Can exclude a player from play, and lift what staff have set"),
        ]
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="player_name_unique_in_any_case",
                violation_error_message="This name is taken. Please choose another.",
            ),
        ]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        """What others see of this player."""
        return self.display_name or self.username

    def set_password(self, raw_password: str | None) -> None:
        """The password, however the keyboard wrote its characters, is the one that signs in."""
        super().set_password(raw_password if raw_password is None else composed(raw_password))

    def check_password(self, raw_password: str | None) -> bool:
        return super().check_password(raw_password if raw_password is None else composed(raw_password))


class SignIn(models.Model):
    """One sign-in with a name and a password, or an attempt at it. Kept for good, changed by nobody."""

    class How(models.TextChoices):
        SESSION = "session", "in a browser"
        TOKEN = "token", "for a token"

    #: Nobody where an attempt gave a name that does not exist.
    player = models.ForeignKey(Player, models.PROTECT, null=True, related_name="sign_ins")
    at = models.DateTimeField(auto_now_add=True)
    how = models.CharField(max_length=7, choices=How, default=How.SESSION)
    succeeded = models.BooleanField(default=True)
    address = models.GenericIPAddressField(null=True)
    client = models.CharField(max_length=200, blank=True, help_text="What the browser or program calls itself.")

    class Meta:
        verbose_name = "sign-in"
        indexes = [models.Index(fields=["player", "-id"], name="sign_ins_of_a_player")]

    def __str__(self) -> str:
        return f"{self.player} at {self.at:%Y-%m-%d %H:%M}"


class Note(models.Model):
    """What staff wrote about a player, for other staff. Kept for good, changed by nobody."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="notes")
    author = models.ForeignKey(Player, models.PROTECT, related_name="+", null=True)
    at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=500)

    class Meta:
        indexes = [models.Index(fields=["player", "-id"], name="notes_on_a_player")]

    def __str__(self) -> str:
        return f"note on {self.player}"


def book_choices() -> list[tuple[str, str]]:
    """Every rule book by key, as a choice for staff."""
    return [(key, book.title) for key, book in BOOKS.items()]


class StakeCurrency(models.TextChoices):
    FUN = "FUN", "Fun chips"
    INR = "INR", "Rupees (paise)"


def _seconds(
    default: int, what: str, help_text: str = "", **options: Any
) -> models.PositiveSmallIntegerField[int, int]:
    limits = [MinValueValidator(1), MaxValueValidator(600)]
    return models.PositiveSmallIntegerField(what, default=default, validators=limits, help_text=help_text, **options)


class Stake(models.Model):
    """What staff offer in the lobby: a book, seats, a currency, money terms and clocks.

    Amounts are whole numbers of the currency's smallest unit (FUN: chips, INR: paise).
    """

    title = models.CharField(max_length=60, blank=True, help_text="Empty: a title is made from the book and the terms.")
    book = models.CharField("rule book", max_length=40, choices=book_choices)
    seats = models.PositiveSmallIntegerField(default=2, validators=[MinValueValidator(2), MaxValueValidator(6)])
    currency = models.CharField(max_length=3, choices=StakeCurrency, default=StakeCurrency.FUN)
    point_value = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Points and blind books: the price of one point.",
    )
    entry = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Pool and deals books: the entry each player pays.",
    )
    fee_percent = models.PositiveSmallIntegerField(
        "fee, percent", default=10, validators=[MaxValueValidator(50)], help_text="The house's part of what is won."
    )
    minimum = models.PositiveBigIntegerField(
        "least buy-in", null=True, blank=True, help_text="Points and blind books. Empty: 80 x the point value."
    )
    maximum = models.PositiveBigIntegerField(
        "largest buy-in", null=True, blank=True, help_text="Points and blind books. Empty: no limit but the balance."
    )
    start_seconds = models.PositiveSmallIntegerField(
        "start",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text="From the second player's seat to the deal. Empty: 10 s at two seats, 30 s at more.",
    )
    full_seconds = _seconds(5, "start, full table")
    turn_seconds = _seconds(30, "turn")
    extra_seconds = _seconds(30, "extra time", "Added in every turn once the turn's own time is over.")
    meld_seconds = _seconds(45, "meld", "For the declarer, then for the others together.")
    result_seconds = _seconds(15, "result")
    prompt_seconds = _seconds(20, "rejoin and split prompts")
    active = models.BooleanField(
        default=True, db_index=True, help_text="Off: no longer in the lobby; running tables play on."
    )
    order = models.SmallIntegerField(default=0, help_text="Smaller numbers come first in the lobby.")

    class Meta:
        ordering = ["order", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(seats__gte=2, seats__lte=6), name="stake_seats_2_to_6"),
            models.CheckConstraint(condition=Q(fee_percent__lte=50), name="stake_fee_at_most_half"),
            models.CheckConstraint(
                # A comparison with NULL is no refusal to a database: what must be there is named.
                condition=Q(point_value__isnull=False, point_value__gt=0, entry__isnull=True)
                | Q(entry__isnull=False, entry__gt=0, point_value=None, minimum=None, maximum=None),
                name="stake_point_value_or_entry",
            ),
            models.CheckConstraint(
                condition=Q(minimum__isnull=True) | Q(minimum__gte=F("point_value") * POINTS_PER_DEAL),
                name="stake_minimum_pays_a_full_count",
            ),
            models.CheckConstraint(
                condition=Q(maximum__isnull=True)
                | (Q(maximum__gte=F("minimum")) & Q(minimum__isnull=False))
                | (Q(maximum__gte=F("point_value") * POINTS_PER_DEAL) & Q(minimum__isnull=True)),
                name="stake_maximum_not_below_minimum",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.made_title

    @property
    def rule_book(self) -> RuleBook:
        return BOOKS[self.book]

    @property
    def made_title(self) -> str:
        """A title from the book alone; the terms stand beside it wherever it is shown."""
        return self.rule_book.title if self.book in BOOKS else "Stake"

    @property
    def least(self) -> int:
        """The least amount to sit down with: the least buy-in, or the entry; smallest units."""
        if self.entry is not None:
            return self.entry
        return self.minimum or POINTS_PER_DEAL * (self.point_value or 0)

    @property
    def most(self) -> int | None:
        """The largest amount to sit down with, None where only the balance limits it; smallest units."""
        return self.entry if self.entry is not None else self.maximum

    def clean(self) -> None:
        """Refuse terms that the book does not allow, each at its own field."""
        super().clean()
        faults = self._faults()
        if faults:
            raise ValidationError(faults)

    def _faults(self) -> dict[str, str]:
        if self.book not in BOOKS:
            return {"book": "There is no such rule book."}
        faults: dict[str, str] = {}
        book = self.rule_book
        if self.seats is not None and not book.min_seats <= self.seats <= book.max_seats:
            faults["seats"] = f"{book.title} is for {book.min_seats} to {book.max_seats} players."
        if self.currency != StakeCurrency.FUN and not settings.REAL_MONEY:
            faults["currency"] = "Real money is switched off on this installation."
        return faults | (self._point_faults() if plays_for_points(book) else self._entry_faults())

    def _point_faults(self) -> dict[str, str]:
        faults: dict[str, str] = {}
        if not self.point_value:
            faults["point_value"] = "This book is played for a price per point."
        if self.entry is not None:
            faults["entry"] = "This book has no entry; leave this empty."
        full_count = POINTS_PER_DEAL * (self.point_value or 0)
        if self.minimum is not None and self.minimum < full_count:
            faults["minimum"] = f"At least 80 x the point value: {full_count}."
        if self.maximum is not None and self.maximum < (self.minimum or full_count):
            faults["maximum"] = "The largest buy-in is below the least one."
        return faults

    def _entry_faults(self) -> dict[str, str]:
        faults = {} if self.entry else {"entry": "This book is played for an entry."}
        for name in ("point_value", "minimum", "maximum"):
            if getattr(self, name) is not None:
                faults[name] = "This book is played for an entry; leave this empty."
        return faults

    def terms(self) -> Terms:
        """The engine's terms of this stake: amounts in smallest units, clocks in ms, the book with its version."""
        default = Clocks()
        start = None if self.start_seconds is None else self.start_seconds * 1000
        return Terms(
            book=self.book,
            book_version=self.rule_book.version,
            seats=self.seats,
            point_value=self.point_value or 0,
            entry=self.entry or 0,
            fee_percent=self.fee_percent,
            minimum=self.least if self.point_value else 0,
            maximum=self.maximum,
            clocks=Clocks(
                start_two=start or default.start_two,
                start_more=start or default.start_more,
                start_full=self.full_seconds * 1000,
                turn=self.turn_seconds * 1000,
                extra=self.extra_seconds * 1000,
                meld=self.meld_seconds * 1000,
                result=self.result_seconds * 1000,
                prompt=self.prompt_seconds * 1000,
            ),
        )


def plays_for_points(book: RuleBook) -> bool:
    """True where money follows each point (points, blind), False where an entry is paid (pool, deals)."""
    return book.family in (Family.POINTS, Family.BLIND)
