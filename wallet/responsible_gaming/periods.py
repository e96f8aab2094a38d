"""Days, weeks and months of limits, in the report zone."""

from datetime import datetime, timedelta

from wallet.base.report_zone import local_day, midnight, week_of
from wallet.responsible_gaming.models import LimitPeriod


def bounds(period: LimitPeriod | str, now: datetime) -> tuple[datetime, datetime]:
    """Return the first moment of the period that `now` lies in, and the first after it, in UTC."""
    day = local_day(now)
    if period == LimitPeriod.DAY:
        first, after = day, day + timedelta(days=1)
    elif period == LimitPeriod.WEEK:
        first = week_of(day)
        after = first + timedelta(days=7)
    else:
        first = day.replace(day=1)
        after = (first + timedelta(days=31)).replace(day=1)
    return midnight(first), midnight(after)
