"""The score sheet of a table: the results of its deals, and its last deal with every hand."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, OuterRef, Subquery

from rules.books import RuleBook, book
from rules.cards import face, wild_rank
from rules.game import events
from tables.errors import no_such_table
from tables.history.replay import cut_joker, rows_explained
from tables.language import translated_name
from tables.log import reading
from tables.models import Deal, Table
from tables.play.presence import may_watch
from tables.play.seating import keeps_seat

#: The most deals listed for points and blind, where each deal is its own match; of others the whole match is listed.
DEALS_LISTED = 20

StoredRow = Mapping[str, Any]


class SheetRow(TypedDict):
    """One player's result in one deal."""

    seat: int
    name: str
    outcome: Annotated[str, "won, lost, dropped, wrong or left"]
    points: int
    amount: Annotated[int, "Won or lost in this deal, in the smallest unit of the currency."]
    total: Annotated[int | None, "Points or chips of the match after it, where it counts them."]


class ScoredRow(SheetRow):
    out: Annotated[bool, "Out of the match with this deal."]
    rejoined: Annotated[int | None, "Came back after this deal, with so many points."]


class OpenRow(SheetRow):
    groups: list[list[str]]
    kinds: list[str]
    loose: list[str]
    why: Annotated[str, "How the points came about, in sentences; empty once it is no longer kept."]
    counted: Annotated[dict[str, int], "What each card counted that did."]


class SheetDeal(TypedDict):
    deal: int
    number: Annotated[int, "Counts the deals of the match; in points and blind those of the table."]
    ended_at: datetime


class ScoredDeal(SheetDeal):
    rows: list[ScoredRow]


class LastDeal(SheetDeal):
    cut_joker: str | None
    wild_rank: int | None
    rows: list[OpenRow]


class SheetAnswer(TypedDict):
    table: int
    family: str
    currency: str
    limit: Annotated[int | None, "Points that end the match for a player, in a pool."]
    deals: list[ScoredDeal]
    last: LastDeal | None


def sheet(*, table_id: int, user: AbstractBaseUser) -> SheetAnswer:
    """Return the scored deals of the table, oldest first, and the last of them with groups and cards.

    Amounts in the currency's smallest unit, totals in points of the match.

    Who has left a table that they may not watch sees the deals that they took part in. TableError `not_found` for
    others without a seat there, and if there is no such table.
    """
    table = Table.objects.filter(pk=table_id).first()
    sees_all = table is not None and (may_watch(table, user.pk) or keeps_seat(table.pk, user.pk))
    if table is None or not (sees_all or table.seatings.filter(user_id=user.pk).exists()):
        raise no_such_table()
    limit = _book(table).pool_limit
    deals = _scored(table, None if sees_all else user.pk)
    happened, back = _last_events(table, deals), _rejoins_by_deal(deals, _rejoins(table, deals))
    return {
        "table": table.pk,
        "family": table.family,
        "currency": table.currency,
        "limit": limit,
        "deals": [_deal(table, deal, limit, back.get(deal.pk, {})) for deal in deals],
        "last": _last(table, deals[-1], happened) if deals else None,
    }


def _scored(table: Table, user_id: int | None) -> list[Deal]:
    """Return the deals to list, oldest first, each with its `place` among all that were dealt at the table.

    Those of one user are listed alone, where one is named.
    """
    dealt = Deal.objects.filter(match__table=table, started_at__isnull=False)
    so_far = dealt.filter(pk__lte=OuterRef("pk")).order_by().values("match__table").annotate(number=Count("pk"))
    listed = dealt.filter(status=Deal.Status.OVER)
    if user_id is not None:
        listed = listed.filter(seats__user_id=user_id)
    counted = listed.select_related("match__table").annotate(place=Subquery(so_far.values("number"))).order_by("-id")
    return [*reversed(counted[:DEALS_LISTED] if _book(table).per_point else counted)]


def _book(table: Table) -> RuleBook:
    return book(table.book, table.book_version)


def _last_events(table: Table, deals: list[Deal]) -> list[events.Event]:
    """Return the events of the last deal; an empty list once they are pruned."""
    if not deals or table.log_pruned_at is not None:
        return []
    return [entry.event() for entry in reading.of_deal(deals[-1])]


def _rejoins(table: Table, deals: list[Deal]) -> list[tuple[int, events.PlayerRejoined]]:
    """Return every rejoin in a pool, with the id of the next deal after it."""
    if not deals or _book(table).pool_limit is None:
        return []
    entries = [(entry.deal_id, entry.event()) for entry in reading.of_kinds(events.PlayerRejoined.name, table=table)]
    return [(deal, event) for deal, event in entries if deal is not None and isinstance(event, events.PlayerRejoined)]


def _rejoins_by_deal(
    deals: list[Deal], rejoins: Iterable[tuple[int, events.PlayerRejoined]]
) -> dict[int, dict[int, int]]:
    """Return, by deal, the seats that rejoined the match after it, and the points that they rejoined with."""
    ids = [deal.pk for deal in deals]
    by_deal: dict[int, dict[int, int]] = {}
    for before, event in rejoins:
        after = deals[bisect_left(ids, before) - 1]
        by_deal.setdefault(after.pk, {})[event.seat] = event.total
    return by_deal


def _deal(table: Table, deal: Deal, limit: int | None, back: Mapping[int, int]) -> ScoredDeal:
    return {
        **_head(table, deal),
        "rows": [
            {**_scores(row), "out": _is_out(table, row, limit), "rejoined": back.get(row["seat"])}
            for row in deal.result or []
        ],
    }


def _last(table: Table, deal: Deal, happened: list[events.Event]) -> LastDeal:
    cut = cut_joker(happened)
    return {
        **_head(table, deal),
        "cut_joker": cut,
        "wild_rank": wild_rank(face(cut)) if cut else None,
        "rows": [_open_row(row) for row in rows_explained(deal, happened) or []],
    }


def _open_row(row: StoredRow) -> OpenRow:
    return {
        **_scores(row),
        "groups": row["groups"],
        "kinds": row["kinds"],
        "loose": row["loose"],
        "why": row["why"],
        "counted": row["counted"],
    }


def _head(table: Table, deal: Deal) -> SheetDeal:
    """Return the head of a deal, numbered from 1 within its match, or in points and blind within its table."""
    number = deal.place if _book(table).per_point else deal.number  # type: ignore[attr-defined]
    assert deal.ended_at is not None
    return {"deal": deal.pk, "number": number, "ended_at": deal.ended_at}


def _scores(row: StoredRow) -> SheetRow:
    return {
        "seat": row["seat"],
        "name": translated_name(row["name"]),
        "outcome": row["outcome"],
        "points": row["points"],
        "amount": row["amount"],
        "total": row["total"],
    }


def _is_out(table: Table, row: StoredRow, limit: int | None) -> bool:
    """Return whether the deal was the player's last in the match, unless they rejoined: they left, or reached the limit
    of a pool.
    """
    if _book(table).per_point:
        return False
    return row["outcome"] == "left" or (limit is not None and row["total"] >= limit)
