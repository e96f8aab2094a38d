"""Days, weeks and months of limits, in the report zone."""

from datetime import date, datetime, timedelta

from wallet.base.report_zone import midnight, zone
from wallet.responsible_gaming.models import LimitPeriod


def today(now: datetime) -> date:
    """Return the date of that moment in the report zone."""
    return now.astimezone(zone()).date()


def bounds(period: LimitPeriod | str, now: datetime) -> tuple[datetime, datetime]:
    """Return the first moment of the period that `now` lies in, and the first after it, in UTC."""
    day = today(now)
    if period == LimitPeriod.DAY:
        first, after = day, day + timedelta(days=1)
    elif period == LimitPeriod.WEEK:
        first = day - timedelta(days=day.weekday())
        after = first + timedelta(days=7)
    else:
        first = day.replace(day=1)
        after = (first + timedelta(days=31)).replace(day=1)
    return midnight(first), midnight(after)
