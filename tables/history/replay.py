"""The replay of a finished deal: its events, its result, and all hands."""

from collections.abc import Hashable, Iterable
from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import get_language

from rules.books import book
from rules.cards import face, wild_rank
from rules.game import DealReview, events, explain_deal, review_deal
from rules.game.views import redact
from rules.game.views.sentences import in_words
from rules.game.views.why import Explanation
from rules.melds import Kind, in_reading_order
from tables.language import translated_name
from tables.log import reading
from tables.models import Deal, DealSeat

_UNTOLD = Explanation("")


def dealt_seats(deal: Deal) -> list[DealSeat]:
    """Return the seats that were dealt to, in their order, with the seating of each."""
    return list(deal.seats.select_related("seating").order_by("seat"))


def finished_key(deal: Deal) -> tuple[Hashable, ...]:
    """Return the key of what is told of a finished deal; the names of the players, and the reader, are not in it.

    Until the next deal is prepared, events may still follow this one: so long the table's version is part of the key.
    """
    table = deal.match.table
    version = table.version if table.deal_id == deal.pk else None
    return deal.pk, deal.status, deal.match.status, table.log_pruned_at, version, get_language()


class ReplayedTable(TypedDict):
    id: int
    title: str
    currency: str


class ReplayedSeat(TypedDict):
    seat: int
    name: str
    bot: bool


class DealReplay(TypedDict):
    """A finished deal, step by step, as far as its reader may see it."""

    deal: int
    match: int
    number: Annotated[int, "Counts the deals of the match: in points and blind each is one of its own."]
    table: ReplayedTable
    book: str
    book_version: int
    status: str
    commitment: str
    started_at: datetime | None
    ended_at: datetime | None
    seat: Annotated[int | None, "The reader's own."]
    seats: list[ReplayedSeat]
    hands: Annotated[dict[str, list[str]], "The thirteen cards that each seat was dealt."]
    events: Annotated[list[dict[str, Any]], "Each with `at` in ms since 1970 UTC, `version`, `type` and its fields."]
    result: Annotated[list[dict[str, Any]] | None, "A row for each seat, with why its points came about."]


def replay(deal: Deal, user: AbstractBaseUser) -> DealReplay:
    """Return a finished deal as JSON, as far as this player may see it."""
    seats = dealt_seats(deal)
    own = next((each.seat for each in seats if each.user_id == user.pk), None)
    table, names = deal.match.table, {each.seat: translated_name(each.seating.name) for each in seats}
    entries = [(entry, entry.event()) for entry in reading.of_deal(deal)]
    return {
        "deal": deal.pk,
        "match": deal.match_id,
        "number": deal.number,
        "table": {"id": table.pk, "title": table.title, "currency": table.currency},
        "book": deal.book,
        "book_version": deal.book_version,
        "status": deal.status,
        "commitment": deal.commitment,
        "started_at": deal.started_at,
        "ended_at": deal.ended_at,
        "seat": own,
        "seats": [{"seat": each.seat, "name": names[each.seat], "bot": each.seating.is_computer} for each in seats],
        "hands": _hands(event for _, event in entries),
        "events": [
            {"at": entry.at_ms, "version": entry.version, **in_words(visible, names)}
            for entry, event in entries
            if (visible := redact(event, own)) is not None
        ],
        "result": rows_explained(deal, (event for _, event in entries)),
    }


class OwnReview(DealReview):
    deal: int


def review(deal: Deal, user: AbstractBaseUser) -> OwnReview:
    """Return as JSON the best arrangements that the user could have made in each turn of the finished deal.

    TableError `no_longer_kept`.
    """
    seat = deal.seats.get(user_id=user.pk).seat
    happened = [entry.event() for entry in reading.of_deal(deal)]
    return {"deal": deal.pk, **review_deal(book(deal.book, deal.book_version), happened, seat)}


def cut_joker(happened: Iterable[events.Event]) -> str | None:
    """Return the card that was turned up in the deal of these events; None before it was."""
    return next((event.card for event in happened if isinstance(event, events.CutJokerTurned)), None)


def rows_explained(deal: Deal, happened: Iterable[events.Event]) -> list[dict[str, Any]] | None:
    """Return the result's rows with the reason for their points and the points of their cards; None without a result.

    `happened` are the deal's events; without them, as after pruning, there are no reasons.
    """
    if deal.result is None:
        return None
    rules = book(deal.book, deal.book_version)
    players = 0 if rules.per_point else DealSeat.objects.filter(deal__match=deal.match_id, deal__number=1).count()
    happened = list(happened)
    why = explain_deal(rules, happened, players=players)
    cut = cut_joker(happened)
    return [
        {**_laid(row, cut), "why": explanation.text, "counted": dict(explanation.counted)}
        for row in deal.result
        for explanation in (why.get(row["seat"], _UNTOLD),)
    ]


def _laid(row: dict[str, Any], cut: str | None) -> dict[str, Any]:
    """Return the row with its cards in the order in which one reads them, if it is known which were wild."""
    if cut is None:
        return row
    wild = wild_rank(face(cut))
    groups = [
        in_reading_order(cards, Kind(kind), wild) for cards, kind in zip(row["groups"], row["kinds"], strict=True)
    ]
    return {
        **row,
        "groups": [list(cards) for cards in groups],
        "loose": list(in_reading_order(row["loose"], Kind.INVALID, wild)),
    }


def _hands(happened: Any) -> dict[str, list[str]]:
    """Return the 13 cards that each seat was dealt."""
    for event in happened:
        if isinstance(event, events.CardsDealt):
            return {str(seat): list(hand) for seat, hand in zip(event.order, event.hands, strict=True)}
    return {}
