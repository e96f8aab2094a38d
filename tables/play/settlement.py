"""The wallet's postings for events that move money, made in the transaction of the event.

`postings` derives them from the event and ids alone; `settle` has the wallet make them. What every event must post is
written a second time in `tables/audit/expected_postings.py`, in accounts and amounts instead of services: an audit that
shared this code would share its mistakes. When you change one, change the other by hand.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rules import game
from rules.game import events
from rules.shuffling import number_of
from tables.models import Seating, Table
from tables.play import store
from tables.play.seating import check_brought
from tables.play.store import LockedTable
from tables.private_bounds import check_private
from wallet.base.places import PostingPlace
from wallet.play_money import services as play_money, tournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyIds:
    """The ids that the wallet needs where an event names seats, as of just after the event.

    `match` is None before the first deal is prepared; `rejoins` counts those of each seat in this match. At a table
    `for_practice_chips` all chips are those of the practice house.
    """

    place: PostingPlace
    currency: str
    seatings: Mapping[int, Seating]
    version: int
    match: int | None = None
    rejoins: Mapping[int, int]
    for_practice_chips: bool = False
    tournament: int | None = None
    #: At a table of a tournament: the chips of each seat, and with which everybody began.
    chips: Mapping[int, int] = field(default_factory=dict)
    first_chips: int = 0
    seats: int = 0

    def seating(self, seat: int) -> int:
        return self.seatings[seat].pk

    def by_seating(self, amounts: Iterable[tuple[int, int]]) -> dict[int, int]:
        """Return the amounts other than 0, by the seatings of their seats."""
        return {self.seating(seat): amount for seat, amount in amounts if amount}

    def in_match(self) -> dict[str, Any]:
        """Return the arguments that all postings of a match have in common."""
        assert self.match is not None, "money moves in a match only once its first deal is prepared"
        return {"match": self.match, "currency": self.currency, "place": replace(self.place, match=self.match)}


@dataclass(frozen=True, slots=True)
class PostingOrder:
    """A service of the wallet with its arguments."""

    service: Callable[..., Any]
    arguments: Mapping[str, Any]


def place_of(row: Table) -> PostingPlace:
    """Return the place that the postings of this table name."""
    return PostingPlace(table=row.pk, title=row.title, book=row.book, stake=row.stake_id)


def settle(table: LockedTable, event: events.Event) -> None:
    """Have the wallet make the postings of the event, each once.

    Raises the wallet's errors (InsufficientBalance above all), those of `check_brought` and `check_private`; the caller
    rolls everything back.
    """
    if type(event) in _postings_at(table.row.tournament_id):
        for order in postings(event, ids_of(table)):
            if (user := order.arguments.get("user")) is not None:
                check_private(table.row, user, order.arguments["amount"])
                check_brought(user, order.arguments["amount"])
            order.service(**order.arguments)


def postings(event: events.Event, ids: MoneyIds) -> list[PostingOrder]:
    """Return what the wallet has to post for the event; empty if it moves no money.

    Idempotency keys are made of ids only, never of amounts or places.
    """
    make = _postings_at(ids.tournament).get(type(event))
    return [] if make is None else make(event, ids)


def ids_of(table: LockedTable) -> MoneyIds:
    """Return the ids that postings at the table need now."""
    deal = store.current_deal(table.row)
    return MoneyIds(
        place=place_of(table.row),
        currency=table.row.currency,
        seatings=table.seatings,
        version=table.state.version,
        match=None if deal is None else deal.match_id,
        for_practice_chips=table.row.for_practice_chips,
        rejoins={seat: player.rejoins for seat, player in enumerate(table.state.seats) if player is not None},
        tournament=table.row.tournament_id,
        chips={} if table.row.tournament_id is None else game.chips(table.state),
        first_chips=table.state.book.first_total,
        seats=table.row.seats,
    )


def _at_seat(event: Any, ids: MoneyIds) -> dict[str, Any]:
    seating = ids.seatings[event.seat]
    user = None if ids.for_practice_chips else seating.user
    return {"seating": seating.pk, "user": user, "currency": ids.currency, "place": ids.place}


def _seat_taken(event: events.SeatTaken, ids: MoneyIds) -> list[PostingOrder]:
    return [PostingOrder(play_money.buy_in, {**_at_seat(event, ids), "amount": event.stack})]


def _chips_added(event: events.ChipsAdded, ids: MoneyIds) -> list[PostingOrder]:
    key = f"seating:{ids.seating(event.seat)}:add:{ids.version}"
    return [PostingOrder(play_money.add_chips, {**_at_seat(event, ids), "amount": event.amount, "key": key})]


def _returned(event: events.SeatLeft | events.PlayerLeft, ids: MoneyIds) -> list[PostingOrder]:
    seating = ids.seating(event.seat)
    key = f"seating:{seating}:{event.name}"
    arguments = {"seating": seating, "amount": event.returned, "key": key, "place": ids.place}
    return [PostingOrder(play_money.cash_out, arguments)]


def _match_started(event: events.MatchStarted, ids: MoneyIds) -> list[PostingOrder]:
    if not event.entry:
        return []
    entries = ids.by_seating((seat, event.entry) for seat in event.seats)
    return [PostingOrder(play_money.take_entries, {**ids.in_match(), "entries": entries})]


def _deal_settled(event: events.DealSettled, ids: MoneyIds) -> list[PostingOrder]:
    arguments = {
        "key": f"deal:{number_of(event.deal_id)}:settle",
        "winner": ids.seating(event.winner),
        "losses": ids.by_seating(event.losses),
        "fee": event.fee,
        "currency": ids.currency,
        "place": replace(ids.place, match=ids.match, deal=int(number_of(event.deal_id))),
    }
    return [PostingOrder(play_money.settle_deal, arguments)]


def _player_rejoined(event: events.PlayerRejoined, ids: MoneyIds) -> list[PostingOrder]:
    key = f"match:{ids.match}:seating:{ids.seating(event.seat)}:rejoin:{ids.rejoins[event.seat]}"
    arguments = {**_at_seat(event, ids), **ids.in_match(), "amount": event.amount, "key": key}
    return [PostingOrder(play_money.rejoin_entry, arguments)]


def _prize_awarded(event: events.PrizeAwarded, ids: MoneyIds) -> list[PostingOrder]:
    shares = ids.by_seating(event.shares)
    return [PostingOrder(play_money.award_prize, {**ids.in_match(), "shares": shares, "fee": event.fee})]


def _match_cancelled(event: events.MatchCancelled, ids: MoneyIds) -> list[PostingOrder]:
    if not event.refunds:
        return []
    return [PostingOrder(play_money.refund_match, {**ids.in_match(), "refunds": ids.by_seating(event.refunds)})]


_Postings = Mapping[type[events.Event], Callable[[Any, MoneyIds], list[PostingOrder]]]
_POSTINGS: _Postings = {
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


def _of_tournament(ids: MoneyIds, key: str, chips: Mapping[int, int]) -> dict[str, Any]:
    """Return the arguments of a posting between these seats and the tournament."""
    return {"tournament": ids.tournament, "key": key, "stacks": ids.by_seating(chips.items()), "place": ids.place}


def _chips_issued(event: events.SeatTaken, ids: MoneyIds) -> list[PostingOrder]:
    """Issue all chips of the table at once, when its last seat is taken: before that nothing else happens there."""
    if len(ids.chips) < ids.seats:
        return []
    chips = {f"table:{ids.place.table}:chips": (ids.by_seating(ids.chips.items()), ids.place)}
    return [PostingOrder(tournaments.issue_chips, {"tournament": ids.tournament, "tables": chips})]


def _chips_won(event: events.DealEnded, ids: MoneyIds) -> list[PostingOrder]:
    """Move chips where the book counts them beside a pot: in points `DealSettled` does so."""
    losses = tuple((row.seat, row.points) for row in event.rows if row.total is not None)
    if not losses:
        return []
    return _deal_settled(events.DealSettled(deal_id=event.deal_id, winner=event.winner, losses=losses, fee=0), ids)


def _chips_left(event: events.SeatLeft | events.PlayerLeft, ids: MoneyIds) -> list[PostingOrder]:
    """Take back what a player leaves with; in a match of counted chips they stay until it is over."""
    before_match = ids.first_chips if isinstance(event, events.SeatLeft) else 0
    stacks = {event.seat: event.returned or before_match}
    key = f"seating:{ids.seating(event.seat)}:{event.name}"
    return [PostingOrder(tournaments.take_chips_back, _of_tournament(ids, key, stacks))]


def _chips_of_match(event: events.MatchEnded | events.MatchCancelled, ids: MoneyIds) -> list[PostingOrder]:
    key = f"table:{ids.place.table}:chips_back"
    return [PostingOrder(tournaments.take_chips_back, _of_tournament(ids, key, ids.chips))]


#: At tables of tournaments no money moves, and chips only between them and the tournament.
_OF_TOURNAMENTS: _Postings = {
    events.SeatTaken: _chips_issued,
    events.DealSettled: _deal_settled,
    events.DealEnded: _chips_won,
    events.SeatLeft: _chips_left,
    events.PlayerLeft: _chips_left,
    events.MatchEnded: _chips_of_match,
    events.MatchCancelled: _chips_of_match,
}


def _postings_at(tournament: int | None) -> _Postings:
    return _POSTINGS if tournament is None else _OF_TOURNAMENTS
