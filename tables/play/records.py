"""Events as rows that can be queried: matches, deals, who sat where, and each player's history."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from rules.game import codec, events, moves
from rules.shuffling import commitment
from tables.log.sealing import SEEDS
from tables.models import Deal, DealSeat, Match, Table
from tables.play.store import LockedTable

#: Random bytes behind each deal: 512 bits, so that every order of the shoe is possible.
SEED_BYTES = 64


def prepare_deal(table: LockedTable) -> moves.PrepareDeal:
    """The next deal has a row, and a seed that nobody has seen; what follows is the move that publishes its commitment.

    It belongs to the match that is still open, else to a new one.
    """
    last = table.row.deal
    match = last.match if last is not None and last.match.status == Match.Status.OPEN else None
    number = last.number + 1 if last is not None and match is not None else 1
    if match is None:
        match = Match.objects.create(table=table.row, book=table.row.book, book_version=table.row.book_version)
    seed = secrets.token_bytes(SEED_BYTES)
    deal = Deal(
        match=match,
        number=number,
        book=table.row.book,
        book_version=table.row.book_version,
    )
    deal.sealed_seed = SEEDS.seal(deal, seed)
    deal.save()
    deal.commitment = commitment(str(deal.pk), seed)
    deal.save(update_fields=["commitment"])
    table.row.deal = deal
    return moves.PrepareDeal(deal_id=str(deal.pk), seed=seed.hex())


def record_events(table: LockedTable, event: events.Event) -> None:
    """The rows agree with the event."""
    recording = _RECORDINGS.get(type(event))
    if recording is not None:
        recording(table, event)


def _deal(table: LockedTable) -> Deal:
    assert table.row.deal is not None, "no deal was prepared"
    return table.row.deal


def _cards_dealt(table: LockedTable, event: events.CardsDealt) -> None:
    deal = _deal(table)
    deal.status, deal.started_at = Deal.Status.PLAYING, timezone.now()
    deal.client_seeds, deal.order = list(event.clients), list(event.order)
    deal.save(update_fields=["status", "started_at", "client_seeds", "order"])
    DealSeat.objects.bulk_create(
        DealSeat(deal=deal, seat=seat, seating=table.seatings[seat], user=table.seatings[seat].user)
        for seat in event.order
    )


def _deal_voided(table: LockedTable, event: events.DealVoided) -> None:
    _end_deal(_deal(table), Deal.Status.VOID)


def _deal_ended(table: LockedTable, event: events.DealEnded) -> None:
    deal = _deal(table)
    deal.result = [{**codec.dump(row), "name": table.seatings[row.seat].name} for row in event.rows]
    _end_deal(deal, Deal.Status.OVER)
    seats = {each.seat: each for each in deal.seats.all()}
    for row in event.rows:
        scored = seats[row.seat]
        scored.outcome, scored.points = row.outcome.value, row.points
        scored.amount, scored.total = row.amount, row.total
    DealSeat.objects.bulk_update(seats.values(), ["outcome", "points", "amount", "total"])
    if table.state.book.per_point:
        _end_match(deal.match, Match.Status.SETTLED)


def _end_deal(deal: Deal, status: Deal.Status) -> None:
    deal.status, deal.ended_at = status, timezone.now()
    deal.save(update_fields=["status", "ended_at", "result"])


def _end_match(match: Match, status: Match.Status, reason: str = "") -> None:
    match.status, match.ended_at, match.reason = status, timezone.now(), reason[:200]
    match.save(update_fields=["status", "ended_at", "reason"])


def _match_ended(table: LockedTable, event: events.MatchEnded) -> None:
    _end_match(_deal(table).match, Match.Status.SETTLED)
    _close(table)


def _match_cancelled(table: LockedTable, event: events.MatchCancelled) -> None:
    deal = table.row.deal
    if deal is not None and deal.match.status == Match.Status.OPEN:
        if deal.ended_at is None:
            _end_deal(deal, Deal.Status.CANCELLED)
        _end_match(deal.match, Match.Status.CANCELLED, event.reason)
    _close(table)


def _close(table: LockedTable) -> None:
    """Nobody plays here any more: the players may sit elsewhere, the table stays to be looked at."""
    now = timezone.now()
    for seating in table.seatings.values():
        if seating.left_at is None:
            seating.left_at = now
            seating.save(update_fields=["left_at"])
    table.row.status, table.row.closed_at = Table.Status.CLOSED, now


def _player_left(table: LockedTable, event: events.PlayerLeft) -> None:
    seating = table.seatings[event.seat]
    seating.left_at = timezone.now()
    seating.save(update_fields=["left_at"])


def _seat_left(table: LockedTable, event: events.SeatLeft) -> None:
    seating = table.seatings.pop(event.seat)
    seating.freed_at = timezone.now()
    seating.left_at = seating.left_at or seating.freed_at
    seating.save(update_fields=["left_at", "freed_at"])
    if not table.seatings and not _is_kept_open(table):
        _close(table)


def _is_kept_open(table: LockedTable) -> bool:
    """An empty table of a stake waits for the next players; a practice table has served."""
    return table.row.practice_for_id is None


_RECORDINGS: Mapping[type[events.Event], Callable[[LockedTable, Any], None]] = {
    events.CardsDealt: _cards_dealt,
    events.DealVoided: _deal_voided,
    events.DealEnded: _deal_ended,
    events.MatchEnded: _match_ended,
    events.MatchCancelled: _match_cancelled,
    events.PlayerLeft: _player_left,
    events.SeatLeft: _seat_left,
}
