"""Events with money in them become postings of the wallet, in the transaction of the event itself."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rules.game import events
from tables.models import Seating
from tables.play.store import LockedTable
from wallet.play_money import services as play_money


def settle(table: LockedTable, event: events.Event) -> None:
    """The wallet has moved what the event says, once: keys are made of identities only, never of amounts or places.

    Raises what the wallet raises (InsufficientBalance above all); the caller rolls everything back.
    """
    posting = _POSTINGS.get(type(event))
    if posting is not None:
        posting(table, event)


def _by_seating(table: LockedTable, amounts: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    return {table.seatings[seat].pk: amount for seat, amount in amounts if amount}


def _match(table: LockedTable) -> int:
    assert table.row.deal is not None, "money moves in a match only once its first deal is prepared"
    return table.row.deal.match_id


def _seat_taken(table: LockedTable, event: events.SeatTaken) -> None:
    seating = table.seatings[event.seat]
    play_money.buy_in(seating=seating.pk, user=seating.user, currency=table.row.currency, amount=event.stack)


def _chips_added(table: LockedTable, event: events.ChipsAdded) -> None:
    seating = table.seatings[event.seat]
    play_money.add_chips(
        seating=seating.pk,
        user=seating.user,
        currency=table.row.currency,
        amount=event.amount,
        key=f"seating:{seating.pk}:add:{table.state.version}",
    )


def _returned(table: LockedTable, event: events.SeatLeft | events.PlayerLeft) -> None:
    seating: Seating = table.seatings[event.seat]
    play_money.cash_out(seating=seating.pk, amount=event.returned, key=f"seating:{seating.pk}:{event.name}")


def _match_started(table: LockedTable, event: events.MatchStarted) -> None:
    if event.entry:
        entries = _by_seating(table, ((seat, event.entry) for seat in event.seats))
        play_money.take_entries(match=_match(table), currency=table.row.currency, entries=entries)


def _deal_settled(table: LockedTable, event: events.DealSettled) -> None:
    play_money.settle_deal(
        key=f"deal:{event.deal_id}:settle",
        currency=table.row.currency,
        winner=table.seatings[event.winner].pk,
        losses=_by_seating(table, event.losses),
        fee=event.fee,
    )


def _player_rejoined(table: LockedTable, event: events.PlayerRejoined) -> None:
    seating, match = table.seatings[event.seat], _match(table)
    play_money.rejoin_entry(
        match=match,
        seating=seating.pk,
        user=seating.user,
        currency=table.row.currency,
        amount=event.amount,
        key=f"match:{match}:seating:{seating.pk}:rejoin:{table.state.seat(event.seat).rejoins}",
    )


def _prize_awarded(table: LockedTable, event: events.PrizeAwarded) -> None:
    shares = _by_seating(table, event.shares)
    play_money.award_prize(match=_match(table), currency=table.row.currency, shares=shares, fee=event.fee)


def _match_cancelled(table: LockedTable, event: events.MatchCancelled) -> None:
    if event.refunds:
        refunds = _by_seating(table, event.refunds)
        play_money.refund_match(match=_match(table), currency=table.row.currency, refunds=refunds)


_POSTINGS: Mapping[type[events.Event], Callable[[LockedTable, Any], None]] = {
    events.SeatTaken: _seat_taken,
    events.ChipsAdded: _chips_added,
    events.SeatLeft: _returned,
    events.PlayerLeft: _returned,
    events.MatchStarted: _match_started,
    events.DealSettled: _deal_settled,
    events.PlayerRejoined: _player_rejoined,
    events.PrizeAwarded: _prize_awarded,
    events.MatchCancelled: _match_cancelled,
}
