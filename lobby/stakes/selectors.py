"""What the lobby shows: stakes with their open tables, as plain values."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from lobby.accounts.models import Player
from lobby.stakes.models import Stake
from rules.books import BOOKS, FULL_COUNT
from tables.history import selectors as history
from wallet.base.money import CURRENCIES, REAL
from wallet.ledger import selectors as ledger

#: Phases in which nobody has cards: whoever sits now plays the next deal.
BEFORE_A_DEAL = ("starting", "waiting")


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeFilter:
    """What a visitor wants to see. None: all. `least` and `most` bound the amount to sit down with.

    They are smallest units; or, where `whole`, units as people count them, in whatever currency a stake has.
    """

    family: str | None = None
    seats: int | None = None
    currency: str | None = None
    least: int | None = None
    most: int | None = None
    whole: bool = False


def offered(wanted: StakeFilter | None = None) -> list[dict[str, Any]]:
    """The active stakes that fit, in the lobby's order, each with its open tables."""
    return _shown(list(_fitting(wanted or StakeFilter())))


def offered_among(stake_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Those of the stakes that are active, by number."""
    return {stake["id"]: stake for stake in _shown(list(on_offer().filter(pk__in=stake_ids)))}


def on_offer() -> QuerySet[Stake]:
    """The active stakes; those for real money only while it is switched on."""
    active = Stake.objects.filter(active=True)
    return active if settings.REAL_MONEY else active.exclude(currency__in=REAL)


def _fitting(wanted: StakeFilter) -> QuerySet[Stake]:
    stakes = on_offer().annotate(to_sit=Coalesce("entry", "minimum", F("point_value") * FULL_COUNT))
    if wanted.family is not None:
        stakes = stakes.filter(book__in=books_of(wanted.family))
    if wanted.seats is not None:
        stakes = stakes.filter(seats=wanted.seats)
    if wanted.currency is not None:
        stakes = stakes.filter(currency=wanted.currency)
    return stakes.filter(_within(wanted))


def _within(wanted: StakeFilter) -> Q:
    """Which stakes lie between `least` and `most`."""
    fitting = Q()
    for code, each in CURRENCIES.items():
        unit = 10**each.decimals if wanted.whole else 1
        inside = Q(currency=code)
        if wanted.least is not None:
            inside &= Q(to_sit__gte=wanted.least * unit)
        if wanted.most is not None:
            inside &= Q(to_sit__lte=wanted.most * unit)
        fitting |= inside
    return fitting


def books_of(family: str) -> list[str]:
    """The keys of the family's rule books."""
    return [key for key, book in BOOKS.items() if book.family.value == family]


def _shown(stakes: list[Stake]) -> list[dict[str, Any]]:
    tables = history.lobby_tables([stake.pk for stake in stakes])
    return [shown_stake(stake, tables.get(stake.pk, [])) for stake in stakes]


def shown_stake(stake: Stake, tables: list[dict[str, Any]]) -> dict[str, Any]:
    """One stake as API, socket and page show it; amounts in the smallest unit of `currency`."""
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
        "seated": sum(table["seated"] for table in tables),
        "waiting": sum(table["waiting"] for table in tables),
        "playing": sum(table["playing"] for table in tables),
        "tables": [{**table, "joinable": is_joinable(stake, table)} for table in tables],
    }


def is_joinable(stake: Stake, table: dict[str, Any]) -> bool:
    """Whether somebody may sit down there now: a free seat, and no match that nobody can join any more."""
    if table["seated"] >= stake.seats:
        return False
    return table["phase"] in BEFORE_A_DEAL or (stake.rule_book.per_point and table["phase"] != "over")


def joinable_tables(stake: Stake, seat: int | None = None, *, without: Collection[int] = ()) -> list[int]:
    """Tables of the stake with a free seat (that one, if given), the one that will play soonest first."""
    tables = [
        table
        for table in history.lobby_tables([stake.pk]).get(stake.pk, [])
        if table["id"] not in without and is_joinable(stake, table) and (seat is None or _is_free(table, seat))
    ]
    return [table["id"] for table in sorted(tables, key=_soonest_first)]


def _is_free(table: dict[str, Any], seat: int) -> bool:
    return any(place["seat"] == seat and place["name"] is None for place in table["seats"])


def _soonest_first(table: dict[str, Any]) -> tuple[int, int, int]:
    """Company before a deal, then a deal that is running, then an empty table; the fuller the better."""
    with_company = 0 if table["phase"] in BEFORE_A_DEAL and table["seated"] else 1 if table["seated"] else 2
    return with_company, -table["seated"], table["id"]


def free_balance(user: Player, currency: str) -> int:
    """What the player can spend in that currency, smallest units."""
    return sum(each["free"] for each in ledger.balances(user) if each["currency"] == currency)
