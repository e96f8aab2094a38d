"""Counting finished deals, each once, into the sums of players and pairs: at night, for a limited time."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from time import monotonic
from typing import Final

from django.db import transaction
from django.db.models import Q

from lobby.accounts.models import Player
from lobby.collusion.models import Case, CountedUntil, PairSums
from rules.books import book
from rules.collusion import Sequence, Sums, add_sums, sums_of_deal
from tables.errors import TableError
from tables.log import reading
from tables.models import Deal, DealSeat
from tables.play import store
from tables.play.store import moment
from wallet.base import report_zone

log = logging.getLogger(__name__)

#: Deals that are read at a time, and written in one transaction.
_CHUNK: Final = 50
#: Seconds after which a night counts no more; what is left comes the next night.
MOST_SECONDS: Final = 1_800
#: Sums of so many months are kept, this one among them.
MONTHS: Final = 12
#: So many deals of a pair and a month are remembered for staff.
_TELLING: Final = 6

CountKey = tuple[int, int | None, date]


@dataclass(slots=True)
class _Addition:
    """What is to be added to a row."""

    deals: int = 0
    sums: Sums = field(default_factory=dict)
    wins: Sequence = field(default_factory=Sequence)
    telling: list[tuple[float, int]] = field(default_factory=list)


def count_deals(most_seconds: float = MOST_SECONDS) -> int:
    """Count what has ended and is not counted yet; return how many deals that were.

    Deals are read before the transaction, which only writes: nobody else waits for it.
    """
    began, count = monotonic(), 0
    CountedUntil.objects.get_or_create(pk=1)
    while monotonic() - began < most_seconds:
        before = CountedUntil.objects.get(pk=1)
        deals = _next_deals(before)
        if not deals or not _take_up(before, deals[-1], _rows_of(deals)):
            break
        count += len(deals)
    return count


@transaction.atomic
def _take_up(before: CountedUntil, last: Deal, rows: Mapping[CountKey, "_Addition"]) -> bool:
    """Add to the rows and note up to which deal that is; return False where somebody else has counted meanwhile."""
    done = CountedUntil.objects.select_for_update().get(pk=1)
    if (done.moment, done.deal) != (before.moment, before.deal):
        return False
    _write(rows)
    done.moment, done.deal = last.ended_at, last.pk
    done.save(update_fields=["moment", "deal"])
    return True


def forget_sums() -> None:
    """Delete sums of months long past, and those of closed accounts of which there is no case."""
    PairSums.objects.filter(month__lt=_month_before(_month(moment(store.now_ms())), MONTHS - 1)).delete()
    in_cases = {pk for pair in Case.objects.values_list("one", "other") for pk in pair}
    closed = Player.objects.filter(closed_at__isnull=False).exclude(pk__in=in_cases)
    PairSums.objects.filter(Q(player__in=closed) | Q(other__in=closed)).delete()


def _next_deals(done: CountedUntil) -> list[Deal]:
    ended = Deal.objects.filter(status=Deal.Status.OVER, ended_at__lte=store.settled())
    if done.moment is not None:
        ended = ended.filter(Q(ended_at__gt=done.moment) | Q(ended_at=done.moment, pk__gt=done.deal))
    return list(ended.select_related("match__table").order_by("ended_at", "pk")[:_CHUNK])


def _rows_of(deals: Iterable[Deal]) -> dict[CountKey, _Addition]:
    """Return what these deals add to which rows."""
    rows: defaultdict[CountKey, _Addition] = defaultdict(_Addition)
    players: defaultdict[int, dict[int, int]] = defaultdict(dict)
    seats = DealSeat.objects.filter(deal__in=list(deals), user__isnull=False)
    for deal_id, seat, user in seats.values_list("deal", "seat", "user"):
        players[deal_id][seat] = user or 0
    for deal in deals:
        table = deal.match.table
        if len(players[deal.pk]) > 1 and not table.for_practice_chips and table.void_at is None:
            _count(deal, players[deal.pk], rows)
    return rows


def _count(deal: Deal, players: Mapping[int, int], rows: defaultdict[CountKey, _Addition]) -> None:
    """Add what a deal says of its players; what cannot be read says nothing."""
    try:
        counted = sums_of_deal(book(deal.book, deal.book_version), (entry.event() for entry in reading.of_deal(deal)))
    except TableError:
        return
    except Exception:
        log.exception("deal %s cannot be counted", deal.pk)
        return
    if counted is None or deal.ended_at is None:
        return
    month = _month(deal.ended_at)
    for (seat, toward), sums in counted.sums.items():
        if seat not in players or (toward is not None and toward not in players):
            continue
        player, other = players[seat], None if toward is None else players[toward]
        row = rows[player, other, month]
        add_sums(row.sums, sums)
        if other is None:
            row.deals += 1
            continue
        first = rows[min(player, other), max(player, other), month]
        if (weight := weight_of_deal(sums)) > 0:
            first.telling.append((weight, deal.pk))
        if player < other:
            first.deals += 1
            if counted.winner in (seat, toward):
                first.wins.won(players[counted.winner])


def weight_of_deal(sums: Mapping[str, float]) -> float:
    """Return how much is to be seen in a deal of one player's help for the other, to choose the deals to look at."""
    dropped = sums.get("gave_up_promise", 0) - sums.get("gave_up", 0) * 1.5
    help_given = sums.get("beyond", 0) + 0.5 * sums.get("took_needed", 0) + 2 * sums.get("broken", 0)
    return round(help_given + 2 * sums.get("faults_won", 0) + max(0.0, dropped) + max(0.0, sums.get("gap", 0)) / 40, 2)


