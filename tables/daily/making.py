"""Making series of fixed shoes: each day's, a day ahead, and those of duplicate matches."""

import secrets
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from rules.books import BOOKS
from rules.bots import Strength
from rules.shuffling import commitment
from tables.log.sealing import SHOES
from tables.models import Series, Shoe
from tables.play.records import SEED_BYTES
from wallet.base import report_zone

#: What is played: the simplest book against three computer players, for one chip a point.
BOOK, SEATS, STRENGTH = "standard-points", 4, Strength.SHARP
#: The shoes of a duplicate match, and for how long it may be played.
MATCH_SHOES: Final = 8
MATCH_LASTS: Final = timedelta(days=7)


def ensure_days(now: datetime | None = None) -> None:
    """Make the shoes of today and of tomorrow, where nobody has; so each is promised on the day before."""
    day = report_zone.local_day(now or timezone.now())
    days = (day, day + timedelta(days=1))
    made = set(Series.objects.filter(day__in=days).values_list("day", flat=True))
    for each in days:
        if each not in made:
            make_day(each)


def make_day(day: date) -> None:
    """Make the shoe of the day; whoever else has just done so was faster, and theirs stays."""
    begins, ends = report_zone.midnight(day), report_zone.midnight(day + timedelta(days=1))
    try:
        with transaction.atomic():
            series = _series(day=day, begins_at=begins, ends_at=ends)
            _add_shoe(series, 1, f"daily-{day.isoformat()}")
    except IntegrityError:
        if not Series.objects.filter(day=day).exists():
            raise


@transaction.atomic
def make_match(*, user: Any, code: str, now: datetime) -> Series:
    """Make a duplicate match of the user's that may be played from now on by whoever has its code."""
    series = _series(code=code, made_by=user, begins_at=now, ends_at=now + MATCH_LASTS)
    for number in range(1, MATCH_SHOES + 1):
        _add_shoe(series, number, label_in_match(code, number))
    return series


def label_in_match(code: str, number: int) -> str:
    """Return the label of a shoe of the match with that code, which does not tell the code: it stands in each deal."""
    return f"duplicate-{sha256(code.encode()).hexdigest()[:16]}-{number}"


def _series(**columns: Any) -> Series:
    book = BOOKS[BOOK]
    return Series.objects.create(
        book=book.key, book_version=book.version, seats=SEATS, strength=STRENGTH.value, **columns
    )


def _add_shoe(series: Series, number: int, label: str) -> None:
    seed = secrets.token_bytes(SEED_BYTES)
    shoe = Shoe(series=series, number=number, label=label, commitment=commitment(label, seed))
    shoe.sealed_seed = SHOES.seal(shoe, seed)
    shoe.save()


def shoe_of(day: date) -> Shoe | None:
    """Return the shoe of the day with its series; None for a day that has none."""
    return Shoe.objects.select_related("series").filter(series__day=day).first()


def following_shoe(shoe: Shoe) -> Shoe:
    """Return the shoe of the day after that of this one; it is made with it."""
    assert shoe.series.day is not None
    day = shoe.series.day + timedelta(days=1)
    if (following := shoe_of(day)) is None:
        make_day(day)
        following = shoe_of(day)
    assert following is not None
    return following
