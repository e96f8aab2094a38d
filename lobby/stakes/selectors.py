"""Stakes with their open tables as plain values, for the lobby's pages, API and socket."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from lobby.stakes import open_tables
from lobby.stakes.models import Stake
from lobby.stakes.open_tables import OpenTable
from rules.books import BOOKS, FULL_COUNT
from tables.history import selectors as history
from tables.models import DealSeat, Seating
from wallet.base.money import CURRENCIES

#: The most tables of a stake that the lobby shows; the API lists all of them in pages.
MOST_TABLES_LISTED = 12
#: A player who has finished this many deals is no newcomer and sees every game at once.
NEWCOMER_DEALS = 3
MOST_LOOKED_AT = 50
NO_TABLES = open_tables.Counts()
#: For so many seconds what was read of all stakes is told again: static/js/lobby/now.js asks that long after a change.
LATELY = 0.5


class StakeAnswer(TypedDict):
    id: int
    active: Annotated[bool, "False in a push: no longer offered."]
    title: str
    book: str
    family: str
    seats: int
    currency: str
    point_value: int | None
    entry: int | None
    fee_percent: int
    minimum: Annotated[int, "Least amount to sit down with."]
    maximum: Annotated[int | None, "Largest amount; null: the balance."]
    seated: int
    waiting: int
    playing: int
    tables_open: Annotated[int, "How many tables are open; `/api/stakes/{id}/tables/` has all."]
    tables: Annotated[list[OpenTable], "The few that a newcomer would look at first."]


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeFilter:
    """The stakes that a visitor wants to see. None: any. `least` and `most` bound the amount to sit down with.

    These two are in smallest units of the stake's currency or, if `in_units`, in its units as people type them.
    """

    family: str | None = None
    seats: int | None = None
    currency: str | None = None
    least: int | None = None
    most: int | None = None
    in_units: bool = False


def offered(stake_filter: StakeFilter | None = None) -> list[StakeAnswer]:
    """Return the stakes on offer that match the filter, in the lobby's order, each with its open tables."""
    return _with_tables(list(_fitting(stake_filter or StakeFilter())))


@dataclass(slots=True)
class _Read:
    """What was read last, and until when it is told again."""

    until: float = 0.0
    stakes: list[StakeAnswer] = field(default_factory=list)


_lately = _Read()


def offered_lately() -> list[StakeAnswer]:
    """Return all stakes on offer, as they were at most LATELY seconds ago: everybody in the lobby asks at a change."""
    if (now := time.monotonic()) >= _lately.until:
        _lately.stakes, _lately.until = offered(), now + LATELY
    return _lately.stakes


def offered_among(stake_ids: Iterable[int]) -> dict[int, StakeAnswer]:
    """Return, by number, those of the stakes that are on offer."""
    return {stake["id"]: stake for stake in _with_tables(list(on_offer().filter(pk__in=stake_ids)))}


def on_offer() -> QuerySet[Stake]:
    """Return the active stakes."""
    return Stake.objects.filter(active=True)


def _fitting(stake_filter: StakeFilter) -> QuerySet[Stake]:
    stakes = on_offer().annotate(to_sit=Coalesce("entry", "minimum", F("point_value") * FULL_COUNT))
    if stake_filter.family is not None:
        stakes = stakes.filter(book__in=books_of(stake_filter.family))
    if stake_filter.seats is not None:
        stakes = stakes.filter(seats=stake_filter.seats)
    if stake_filter.currency is not None:
        stakes = stakes.filter(currency=stake_filter.currency)
    return stakes.filter(_within(stake_filter))


def _within(stake_filter: StakeFilter) -> Q:
    """Return the condition that the amount to sit down with lies between `least` and `most`."""
    condition = Q()
    for code, currency in CURRENCIES.items():
        unit = 10**currency.decimals if stake_filter.in_units else 1
        in_currency = Q(currency=code)
        if stake_filter.least is not None:
            in_currency &= Q(to_sit__gte=stake_filter.least * unit)
        if stake_filter.most is not None:
            in_currency &= Q(to_sit__lte=stake_filter.most * unit)
        condition |= in_currency
    return condition


def books_of(family: str) -> list[str]:
    """Return the keys of the family's rule books."""
    return [key for key, book in BOOKS.items() if book.family.value == family]


def _with_tables(stakes: list[Stake]) -> list[StakeAnswer]:
    stake_ids = [stake.pk for stake in stakes]
    counts, tables = open_tables.counts(stake_ids), open_tables.first_tables(stake_ids, MOST_TABLES_LISTED)
    return [stake_values(stake, counts.get(stake.pk, NO_TABLES), tables.get(stake.pk, [])) for stake in stakes]


def stake_values(stake: Stake, counts: open_tables.Counts = NO_TABLES, tables: Sequence[OpenTable] = ()) -> StakeAnswer:
    """Return one stake as API, socket and page show it; amounts in the smallest unit of `currency`."""
    return {
        "id": stake.pk,
        "active": stake.active,
        "title": str(stake),
        "book": stake.book,
        "family": stake.rule_book.family.value,
        "seats": stake.seats,
        "currency": stake.currency,
        "point_value": stake.point_value,
        "entry": stake.entry,
        "fee_percent": stake.fee_percent,
        "minimum": stake.least,
        "maximum": stake.most,
        "seated": counts.seated,
        "waiting": counts.waiting,
        "playing": counts.playing,
        "tables_open": counts.tables,
        "tables": list(tables),
    }


def last_deals(user: Any) -> list[DealSeat]:
    """Return the last MOST_LOOKED_AT deals that the visitor has finished, newest first: they tell what they play."""
    if not user.is_authenticated:
        return []
    return list(history.finished_deals(user).select_related(None).select_related("deal")[:MOST_LOOKED_AT])


class SeatAnswer(TypedDict):
    table: int
    seat: int


def seat_answer(seating: Seating) -> SeatAnswer:
    """Return the seat that somebody has taken."""
    return {"table": seating.table_id, "seat": seating.seat}
