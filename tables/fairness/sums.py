"""Adding up finished deals, each night and by command.

What counts are deals with a result, of matches that are settled. Void deals are only counted. A running deal is in no
sum, nor any other deal of a match that still runs. Deals from a shoe that was fixed beforehand, which many play, are
left out: they would be the same hands many times over, and the shoe may still be in play elsewhere.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final, TypeAlias

from django.db import transaction
from django.db.models import QuerySet

from rules.cards import PACK
from rules.expectations.tallies import (
    FIELDS,
    TELLING,
    FirstHands,
    Holders,
    SumKey,
    Tally,
    first_hands,
    tallies,
    void_tally,
)
from tables.errors import TableError
from tables.fairness.models import FairnessSum, SummedUntil
from tables.log import reading
from tables.models import Deal, Match
from tables.play import store
from wallet.base import report_zone

#: Sums of deals by day of the report zone and by key.
DaySums: TypeAlias = defaultdict[tuple[date, SumKey], Tally]

#: One transaction adds what ended within so long.
STEP: Final = timedelta(days=1)
_CHUNK: Final = 200
_KEY: Final = ("day", "book", "players", "holders", "seat", "hands")


def sum_up() -> int:
    """Add to the sums what has ended since the last time; return how many deals that were."""
    count, settled = 0, store.settled()
    while True:
        with transaction.atomic():
            done = _locked()
            begin = done.moment or _first_end() or settled
            if begin >= settled and done.moment is not None:
                return count
            until = min(settled, begin + STEP)
            found = summed(counted_deals(ended_after=done.moment, ended_until=until))
            _store(found.sums)
            done.moment = until
            done.save(update_fields=["moment"])
            count += found.deals


def counted_deals(
    *,
    ended_after: datetime | None = None,
    ended_until: datetime | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Deal]:
    """Return the deals that count: of matches that ended between two moments, and that ended between two others."""
    deals = Deal.objects.filter(
        status__in=(Deal.Status.OVER, Deal.Status.VOID),
        match__status=Match.Status.SETTLED,
        match__table__void_at=None,
        match__table__shoe=None,
    )
    bounds = {
        "match__ended_at__gt": ended_after,
        "match__ended_at__lte": ended_until,
        "ended_at__gte": since,
        "ended_at__lt": until,
    }
    chosen = deals.filter(**{name: bound for name, bound in bounds.items() if bound is not None})
    return chosen.select_related("match__table").prefetch_related("seats").order_by("pk")


@dataclass(slots=True)
class Summed:
    """Sums of deals by day, the number of those with a result, and how many of a day are no longer kept."""

    sums: DaySums = field(default_factory=lambda: defaultdict(Counter))
    deals: int = 0
    gone: Counter[date] = field(default_factory=Counter)


def summed(deals: QuerySet[Deal]) -> Summed:
    """Return the sums of these deals."""
    found = Summed()
    for deal in deals.iterator(chunk_size=_CHUNK):
        assert deal.ended_at is not None
        day = report_zone.local_day(deal.ended_at)
        if deal.status == Deal.Status.VOID:
            key, tally = void_tally(deal.book, len(deal.order))
            found.sums[day, key].update(tally)
        elif (hands := _read(deal)) is None:
            found.gone[day] += 1
        else:
            found.deals += 1
            for key, tally in tallies(hands):
                found.sums[day, key].update(tally)
    return found


def _read(deal: Deal) -> FirstHands | None:
    try:
        happened = [entry.event() for entry in reading.of_deal(deal) if entry.kind in TELLING]
    except TableError:
        return None
    return first_hands(deal.book, happened, (each.seat for each in deal.seats.all() if each.user_id is None))


def _store(sums: Mapping[tuple[date, SumKey], Tally]) -> None:
    """Add to the stored sums; the lock of the row in `SummedUntil` keeps others away."""
    stored = sums_by_day(days={day for day, _ in sums})
    rows = [_row(day, key, stored[day, key] + tally) for (day, key), tally in sums.items()]
    FairnessSum.objects.bulk_create(
        rows, batch_size=_CHUNK, update_conflicts=True, unique_fields=_KEY, update_fields=[*FIELDS, "faces"]
    )


def _row(day: date, key: SumKey, tally: Tally) -> FairnessSum:
    return FairnessSum(
        day=day,
        book=key.book,
        players=key.players,
        holders=key.holders.value,
        seat=key.seat,
        hands=key.hands,
        faces={face: tally[face] for face in PACK if tally[face]},
        **{name: tally[name] for name in FIELDS},
    )


def sums_by_day(*, days: set[date] | None = None) -> DaySums:
    """Return the stored sums, of these days or of all."""
    rows = FairnessSum.objects.all() if days is None else FairnessSum.objects.filter(day__in=days)
    sums: DaySums = defaultdict(Counter)
    for row in rows.iterator(chunk_size=2000):
        key = SumKey(row.book, row.players, Holders(row.holders), row.seat, row.hands)
        sums[row.day, key] = Counter({name: getattr(row, name) for name in FIELDS} | row.faces)
    return sums


def by_key(sums: Mapping[tuple[date, SumKey], Tally]) -> dict[SumKey, Tally]:
    """Return the sums of all days together."""
    together: defaultdict[SumKey, Tally] = defaultdict(Counter)
    for (_, key), tally in sums.items():
        together[key].update(tally)
    return dict(together)


def summed_until() -> datetime | None:
    """Return until when deals are in the stored sums; None where none ever were added."""
    return SummedUntil.objects.values_list("moment", flat=True).first()


def differing_days() -> list[date]:
    """Return the days whose stored sums are not those of the deals whose events are still kept."""
    done = summed_until()
    if done is None:
        return []
    stored, found = sums_by_day(), summed(counted_deals(ended_until=done))
    differing = {day for day, key in stored | found.sums if +stored[day, key] != +found.sums[day, key]}
    return sorted(differing - found.gone.keys())


def _first_end() -> datetime | None:
    match = Match.objects.filter(status=Match.Status.SETTLED).order_by("ended_at").first()
    return None if match is None else match.ended_at


def _locked() -> SummedUntil:
    SummedUntil.objects.get_or_create(pk=1)
    return SummedUntil.objects.select_for_update().get(pk=1)
