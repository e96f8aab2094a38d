"""Events with money in them become postings of the wallet, in the transaction of the event itself."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rules.game import events
from tables.models import Seating
from tables.play.store import LockedTable
from wallet.play_money import services as wallet


def settle(held: LockedTable, event: events.Event) -> None:
    """The wallet has moved what the event says, once: keys are made of identities only, never of amounts or places.

    Raises what the wallet raises (InsufficientBalance above all); the caller rolls everything back.
    """
    posting = _POSTINGS.get(type(event))
    if posting is not None:
        posting(held, event)


def _by_seating(held: LockedTable, amounts: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    return {held.seatings[seat].pk: amount for seat, amount in amounts if amount}


def _match(held: LockedTable) -> int:
    assert held.row.deal is not None, "money moves in a match only once its first deal is prepared"
    return held.row.deal.match_id


def _seat_taken(held: LockedTable, event: events.SeatTaken) -> None:
    seating = held.seatings[event.seat]
    wallet.buy_in(seating=seating.pk, user=seating.user, currency=held.row.currency, amount=event.stack)


def _chips_added(held: LockedTable, event: events.ChipsAdded) -> None:
    seating = held.seatings[event.seat]
    wallet.add_chips(
        seating=seating.pk,
        user=seating.user,
        currency=held.row.currency,
        amount=event.amount,
        key=f"seating:{seating.pk}:add:{held.state.version}",
    )


def _returned(held: LockedTable, event: events.SeatLeft | events.PlayerLeft) -> None:
    seating: Seating = held.seatings[event.seat]
    wallet.cash_out(seating=seating.pk, amount=event.returned, key=f"seating:{seating.pk}:{event.name}")


def _match_started(held: LockedTable, event: events.MatchStarted) -> None:
    if event.entry:
        entries = _by_seating(held, ((seat, event.entry) for seat in event.seats))
        wallet.take_entries(match=_match(held), currency=held.row.currency, entries=entries)


def _deal_settled(held: LockedTable, event: events.DealSettled) -> None:
    wallet.settle_deal(
        key=f"deal:{event.deal_id}:settle",
        currency=held.row.currency,
        winner=held.seatings[event.winner].pk,
        losses=_by_seating(held, event.losses),
        fee=event.fee,
    )


def _player_rejoined(held: LockedTable, event: events.PlayerRejoined) -> None:
    seating, match = held.seatings[event.seat], _match(held)
    wallet.rejoin_entry(
        match=match,
        seating=seating.pk,
        user=seating.user,
        currency=held.row.currency,
        amount=event.amount,
        key=f"match:{match}:seating:{seating.pk}:rejoin:{held.state.seat(event.seat).rejoins}",
    )


def _prize_awarded(held: LockedTable, event: events.PrizeAwarded) -> None:
    shares = _by_seating(held, event.shares)
    wallet.award_prize(match=_match(held), currency=held.row.currency, shares=shares, fee=event.fee)


def _match_cancelled(held: LockedTable, event: events.MatchCancelled) -> None:
    if event.refunds:
        refunds = _by_seating(held, event.refunds)
        wallet.refund_match(match=_match(held), currency=held.row.currency, refunds=refunds)


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
