"""Days and moments in the zone of the reports."""

from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet.language import gettext as _, translatable


def zone() -> ZoneInfo:
    """Return the zone of the days in reports: the setting REPORT_ZONE, else Asia/Kolkata."""
    return ZoneInfo(getattr(settings, "REPORT_ZONE", "Asia/Kolkata"))


def midnight(day: date) -> datetime:
    """Return when that day begins in the report zone, in UTC."""
    return datetime.combine(day, time(), zone()).astimezone(UTC)


def local_day(moment: datetime) -> date:
    """Return the day that the moment is on in the report zone: 18:30 UTC is the next day in India."""
    return moment.astimezone(zone()).date()


def today() -> date:
    """Return the day that it is in the report zone."""
    return local_day(timezone.now())


def this_day() -> tuple[datetime, datetime]:
    """Return when the present day began, and when the next begins, in UTC."""
    day = today()
    return midnight(day), midnight(day + timedelta(days=1))


def day_left() -> int:
    """Return the seconds that are left of the day, rounded up."""
    return ceil((this_day()[1] - timezone.now()).total_seconds())


def monday_of(day: date) -> date:
    """Return the Monday of its week."""
    return day - timedelta(days=day.weekday())


def in_utc(moment: datetime) -> datetime | None:
    """Return the moment in UTC, in which databases store it: PostgreSQL knows no zones 16 hours off, as +23:59.

    None for one that does not exist there: calendars end at the years 1 and 9999.
    """
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return None


def format_moment(moment: datetime) -> str:
    """Return the moment in the report zone, as all pages show it: `21 Nov 2026, 04:35 IST`."""
    return f"{format_moment_short(moment)} {zone_name(moment)}"


def format_moment_short(moment: datetime) -> str:
    """Format as `format_moment`, without the zone: for columns whose heading names it."""
    return date_format(moment.astimezone(zone()), "j M Y, H:i")


def format_moment_seconds(moment: datetime) -> str:
    """Format as `format_moment_short`, to the second."""
    return f"{format_moment_short(moment)}:{moment:%S}"


def format_moment_iso(moment: datetime) -> str:
    """Return the moment in UTC to the second, for the `datetime` of a `<time>`, which has no microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def format_moment_with_utc(moment: datetime) -> SafeString:
    """Return the moment to the second for staff, as HTML: the report zone, and UTC under the pointer."""
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        format_moment_iso(utc), f"{utc:%Y-%m-%d %H:%M:%S} UTC", format_moment_seconds(moment),
    )  # fmt: skip


def zone_name(moment: datetime | None = None) -> str:
    """Return the name of the report zone at that moment, by default now: IST, or UTC+04 if it has no letters."""
    name = f"{(moment or timezone.now()).astimezone(zone()):%Z}"
    return name if name.isalpha() else f"UTC{name}"


#: The city in the name of the default zone.
USUAL_PLACE = translatable("Kolkata")


def zone_in_words() -> str:
    """Return the report zone in words: `Kolkata time (IST)`."""
    return _("{place} time ({zone})", place=_(zone().key.split("/")[-1].replace("_", " ")), zone=zone_name())
