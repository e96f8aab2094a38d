"""Days as the platform counts them: in the zone that reports are made in."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from django.conf import settings


def zone() -> ZoneInfo:
    """The zone whose days reports are made of: the setting REPORT_ZONE, else Asia/Kolkata."""
    return ZoneInfo(getattr(settings, "REPORT_ZONE", "Asia/Kolkata"))


def midnight(day: date) -> datetime:
    """When that day begins in the report zone, in UTC."""
    return datetime.combine(day, time(), zone()).astimezone(UTC)
