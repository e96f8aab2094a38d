"""The stakes that staff offer in the lobby."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from rules.books import BOOKS, FULL_COUNT, RuleBook
from rules.game import Clocks, Terms
from tables.models import Table
from wallet.base.money import CURRENCIES, LARGEST_AMOUNT

#: How long a result stands where chips are for fun and nobody is in a hurry; see rules/RULES.md, Clocks.
UNHURRIED_RESULT_SECONDS = 30


def book_choices() -> list[tuple[str, str]]:
    """Return every rule book by key, as a choice for staff."""
    return [(key, book.title) for key, book in BOOKS.items()]


def currency_choices() -> list[tuple[str, str]]:
    """Return every currency by code, as a choice for staff and players."""
    return [(each.code, each.title.capitalize()) for each in CURRENCIES.values()]


def _seconds(
    default: int, label: str, help_text: str = "", **options: Any
) -> models.PositiveSmallIntegerField[int, int]:
    limits = [MinValueValidator(1), MaxValueValidator(600)]
    return models.PositiveSmallIntegerField(label, default=default, validators=limits, help_text=help_text, **options)


class Stake(models.Model):
    """An offer of staff in the lobby: a rule book, seats, a currency, money terms and clocks.

    Amounts are whole numbers of the currency's smallest unit.
    """

    title = models.CharField(max_length=60, blank=True, help_text="Empty: a title is made from the book and the terms.")
    book = models.CharField("rule book", max_length=40, choices=book_choices)
    seats = models.PositiveSmallIntegerField(default=2, validators=[MinValueValidator(2), MaxValueValidator(6)])
    currency = models.CharField(max_length=10, choices=currency_choices, default="FUN")
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
                # A check whose comparison gives NULL passes, so columns that must not be NULL are named.
                condition=Q(point_value__isnull=False, point_value__gt=0, entry__isnull=True)
                | Q(entry__isnull=False, entry__gt=0, point_value=None, minimum=None, maximum=None),
                name="stake_point_value_or_entry",
            ),
            models.CheckConstraint(
                condition=Q(minimum__isnull=True) | Q(minimum__gte=F("point_value") * FULL_COUNT),
                name="stake_minimum_pays_a_full_count",
            ),
            models.CheckConstraint(
                condition=Q(maximum__isnull=True)
                | (Q(maximum__gte=F("minimum")) & Q(minimum__isnull=False))
                | (Q(maximum__gte=F("point_value") * FULL_COUNT) & Q(minimum__isnull=True)),
                name="stake_maximum_not_below_minimum",
            ),
        ]

    def __str__(self) -> str:
        return self.title or (self.rule_book.title if self.book in BOOKS else "Stake")

    @property
    def rule_book(self) -> RuleBook:
        return BOOKS[self.book]

    @property
    def least(self) -> int:
        """The least amount to sit down with: the least buy-in, or the entry; smallest units."""
        if self.entry is not None:
            return self.entry
        return self.minimum or FULL_COUNT * (self.point_value or 0)

    @property
    def most(self) -> int | None:
        """The largest amount to sit down with, None where only the balance limits it; smallest units."""
        return self.entry if self.entry is not None else self.maximum

    def clean(self) -> None:
        """Refuse terms that the book does not allow, each at its own field; a book that is none, its field refuses."""
        super().clean()
        faults = self._faults()
        if faults:
            raise ValidationError(faults)

    def _faults(self) -> dict[str, str]:
        if self.book not in BOOKS:
            return {}
        faults: dict[str, str] = {}
        book = self.rule_book
        if self.seats is not None and not book.min_seats <= self.seats <= book.max_seats:
            faults["seats"] = f"{book.title} is for {book.min_seats} to {book.max_seats} players."
        return faults | (self._point_faults() if book.per_point else self._entry_faults())

    def _point_faults(self) -> dict[str, str]:
        faults: dict[str, str] = {}
        if not self.point_value:
            faults["point_value"] = "This book is played for a price per point."
        if self.entry is not None:
            faults["entry"] = "This book has no entry; leave this empty."
        needed = self.rule_book.least_stack(self.point_value or 0)
        if needed > LARGEST_AMOUNT:
            faults["point_value"] = f"A full count comes to {needed}, and the books take {LARGEST_AMOUNT} at most."
        if self.minimum is not None and self.minimum < needed:
            faults["minimum"] = f"At least {self.rule_book.full_count} x the point value: {needed}."
        if self.maximum is not None and self.maximum < (self.minimum or needed):
            faults["maximum"] = "The largest buy-in is below the least one."
        return faults

    def _entry_faults(self) -> dict[str, str]:
        faults = {} if self.entry else {"entry": "This book is played for an entry."}
        pot = (self.entry or 0) * (self.seats or 0)
        if pot > LARGEST_AMOUNT:
            faults["entry"] = f"The entries of a table come to {pot}, and the books take {LARGEST_AMOUNT} at most."
        for name in ("point_value", "minimum", "maximum"):
            if getattr(self, name) is not None:
                faults[name] = "This book is played for an entry; leave this empty."
        return faults

    def terms(self) -> Terms:
        """Return the engine's terms of this stake: amounts in smallest units, clocks in ms, book and version."""
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


class HostedTable(models.Model):
    """A table that is found by a code alone, and the player who has opened it: nobody they block takes a seat there."""

    table = models.OneToOneField(Table, models.CASCADE, related_name="hosted")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="hosted_tables")

    def __str__(self) -> str:
        return f"table {self.table_id} of player {self.player_id}"
