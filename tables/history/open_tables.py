"""The open public tables of stakes: counts, and the tables that somebody would sit down at first.

There may be thousands at one stake: counts are sums of columns, and no list is longer than what is asked for.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value, When, Window
from django.db.models.functions import Coalesce, RowNumber

from rules.books import BOOKS
from tables.models import Seating, Table

#: Phases in which nobody has cards: whoever sits now plays the next deal.
BEFORE_A_DEAL = ("starting", "waiting")
PLAYED = ("playing", "melding", "result", "rejoin", "split")
#: Books whose running table takes newcomers, since every deal is settled by itself.
_PER_POINT = [key for key, book in BOOKS.items() if book.per_point]
_JOINABLE = Q(seated__lt=F("seats")) & (Q(phase__in=BEFORE_A_DEAL) | (Q(book__in=_PER_POINT) & ~Q(phase="over")))
#: Company before a deal, then a deal that is running, then an empty table, then what nobody can join.
_PREFERENCE = Case(
    When(~_JOINABLE, then=3), When(seated=0, then=2), When(phase__in=BEFORE_A_DEAL, then=0), default=1
)  # fmt: skip
_SOONEST_FIRST = ("preference", "-seated", "pk")
_COLUMNS = ("title", "stake_id", "phase", "seats", "seated", "book")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tables a stake has open, and how many people sit, wait and play there."""

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


def first_tables(stake_ids: Collection[int], most: int) -> dict[int, list[dict[str, Any]]]:
    """Return the `most` tables of each stake that a newcomer would look at first, as `describe` does."""
    place = Window(RowNumber(), partition_by="stake_id", order_by=_SOONEST_FIRST)
    tables = _open_tables(stake_ids).annotate(place=place).filter(place__lte=most).order_by("stake_id", "place")
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    listed = list(tables)
    for table, described in zip(listed, describe(listed), strict=True):
        found[table.stake_id or 0].append(described)
    return dict(found)


def all_tables(stake_id: int) -> QuerySet[Table]:
    """Return every open table of a stake, for lists with pages."""
    return _open_tables([stake_id])


def joinable(stake_id: int, seat: int | None = None, *, without: Collection[int] = ()) -> int | None:
    """Return the table with a free seat (that one, if given) that will play soonest; None where there is none."""
    tables = _open_tables([stake_id]).filter(_JOINABLE).exclude(pk__in=list(without))
    if seat is not None:
        taken = Seating.objects.filter(table=OuterRef("pk"), seat=seat, freed_at=None)
        tables = tables.filter(~Exists(taken), seats__gt=seat)
    return tables.order_by(*_SOONEST_FIRST).values_list("pk", flat=True).first()


def joinable_among(table_ids: Collection[int]) -> set[int]:
    """Return those of the tables at which anybody may sit down now."""
    public = Table.objects.filter(pk__in=list(table_ids), status=Table.Status.OPEN, private_code="", practice_for=None)
    return set(public.filter(_JOINABLE).values_list("pk", flat=True))


def with_people(stake_ids: Collection[int], most: int) -> list[Table]:
    """Return the `most` tables of these stakes at which people sit and a seat is free, the soonest to play first."""
    return list(_open_tables(stake_ids).filter(_JOINABLE, seated__gt=0).order_by(*_SOONEST_FIRST)[:most])


def stakes_with_room(stake_ids: Collection[int]) -> set[int]:
    """Return those of the stakes where somebody may sit down now."""
    stakes = _open_tables(stake_ids).filter(_JOINABLE).order_by().values_list("stake_id", flat=True).distinct()
    return {stake_id for stake_id in stakes if stake_id is not None}


def describe(tables: Iterable[Table]) -> list[dict[str, Any]]:
    """Return each table as the lobby shows it: who sits where, how many wait and play, whether one may join."""
    listed = list(tables)
    sitting: dict[int, dict[int, Seating]] = defaultdict(dict)
    for seating in Seating.objects.filter(table__in=[table.pk for table in listed], left_at=None):
        sitting[seating.table_id][seating.seat] = seating
    return [_described(table, sitting[table.pk]) for table in listed]


def _open_tables(stake_ids: Collection[int]) -> QuerySet[Table]:
    return _public(stake_ids).only(*_COLUMNS).annotate(preference=_PREFERENCE)


def _public(stake_ids: Collection[int]) -> QuerySet[Table]:
    return Table.objects.filter(stake_id__in=list(stake_ids), status=Table.Status.OPEN, private_code="")


def _described(table: Any, sitting: dict[int, Seating]) -> dict[str, Any]:
    playing = len(sitting) if table.phase in PLAYED else 0
    return {
        "id": table.pk,
        "title": table.title,
        "phase": table.phase,
        "seats": [_place(seat, sitting.get(seat)) for seat in range(table.seats)],
        "seated": len(sitting),
        "waiting": len(sitting) - playing,
        "playing": playing,
        "joinable": table.preference < 3,
    }


def _place(seat: int, seating: Seating | None) -> dict[str, Any]:
    if seating is None:
        return {"seat": seat, "name": None, "bot": False}
    return {"seat": seat, "name": seating.name, "bot": seating.is_computer}
