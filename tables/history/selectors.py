"""Queries for a player's seats and deals, for the lobby and the history."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.http import HttpResponseBase
from django.utils import timezone

from rules.books import book
from tables.errors import TableError
from tables.history.filters import filter_deals
from tables.log.reading import latest_state
from tables.models import Deal, DealSeat, Match, Seating, Table
from tables.play import store
from tables.play.seating import MOST_TABLES, own_seatings
from wallet.base.money import COUNTERS
from wallet.base.report_zone import format_moment
from wallet.finance.own_data import takeout
from wallet.language import gettext as _
from wallet.ledger import selectors as ledger, settlement_freeze


class OwnSeat(TypedDict):
    table: int
    title: str
    seat: int
    practice: Annotated[bool, "Played against computer players; it waits for you."]
    your_turn: bool
    waits: Annotated[bool, "The result is paid as soon as our staff have checked the books."]


def seats_of(user: AbstractBaseUser) -> list[OwnSeat]:
    """Return the tables where the user has a seat, with whether it is their turn and whether settlement is awaited.

    Tables where it is their turn come first, and practice tables, which wait for them, come last.
    """
    return sorted(map(_seat, own_seatings(user.pk)), key=lambda seat: (seat["practice"], not seat["your_turn"]))


def has_free_hand(seats: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a user with these seats (see `seats_of`) may sit down at one more table."""
    return len(list(seats)) < MOST_TABLES


def _seat(seating: Seating) -> OwnSeat:
    deal = latest_state(seating.table).deal if seating.table.status != Table.Status.FROZEN else None
    turn = deal.turn.seat if deal is not None and deal.turn is not None else None
    return {
        "table": seating.table_id,
        "title": seating.table.title,
        "seat": seating.seat,
        "practice": seating.table.practice_for_id is not None,
        "your_turn": turn == seating.seat,
        "waits": is_waiting(seating.table),
    }


def is_waiting(table: Table) -> bool:
    """Return whether the table waits for settlement, which is frozen now."""
    due = [moment for moment in (table.deadline_ms, table.computer_due_ms) if moment is not None]
    return (
        table.status == Table.Status.OPEN and bool(due) and min(due) < store.now_ms() and settlement_freeze.is_frozen()
    )


def finished_deals(user: AbstractBaseUser, **query: Any) -> QuerySet[DealSeat]:
    """Return the user's scored deals that match the query (see `filters.filter_deals`), newest first."""
    scored = DealSeat.objects.filter(user_id=user.pk).exclude(outcome="")
    return filter_deals(scored, **query).select_related("deal__match__table").order_by("-id")


class HistoryEntry(TypedDict):
    """One entry of a player's history: their part in a deal."""

    deal: int
    match: int
    table: int
    title: str
    book: str
    number: Annotated[int, "Counts the deals of the match: in points and blind each is one of its own."]
    seat: int
    outcome: str
    points: int
    amount: Annotated[int, "Won or lost, in the smallest unit of the currency."]
    currency: str
    total: Annotated[int | None, "Points or chips in the match so far, where it counts them."]
    ended_at: datetime


def history_entry(part: DealSeat) -> HistoryEntry:
    """Return what is told of one of `finished_deals`."""
    deal, table = part.deal, part.deal.match.table
    assert deal.ended_at is not None
    return {
        "deal": deal.pk,
        "match": deal.match_id,
        "table": table.pk,
        "title": table.title,
        "book": deal.book,
        "number": deal.number,
        "seat": part.seat,
        "outcome": part.outcome,
        "points": part.points,
        "amount": part.amount,
        "currency": table.currency,
        "total": part.total,
        "ended_at": deal.ended_at,
    }