def _write(rows: Mapping[CountKey, _Addition]) -> None:
    """Add to the rows, which nobody else writes: the caller holds the lock."""
    people = {player for player, _, _ in rows}
    months = {month for _, _, month in rows}
    held = {
        (row.player_id, row.other_id, row.month): row
        for row in PairSums.objects.filter(player__in=people, month__in=months)
    }
    new: list[PairSums] = []
    changed: list[PairSums] = []
    for (player, other, month), more in rows.items():
        row = held.get((player, other, month))
        (new if row is None else changed).append(
            _added(row or PairSums(player_id=player, other_id=other, month=month), more)
        )
    PairSums.objects.bulk_create(new, batch_size=500)
    PairSums.objects.bulk_update(changed, ["deals", "sums", "wins", "deals_that_tell"], batch_size=500)


def _added(row: PairSums, more: _Addition) -> PairSums:
    add_sums(row.sums, more.sums)
    row.sums = {name: round(value, 6) for name, value in row.sums.items()}
    row.deals += more.deals
    if more.wins.first is not None:
        wins = sequence_of(row.wins)
        wins.then(more.wins)
        row.wins = [wins.first, wins.last, wins.turns, sorted(wins.wins.items())]
    row.deals_that_tell = strongest([*row.deals_that_tell, *more.telling])
    return row


def strongest(telling_deals: Iterable[Iterable[float]]) -> list[list[float]]:
    """Return the deals with most to be seen, the strongest first; what both sides say of a deal is added up."""
    by_deal: defaultdict[int, float] = defaultdict(float)
    for weight, deal in telling_deals:
        by_deal[int(deal)] += weight
    return [[round(weight, 2), deal] for deal, weight in sorted(by_deal.items(), key=lambda each: (-each[1], each[0]))][
        :_TELLING
    ]


def sequence_of(stored: list[object] | None) -> Sequence:
    """Return the sequence of wins as it was stored."""
    if not stored:
        return Sequence()
    first, last, turns, wins = stored
    return Sequence(first, last, turns, dict(wins))  # type: ignore[arg-type,call-overload]


def _month(at: datetime) -> date:
    return report_zone.local_day(at).replace(day=1)


def _month_before(month: date, count: int) -> date:
    number = month.year * 12 + month.month - 1 - count
    return date(number // 12, number % 12 + 1, 1)
