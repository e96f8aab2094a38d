"""The postings that each event must have made, in accounts and amounts, worked out independently for the audit.

`tables/play/settlement.py` says which services of the wallet an event calls. This module says which entries the ledger
must have afterwards, and shares nothing but the form of the keys: a mistake in one of the two shows as a difference
between books and events, which a shared function would hide. Change both by hand.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.game import events
from tables.models import Seating
from wallet.ledger.selectors import Entry

AccountKey = tuple[str, str]
_FEES: AccountKey = ("fees", "house")


@dataclass(frozen=True, slots=True)
class ExpectedPosting:
    """A posting under its key: the reason, the payer, payee and amount of each entry, its match and deal, if any."""

    key: str
    reason: str
    entries: tuple[Entry, ...]
    match: int | None = None
    deal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedTable:
    """The table at the moment of an event, by its log: the holder of each seat, the version, the match, its rejoins."""

    holders: Mapping[int, Seating]
    version: int
    match: int | None
    rejoins: Callable[[int], int]
    for_practice_chips: bool = False
    #: At a table of a tournament: its id; the chips by seat, and those with which everybody began; how many seats.
    table: int = 0
    tournament: int | None = None
    chips: Mapping[int, int] = field(default_factory=dict)
    first_chips: int = 0
    seats: int = 0

    def stack(self, seat: int) -> AccountKey:
        return ("stack", f"seating:{self.holders[seat].pk}")

    def balance_account(self, seat: int) -> AccountKey:
        user = None if self.for_practice_chips else self.holders[seat].user_id
        return ("player", f"user:{user}") if user is not None else ("practice", "house")

    def issuer(self) -> AccountKey:
        return ("issuance", f"tournament:{self.tournament}")

    def pot(self) -> AccountKey:
        assert self.match is not None, "money moves in a match only once its first deal is prepared"
        return ("pot", f"match:{self.match}")


def expected(event: events.Event, table: LoggedTable) -> Iterator[ExpectedPosting]:
    """Yield the posting that the event must have made; none where no money moved."""
    expect = (_EXPECTED if table.tournament is None else _OF_TOURNAMENTS).get(type(event))
    if expect is not None and (posting := expect(event, table)).entries:
        yield posting


def _of_deal(
    event: events.DealSettled | events.DealEnded, entries: tuple[Entry, ...], table: LoggedTable
) -> ExpectedPosting:
    deal = event.deal_id.rpartition("/")[2]
    return ExpectedPosting(f"deal:{deal}:settle", "deal", entries, table.match, int(deal))


def _entries(moves: Iterable[tuple[AccountKey, AccountKey, int]]) -> tuple[Entry, ...]:
    return tuple(Entry(debit, credit, amount) for debit, credit, amount in moves if amount)


def _seat_taken(event: events.SeatTaken, table: LoggedTable) -> ExpectedPosting:
    entries = _entries([(table.balance_account(event.seat), table.stack(event.seat), event.stack)])
    return ExpectedPosting(f"seating:{table.holders[event.seat].pk}:buy_in", "buy_in", entries)


def _chips_added(event: events.ChipsAdded, table: LoggedTable) -> ExpectedPosting:
    entries = _entries([(table.balance_account(event.seat), table.stack(event.seat), event.amount)])
    return ExpectedPosting(f"seating:{table.holders[event.seat].pk}:add:{table.version}", "add_chips", entries)


def _returned(event: events.SeatLeft | events.PlayerLeft, table: LoggedTable) -> ExpectedPosting:
    entries = _entries([(table.stack(event.seat), table.balance_account(event.seat), event.returned)])
    return ExpectedPosting(f"seating:{table.holders[event.seat].pk}:{event.name}", "cash_out", entries)


def _match_started(event: events.MatchStarted, table: LoggedTable) -> ExpectedPosting:
    entries = _entries((table.stack(seat), table.pot(), event.entry) for seat in event.seats)
    return ExpectedPosting(f"match:{table.match}:entries", "entry", entries, table.match)


def _deal_settled(event: events.DealSettled, table: LoggedTable) -> ExpectedPosting:
    winner = table.stack(event.winner)
    losses = [(table.stack(seat), winner, amount) for seat, amount in event.losses]
    entries = _entries([*losses, (winner, _FEES, event.fee)])
    return _of_deal(event, entries, table)


def _rejoined(event: events.PlayerRejoined, table: LoggedTable) -> ExpectedPosting:
    key = f"match:{table.match}:seating:{table.holders[event.seat].pk}:rejoin:{table.rejoins(event.seat)}"
    entries = _entries([(table.balance_account(event.seat), table.pot(), event.amount)])
    return ExpectedPosting(key, "rejoin", entries, table.match)


def _prize_awarded(event: events.PrizeAwarded, table: LoggedTable) -> ExpectedPosting:
    shares = [(table.pot(), table.balance_account(seat), amount) for seat, amount in event.shares]
    return ExpectedPosting(
        f"match:{table.match}:prize", "prize", _entries([*shares, (table.pot(), _FEES, event.fee)]), table.match
    )


def _match_cancelled(event: events.MatchCancelled, table: LoggedTable) -> ExpectedPosting:
    entries = _entries((table.pot(), table.balance_account(seat), amount) for seat, amount in event.refunds)
    return ExpectedPosting(f"match:{table.match}:refund", "refund", entries, table.match)


_EXPECTED: Mapping[type[events.Event], Callable[[Any, LoggedTable], ExpectedPosting]] = {
    events.SeatTaken: _seat_taken,
    events.ChipsAdded: _chips_added,
    events.SeatLeft: _returned,
    events.PlayerLeft: _returned,
    events.MatchStarted: _match_started,
    events.DealSettled: _deal_settled,
    events.PlayerRejoined: _rejoined,
    events.PrizeAwarded: _prize_awarded,
    events.MatchCancelled: _match_cancelled,
}


def _chips_issued(event: events.SeatTaken, table: LoggedTable) -> ExpectedPosting:
    every = table.chips if len(table.chips) == table.seats else {}
    entries = _entries((table.issuer(), table.stack(seat), chips) for seat, chips in every.items())
    return ExpectedPosting(f"table:{table.table}:chips", "t_chips", entries)


def _chips_won(event: events.DealEnded, table: LoggedTable) -> ExpectedPosting:
    winner, counted = table.stack(event.winner), [row for row in event.rows if row.total is not None]
    entries = _entries((table.stack(row.seat), winner, row.points) for row in counted)
    return _of_deal(event, entries, table)


def _chips_left(event: events.SeatLeft | events.PlayerLeft, table: LoggedTable) -> ExpectedPosting:
    chips = table.first_chips if event.name == "seat_left" and table.first_chips else event.returned
    entries = _entries([(table.stack(event.seat), table.issuer(), chips)])
    return ExpectedPosting(f"seating:{table.holders[event.seat].pk}:{event.name}", "t_back", entries)


def _chips_of_match(event: events.Event, table: LoggedTable) -> ExpectedPosting:
    entries = _entries((table.stack(seat), table.issuer(), chips) for seat, chips in table.chips.items())
    return ExpectedPosting(f"table:{table.table}:chips_back", "t_back", entries)


_OF_TOURNAMENTS: Mapping[type[events.Event], Callable[[Any, LoggedTable], ExpectedPosting]] = {
    events.SeatTaken: _chips_issued,
    events.DealSettled: _deal_settled,
    events.DealEnded: _chips_won,
    events.SeatLeft: _chips_left,
    events.PlayerLeft: _chips_left,
    events.MatchEnded: _chips_of_match,
    events.MatchCancelled: _chips_of_match,
}

#: The events that may move money.
MOVING = _EXPECTED.keys() | _OF_TOURNAMENTS.keys()
