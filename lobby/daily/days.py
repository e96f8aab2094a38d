"""Days in addresses."""

import re
from datetime import date, datetime

from tables.daily import making
from tables.errors import TableError
from tables.models import Shoe
from wallet.language import gettext as _

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def read_day(text: str) -> date | None:
    """Return the day that is written `2026-11-27`, None for anything else."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def shoe_of_day(text: str, now: datetime) -> Shoe:
    """Return the shoe of the day that is written so. TableError `not_found` where it has none, or not yet."""
    making.ensure_days(now)
    day = read_day(text)
    shoe = None if day is None else making.shoe_of(day)
    if shoe is None:
        raise TableError("not_found", _("There is no deal of such a day."), status=404)
    return shoe