#: The columns of the file, and the field that each is read from; amounts in the smallest unit of the currency.
FILE_FIELDS = {
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
    deals = finished_deals(user, **query)
    rows = deals.order_by("id").values_list(*FILE_FIELDS.values()).iterator(chunk_size=2000)
    return takeout(name="history", format=format, columns=tuple(FILE_FIELDS), rows=rows)


def history_shown(user: AbstractBaseUser, **query: Any) -> QuerySet[DealSeat]:
    """Return the user's scored and cancelled deals that match the query, with `ended_at`, in no order."""
    deals = DealSeat.objects.filter(~Q(outcome="") | Q(deal__status=Deal.Status.CANCELLED), user_id=user.pk)
    return filter_deals(deals, **query).select_related("deal__match__table").annotate(ended_at=F("deal__ended_at"))


def matches_ended(user: AbstractBaseUser, entries: Iterable[DealSeat]) -> dict[int, int | None]:
    """Return, by the entry of the user's last scored deal in a finished pool or best of deals, the prize that they got.

    In the smallest unit of the currency; None where chips of practice or of a tournament were played for, which nobody
    owns.
    """
    ended = [each for each in entries if _is_of_finished_contest(each.deal)]
    tables = {each.deal.match.table_id for each in ended}
    last = DealSeat.objects.filter(user_id=user.pk, deal__match__in={each.deal.match_id for each in ended})
    last = last.exclude(outcome="")
    last_of_matches = set(last.values("deal__match").annotate(last=Max("pk")).values_list("last", flat=True))
    prizes = ledger.prizes(user, tables) if ended else {}
    return {
        each.pk: prizes.get(each.deal.match_id, 0) if _is_for_own_chips(each.deal.match.table) else None
        for each in ended
        if each.pk in last_of_matches
    }


def _is_for_own_chips(table: Table) -> bool:
    return not table.for_practice_chips and table.currency not in COUNTERS


def _is_of_finished_contest(deal: Deal) -> bool:
    return deal.match.status == Match.Status.SETTLED and not book(deal.book, deal.book_version).per_point


def open_deals() -> QuerySet[Deal]:
    """Return the deals of which everything may be told to those who may see them: the one rule of all ways out.

    They are over or void. Where the shoe was fixed beforehand, its series has ended as well: until then somebody else
    may play the same cards.
    """
    over = Q(match__table__shoe=None) | Q(match__table__shoe__series__ends_at__lte=timezone.now())
    return Deal.objects.filter(over, ended_at__isnull=False).select_related("match__table__shoe")


def shared_by_all(deals: QuerySet[Deal]) -> QuerySet[Deal]:
    """Return those of the deals whose people all share theirs, without names."""
    return deals.exclude(Exists(DealSeat.objects.filter(deal=OuterRef("pk"), user__shares_deals=False)))


def ended_deal(deal_id: int) -> Deal | None:
    """Return the deal for staff, once it is open; else None. It may be anybody's."""
    return open_deals().filter(pk=deal_id).first()


def deal_of(user: AbstractBaseUser, deal_id: int) -> Deal | None:
    """Return the deal, once it is open, if the user was dealt a hand in it; else None."""
    return open_deals().filter(pk=deal_id, seats__user_id=user.pk).first()


def own_deal(user: AbstractBaseUser, deal_id: int) -> Deal:
    """Return the user's finished deal, as `deal_of`. TableError `not_open_yet`, `not_found`."""
    deal = deal_of(user, deal_id)
    if deal is not None:
        return deal
    if (sealed := part_in_sealed(user, deal_id)) is not None:
        until = format_moment(sealed.deal.match.table.shoe.series.ends_at)  # type: ignore[union-attr]
        message = _("Others may still play these cards: this deal is shown from {until} on.", until=until)
        raise TableError("not_open_yet", message, status=403)
    raise TableError("not_found", _("There is no such deal among your finished ones."), status=404)


def part_in_sealed(user: AbstractBaseUser, deal_id: int) -> DealSeat | None:
    """Return the user's part in a finished deal that is not open yet, since others may still play its shoe."""
    parts = DealSeat.objects.filter(deal__pk=deal_id, user_id=user.pk, deal__ended_at__isnull=False)
    sealed = parts.exclude(deal__in=open_deals().filter(pk=deal_id).values("pk"))
    return sealed.select_related("deal__match__table__shoe__series").first()
