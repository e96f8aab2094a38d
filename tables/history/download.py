"""The download of a player's own history as a file."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpResponseBase

from tables.history import selectors
from wallet.finance.own_data import takeout

#: The columns of the file, and the field that each is read from; amounts in the smallest unit of the currency.
_FIELDS = {
    "ended_at_utc": "deal__ended_at",
    "deal": "deal_id",
    "match": "deal__match_id",
    "table": "deal__match__table_id",
    "title": "deal__match__table__title",
    "book": "deal__book",
    "number": "deal__number",
    "seat": "seat",
    "outcome": "outcome",
    "points": "points",
    "total": "total",
    "currency": "deal__match__table__currency",
    "amount": "amount",
}


def history_takeout(user: AbstractBaseUser, *, format: str, **query: Any) -> HttpResponseBase:
    """Return a file of the user's scored deals that match the query (see `filters.filter_deals`), oldest first."""
    deals = selectors.finished_deals(user, **query)
    rows = deals.order_by("id").values_list(*_FIELDS.values()).iterator(chunk_size=2000)
    return takeout(name="history", format=format, columns=tuple(_FIELDS), rows=rows)
