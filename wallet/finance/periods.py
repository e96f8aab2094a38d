"""Periods for finance, those with names, the period before a given one, and the Indian financial year."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from wallet.base.errors import WalletError
from wallet.base.report_zone import midnight

#: The month in which the Indian financial year begins.
APRIL = 4
#: The days that may be asked for; the period before one of them, or its whole month, reaches beyond.
FIRST_DAY, LAST_DAY = date(1971, 1, 1), date(9990, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A period of whole days of the report zone, `first` and `last` included."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise WalletError("invalid_period", "The first day of a period is not after its last.")
        if not date(1900, 1, 1) <= self.first <= self.last <= date(9998, 1, 1):
            raise WalletError("invalid_period", "Such days are not in any ledger.")

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """Return the first moment of the period, and the first after it, in UTC."""
        return midnight(self.first), midnight(self.last + timedelta(days=1))


def month_of(day: date) -> Period:
    """Return the calendar month of the day."""
    return Period(first=day.replace(day=1), last=day.replace(day=monthrange(day.year, day.month)[1]))


def quarter_of(day: date) -> Period:
    """Return the calendar quarter of the day."""
    first = (day.month - 1) // 3 * 3 + 1
    return Period(first=day.replace(month=first, day=1), last=month_of(day.replace(month=first + 2, day=1)).last)


def financial_year_of(day: date) -> Period:
    """Return the Indian financial year of the day: April to March."""
    begins = day.year if day.month >= APRIL else day.year - 1
    return Period(first=date(begins, APRIL, 1), last=date(begins + 1, APRIL - 1, 31))


def period_before(period: Period) -> Period:
    """Return the period just before: as many months if the period is whole months, else as many days."""
    last = period.first - timedelta(days=1)
    if period.first.day == 1 and period.last == month_of(period.last).last:
        first = period.first
        for _ in range(_months(period)):
            first = (first - timedelta(days=1)).replace(day=1)
        return Period(first=first, last=last)
    return Period(first=last - (period.last - period.first), last=last)


def presets(today: date) -> list[tuple[str, Period]]:
    """Return the periods for the links on finance pages, with their titles."""
    last_month = month_of(today.replace(day=1) - timedelta(days=1))
    quarter = quarter_of(today)
    return [
        ("This month", month_of(today)),
        ("Last month", last_month),
        ("This quarter", quarter),
        ("Last quarter", quarter_of(quarter.first - timedelta(days=1))),
        ("This financial year", financial_year_of(today)),
    ]


def _months(period: Period) -> int:
    return (period.last.year - period.first.year) * 12 + period.last.month - period.first.month + 1
