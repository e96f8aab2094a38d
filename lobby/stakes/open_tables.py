"""The open public tables of stakes: their counts, and the tables where a newcomer would soonest play.

One stake may have thousands: counts are sums of columns, and no list is longer than requested.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum, Value, When, Window
from django.db.models.functions import Coalesce, RowNumber

from rules.books import BOOKS
from tables.models import Seating, Table

#: Phases in which nobody has cards: a player who sits down now plays the next deal.
BEFORE_A_DEAL = ("starting", "waiting")
PLAYED = ("playing", "melding", "result", "rejoin", "split")
#: Books in which newcomers may join a running table, since every deal is settled separately.
_PER_POINT = [key for key, book in BOOKS.items() if book.per_point]
#: The seats that are not free: who leaves a deal keeps theirs until it is over.
_KEPT = Seating.objects.filter(table=OuterRef("pk"), freed_at=None).order_by().values("table")
_TAKEN = Coalesce(Subquery(_KEPT.annotate(taken=Count("pk")).values("taken")), Value(0))
_JOINABLE = Q(seated__lt=F("seats")) & (
    Q(phase__in=BEFORE_A_DEAL) | (Q(book__in=_PER_POINT) & ~Q(phase="over") & Q(seats__gt=_TAKEN))
)
#: Tables with players before a deal come first, then those in a deal, empty ones, and those that nobody can join.
_PREFERENCE = Case(
    When(~_JOINABLE, then=3), When(seated=0, then=2), When(phase__in=BEFORE_A_DEAL, then=0), default=1
)  # fmt: skip
_SOONEST_FIRST = ("preference", "-seated", "pk")
_COLUMNS = ("title", "stake_id", "phase", "seats", "seated", "book")


class OpenSeat(TypedDict):
    seat: int
    name: str | None
    bot: bool
    free: Annotated[bool, "Not so, either, until a deal is over, where somebody has left it."]


class OpenTable(TypedDict):
    id: int
    title: str
    seats: list[OpenSeat]
    seated: int
    waiting: int
    playing: int
    phase: str
    joinable: bool
    watchable: Annotated[bool, "One deal behind: `GET /api/tables/{id}/watch/`."]


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of open tables of a stake, and of the people who sit, wait and play there."""

    tables: int = 0
    seated: int = 0
    playing: int = 0

    @property
    def waiting(self) -> int:
        return self.seated - self.playing


def counts(stake_ids: Collection[int]) -> dict[int, Counts]:
    """Return the counts of each stake that has an open table."""
    playing = Coalesce(Sum("seated", filter=Q(phase__in=PLAYED)), Value(0))
    rows = _public(stake_ids).values_list("stake_id").annotate(open=Count("pk"), people=Sum("seated"), playing=playing)
    return {stake_id: Counts(*numbers) for stake_id, *numbers in rows}


def first_tables(stake_ids: Collection[int], most: int) -> dict[int, list[OpenTable]]:
    """Return at most `most` tables of each stake, the best for a newcomer first, in the form of `describe`."""
    place = Window(RowNumber(), partition_by="stake_id", order_by=_SOONEST_FIRST)
    tables = _open_tables(stake_ids).annotate(place=place).filter(place__lte=most).order_by("stake_id", "place")
    by_stake: dict[int, list[OpenTable]] = defaultdict(list)
    listed = list(tables)
    for table, described in zip(listed, describe(listed), strict=True):
        by_stake[table.stake_id or 0].append(described)
    return dict(by_stake)


def all_tables(stake_id: int) -> QuerySet[Table]:
    """Return all open tables of a stake, for paginated lists."""
    return _open_tables([stake_id])


def joinable(stake_id: int, seat: int | None = None, *, without: Collection[int] = ()) -> int | None:
    """Return the table with a free seat (the given one, if any) that will play soonest; None if there is none."""
    tables = _open_tables([stake_id]).filter(_JOINABLE).exclude(pk__in=list(without))
    if seat is not None:
        holders = Seating.objects.filter(table=OuterRef("pk"), seat=seat, freed_at=None)
        tables = tables.filter(~Exists(holders), seats__gt=seat)
    return tables.order_by(*_SOONEST_FIRST).values_list("pk", flat=True).first()


def joinable_among(table_ids: Collection[int]) -> set[int]:
    """Return those of the tables at which anybody may sit down now."""
    public = Table.objects.filter(pk__in=list(table_ids), status=Table.Status.OPEN, private_code="", practice_for=None)
    return set(public.filter(_JOINABLE).values_list("pk", flat=True))


def has_room(table: Table) -> bool:
    """Return whether somebody who may find the table could sit down there now."""
    return Table.objects.filter(_JOINABLE, pk=table.pk, status=Table.Status.OPEN).exists()


def with_people(stake_ids: Collection[int], most: int) -> list[Table]:
    """Return at most `most` tables of these stakes with players and a free seat, the soonest to play first."""
    return list(_open_tables(stake_ids).filter(_JOINABLE, seated__gt=0).order_by(*_SOONEST_FIRST)[:most])


def stakes_with_room(stake_ids: Collection[int]) -> set[int]:
    """Return those of the stakes with a table where a player may sit down now."""
    stakes = _open_tables(stake_ids).filter(_JOINABLE).order_by().values_list("stake_id", flat=True).distinct()
    return {stake_id for stake_id in stakes if stake_id is not None}


def describe(tables: Iterable[Table]) -> list[OpenTable]:
    """Return each table as the lobby shows it: its players by seat, their number, whether a player may join, and
    whether anybody may watch what is played there, one deal behind: `tables.watching.pictures`.
    """
    listed = list(tables)
    kept: dict[int, dict[int, Seating]] = defaultdict(dict)
    seatings = Seating.objects.filter(table__in=[table.pk for table in listed], freed_at=None)
    for seating in seatings.annotate(hides=F("user__forbids_watching")):
        kept[seating.table_id][seating.seat] = seating
    return [_described(table, kept[table.pk]) for table in listed]


def _open_tables(stake_ids: Collection[int]) -> QuerySet[Table]:
    return _public(stake_ids).only(*_COLUMNS).annotate(preference=_PREFERENCE)


def _public(stake_ids: Collection[int]) -> QuerySet[Table]:
    return Table.objects.filter(stake_id__in=list(stake_ids), status=Table.Status.OPEN, private_code="")


def _described(table: Any, kept: dict[int, Seating]) -> OpenTable:
    sitting = {seat: seating for seat, seating in kept.items() if seating.left_at is None}
    playing = len(sitting) if table.phase in PLAYED else 0
    return {
        "id": table.pk,
        "title": table.title,
        "phase": table.phase,
        "seats": [_place(seat, sitting.get(seat), free=seat not in kept) for seat in range(table.seats)],
        "seated": len(sitting),
        "waiting": len(sitting) - playing,
        "playing": playing,
        "joinable": table.preference < 3,
        "watchable": table.phase in PLAYED and not any(seating.hides for seating in sitting.values()),  # type: ignore[attr-defined]
    }


def _place(seat: int, seating: Seating | None, *, free: bool) -> OpenSeat:
    if seating is None:
        return {"seat": seat, "name": None, "bot": False, "free": free}
    return {"seat": seat, "name": seating.name, "bot": seating.is_computer, "free": free}
