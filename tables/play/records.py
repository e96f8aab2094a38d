"""The rows that events write for queries: matches, deals, who sat where, and each player's history.

`rows` derives the columns from the event and the context of the table; `RowWrites` writes them, and the audit
(`tables/audit/event_log.py`) compares the stored rows with those that `rows` derives from the whole log.
"""

import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model

from rules.game import codec, events, moves
from rules.shuffling import commitment, fixed_id, number_of
from tables.log.sealing import SEEDS, SHOES
from tables.models import Deal, DealSeat, Match, Seating, Shoe, Table
from tables.play import store
from tables.play.store import LockedTable, moment
from wallet.base.queries import update_each

#: Random bytes behind each deal: 512 bits, so that every order of the shoe is possible.
SEED_BYTES = 64

#: Stands for the time of the event.
NOW: Final = "now"


@dataclass(frozen=True, slots=True)
class RowKey:
    """The key of a row: its own id or, for a DealSeat, the id of its deal and the seat."""

    model: type[Model]
    pk: int
    seat: int | None = None


#: The columns that an event writes, by row.
RowChanges = dict[RowKey, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowContext:
    """What recording an event needs to know of the table: ids, and whether its deal and its match are still open.

    A deal is open from its preparation to its end, and runs once its cards are dealt.
    `present` are the seats whose players have not left; `deal` and `match` are None before the first deal is prepared.
    """

    table: int
    is_practice: bool
    per_point: bool
    seatings: Mapping[int, Seating]
    present: Set[int]
    deal: int | None = None
    is_deal_open: bool = False
    is_deal_running: bool = False
    match: int | None = None
    is_match_open: bool = False


def rows(event: events.Event, at: RowContext) -> RowChanges:
    """Return the columns that an event of a RECORDED type writes, by row; `NOW` stands for the time of the event."""
    return _ROWS[type(event)](event, at)


def prepare_deal(table: LockedTable) -> moves.PrepareDeal:
    """Create the row of the next deal; return the move that publishes the commitment to its seed.

    The seed is a new secret, or that of the table's shoe. The deal belongs to the match that is still open, otherwise
    to a new one.
    """
    last = store.current_deal(table.row)
    match = last.match if last is not None and last.match.status == Match.Status.OPEN else None
    number = last.number + 1 if last is not None and match is not None else 1
    if match is None:
        match = Match.objects.create(
            table=table.row, book=table.row.book, book_version=table.row.book_version, started_at=moment(table.now)
        )
    shoe = None if table.row.shoe_id is None else Shoe.objects.get(pk=table.row.shoe_id)
    seed = secrets.token_bytes(SEED_BYTES) if shoe is None else SHOES.unseal(shoe)
    deal = Deal(match=match, number=number, book=table.row.book, book_version=table.row.book_version)
    deal.sealed_seed = SEEDS.seal(deal, seed)
    deal.save()
    deal.commitment = commitment(deal.pk if shoe is None else shoe.label, seed)
    update_each([deal], ["commitment"])
    table.row.deal = deal
    deal_id = str(deal.pk) if shoe is None else fixed_id(shoe.label, deal.pk)
    return moves.PrepareDeal(deal_id=deal_id, seed=seed.hex())


def prepare_first_deals(tables: Sequence[LockedTable]) -> list[moves.PrepareDeal]:
    """Do as `prepare_deal` does for tables that have just been opened, with as many statements for all as for one."""
    matches = Match.objects.bulk_create(
        [
            Match(
                table=table.row, book=table.row.book, book_version=table.row.book_version, started_at=moment(table.now)
            )
            for table in tables
        ]
    )
    seeds = [secrets.token_bytes(SEED_BYTES) for _ in tables]
    deals = [Deal(match=match, number=1, book=match.book, book_version=match.book_version) for match in matches]
    for deal, seed in zip(deals, seeds, strict=True):
        deal.sealed_seed = SEEDS.seal(deal, seed)
    Deal.objects.bulk_create(deals)
    for table, deal, seed in zip(tables, deals, seeds, strict=True):
        deal.commitment = commitment(str(deal.pk), seed)
        table.row.deal = deal
    update_each(deals, ["commitment"])
    return [moves.PrepareDeal(deal_id=str(deal.pk), seed=seed.hex()) for deal, seed in zip(deals, seeds, strict=True)]


class RowWrites:
    """What events write into rows, held back so that what is alike is written together, at however many tables."""

    def __init__(self) -> None:
        self._changed: dict[Model, set[str]] = {}
        self._dealt: list[DealSeat] = []
        self._scored: list[DealSeat] = []

    def record(self, table: LockedTable, event: events.Event) -> None:
        """Set the columns that the event writes on the rows at hand, if it is of a RECORDED type."""
        if type(event) not in RECORDED:
            return
        deal, now, at_hand = store.current_deal(table.row), moment(table.now), _rows_at_hand(table)
        for key, columns in rows(event, _context(table)).items():
            values = {name: now if value is NOW else value for name, value in columns.items()}
            if key.seat is None:
                self._change(table, at_hand[key], values)
            elif "seating_id" in values:
                user_id = table.seatings[key.seat].user_id
                self._dealt.append(DealSeat(deal=deal, seat=key.seat, user_id=user_id, **values))
            else:
                self._scored.append(DealSeat(deal=deal, seat=key.seat, **values))

    def write(self) -> None:
        """Write them, but for the row of the table, which `store.save` writes."""
        if self._dealt:
            DealSeat.objects.bulk_create(self._dealt)
        update_each(self._scored, _SCORED, by=("deal_id", "seat"))
        alike: defaultdict[tuple[type[Model], tuple[str, ...]], list[Model]] = defaultdict(list)
        for row, columns in self._changed.items():
            alike[type(row), tuple(sorted(columns))].append(row)
        for (_, together), changed in alike.items():
            update_each(changed, together)

    def _change(self, table: LockedTable, row: Model, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            setattr(row, name, value)
        if row is not table.row:
            self._changed.setdefault(row, set()).update(values)
        if isinstance(row, Seating) and row.freed_at is not None:
            del table.seatings[row.seat]


def _context(table: LockedTable) -> RowContext:
    deal = store.current_deal(table.row)
    return RowContext(
        table=table.row.pk,
        is_practice=table.row.practice_for_id is not None,
        per_point=table.state.book.per_point,
        seatings=table.seatings,
        present={seat for seat, seating in table.seatings.items() if seating.left_at is None},
        deal=None if deal is None else deal.pk,
        is_deal_open=deal is not None and deal.ended_at is None,
        is_deal_running=deal is not None and deal.status == Deal.Status.PLAYING,
        match=None if deal is None else deal.match_id,
        is_match_open=deal is not None and deal.match.status == Match.Status.OPEN,
    )


def _rows_at_hand(table: LockedTable) -> dict[RowKey, Model]:
    deal = store.current_deal(table.row)
    there: list[Model] = [table.row, *table.seatings.values(), *([deal, deal.match] if deal else [])]
    return {RowKey(type(row), row.pk): row for row in there}


#: The columns of a seat in a deal that are known once the deal is scored.
_SCORED = ("outcome", "points", "amount", "total")


def _cards_dealt(event: events.CardsDealt, at: RowContext) -> RowChanges:
    deal = int(number_of(event.deal_id))
    playing = {"status": Deal.Status.PLAYING, "started_at": NOW}
    drawn = {"client_seeds": list(event.clients), "order": list(event.order)}
    seats = {RowKey(DealSeat, deal, seat): {"seating_id": at.seatings[seat].pk} for seat in event.order}
    return {RowKey(Deal, deal): playing | drawn, **seats}


def _deal_voided(event: events.DealVoided, at: RowContext) -> RowChanges:
    return {RowKey(Deal, int(number_of(event.deal_id))): {"status": Deal.Status.VOID, "ended_at": NOW}}


def _deal_ended(event: events.DealEnded, at: RowContext) -> RowChanges:
    deal = int(number_of(event.deal_id))
    result = [{**codec.dump(line), "name": at.seatings[line.seat].name} for line in event.rows]
    changes: RowChanges = {RowKey(Deal, deal): {"status": Deal.Status.OVER, "ended_at": NOW, "result": result}}
    for line in event.rows:
        scored = {"outcome": line.outcome.value, "points": line.points, "amount": line.amount, "total": line.total}
        changes[RowKey(DealSeat, deal, line.seat)] = scored
    return changes | (_match_settled(at) if at.per_point else {})


def _match_settled(at: RowContext) -> RowChanges:
    assert at.match is not None, "a match begins with its first deal"
    return {RowKey(Match, at.match): {"status": Match.Status.SETTLED, "ended_at": NOW}}


def _match_ended(event: events.MatchEnded, at: RowContext) -> RowChanges:
    """Settle the match and close the table; logs of old releases hold matches that ended while a deal was running."""
    changes: RowChanges = {}
    if at.deal is not None and at.is_deal_running:
        changes[RowKey(Deal, at.deal)] = {"status": Deal.Status.VOID, "ended_at": NOW}
    return changes | _match_settled(at) | _closed(at)


def _match_cancelled(event: events.MatchCancelled, at: RowContext) -> RowChanges:
    changes: RowChanges = {}
    if at.deal is not None and at.match is not None and at.is_match_open:
        if at.is_deal_open:
            changes[RowKey(Deal, at.deal)] = {"status": Deal.Status.CANCELLED, "ended_at": NOW}
        reason = event.reason[:200]
        changes[RowKey(Match, at.match)] = {"status": Match.Status.CANCELLED, "ended_at": NOW, "reason": reason}
    return changes | _closed(at)


def _closed(at: RowContext) -> RowChanges:
    """Close the table for play: its players may sit elsewhere, and the table can still be viewed."""
    left = {RowKey(Seating, at.seatings[seat].pk): {"left_at": NOW} for seat in sorted(at.present)}
    return {**left, RowKey(Table, at.table): {"status": Table.Status.CLOSED, "closed_at": NOW}}


def _player_left(event: events.PlayerLeft, at: RowContext) -> RowChanges:
    return {RowKey(Seating, at.seatings[event.seat].pk): {"left_at": NOW}}


def _seat_left(event: events.SeatLeft, at: RowContext) -> RowChanges:
    freed = {"freed_at": NOW} | ({"left_at": NOW} if event.seat in at.present else {})
    changes = {RowKey(Seating, at.seatings[event.seat].pk): freed}
    # An empty stake table waits for the next players; an empty practice table is no longer needed.
    if at.is_practice and at.seatings.keys() == {event.seat}:
        changes[RowKey(Table, at.table)] = {"status": Table.Status.CLOSED, "closed_at": NOW}
    return changes


_ROWS: Mapping[type[events.Event], Callable[[Any, RowContext], RowChanges]] = {
    events.CardsDealt: _cards_dealt,
    events.DealVoided: _deal_voided,
    events.DealEnded: _deal_ended,
    events.MatchEnded: _match_ended,
    events.MatchCancelled: _match_cancelled,
    events.PlayerLeft: _player_left,
    events.SeatLeft: _seat_left,
}

#: The types of the events that write rows.
RECORDED: Set[type[events.Event]] = _ROWS.keys()
