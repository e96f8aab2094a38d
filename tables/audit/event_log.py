"""What a table's log of events tells, and nothing else: the state, its deals and matches, its seats, its money.

The audit holds every row and every posting beside it. Whoever reads it reads no snapshot and no ledger.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rules import game
from rules.game import TableState, codec, events
from tables.log import reading
from tables.log.packs import BadPack
from tables.log.reading import LogEntry
from tables.models import Deal, Match, Seating, Table
from tables.play import outages
from tables.play.store import read_state
from wallet.base import clocks
from wallet.ledger.selectors import Entry

Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ExpectedPosting:
    """A posting as the event that caused it tells it: why, and who gave how much to whom."""

    reason: str
    entries: tuple[Entry, ...]


@dataclass(slots=True)
class ReplayedDeal:
    """One deal; `happened` are its events, kept for its proof."""

    prepared: events.DealPrepared
    dealt: events.CardsDealt | None = None
    ended: events.DealEnded | None = None
    status: str = Deal.Status.PREPARED
    happened: list[events.Event] = field(default_factory=list)
    #: The seating on each seat when the cards were dealt.
    seatings: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class ReplayedMatch:
    status: str = Match.Status.OPEN
    reason: str = ""


class CorruptLog(Exception):
    """The log breaks off: something in it is not what can have been written there."""


class LogReplay:
    """The tale of one table, read from its first event on; `faults` are what in the order of its rows is wrong."""

    def __init__(self, row: Table) -> None:
        self.row = row
        self.state: TableState = game.start(codec.load_terms(row.terms) if row.terms else read_state(row).terms)
        self.at_ms = 0
        self.deal: int | None = None
        self.closed = False
        self.deals: dict[int, ReplayedDeal] = {}
        self.matches: dict[int, ReplayedMatch] = {}
        self.postings: dict[str, ExpectedPosting] = {}
        self.faults: list[str] = []
        self.held: dict[int, Seating] = {}
        self.left: set[int] = set()
        self.freed: set[int] = set()
        self._stays = _by_seat(row)
        self._match_of = dict(Deal.objects.filter(match__table=row).values_list("pk", "match_id"))

    @property
    def stays(self) -> int:
        """How many seatings the table has of which nothing was told."""
        return sum(len(rows) for rows in self._stays.values())

    def read(self) -> Iterator[None]:
        """Everything is told, with a pause after each deal, in which what was told of it may be taken away.

        CorruptLog where a row cannot be read or does not follow from those before it.
        """
        try:
            for version, group in groupby(reading.of_table(self.row), key=lambda each: each.version):
                deal = self.deal
                self._transition(version, list(group))
                if deal != self.deal:
                    yield
        except BadPack as fault:
            raise CorruptLog(f"what is packed after version {self.state.version} {fault}") from fault
        yield

    def _transition(self, version: int, rows: Sequence[LogEntry]) -> None:
        if version != self.state.version + 1:
            self.faults.append(f"version {version} follows version {self.state.version}")
        if [row.number for row in rows] != list(range(len(rows))):
            self.faults.append(f"the events of version {version} are not numbered from 0 on")
        happened = [self._event(row) for row in rows]
        try:
            state = self.state
            for event in happened:
                state = event.fold(state)
            self.state = game.commit_version(state, happened)
        except Exception as fault:
            raise CorruptLog(f"version {version} does not follow: {type(fault).__name__}") from fault
        for row, event in zip(rows, happened, strict=True):
            self._tell(row, event)

    def _event(self, row: LogEntry) -> events.Event:
        try:
            event = row.event()
        except Exception as fault:
            raise CorruptLog(f"{_place(row)} cannot be read: {type(fault).__name__}") from fault
        if event.name != row.kind:
            self.faults.append(f"{_place(row)} is called {row.kind} and is {event.name}")
        if row.at_ms < self.at_ms - outages.AHEAD_MS and not _excused(self.at_ms, row.at_ms):
            self.faults.append(f"{_place(row)} is dated before its predecessor")
        self.at_ms = row.at_ms
        if isinstance(event, events.DealPrepared):
            self.deal = int(event.deal_id)
        if row.deal_id != self.deal:
            self.faults.append(f"{_place(row)} is put under deal {row.deal_id} and belongs to {self.deal}")
        return event

    def _tell(self, row: LogEntry, event: events.Event) -> None:
        try:
            tell = _TELLS.get(type(event))
            if tell is not None:
                tell(self, event)
        except (KeyError, IndexError) as fault:
            raise CorruptLog(f"{_place(row)} tells of {fault}, of which there is no row") from fault
        if self.deal is not None and self.deal in self.deals:
            self.deals[self.deal].happened.append(event)

    def post(self, key: str, reason: str, entries: Iterator[tuple[Name, Name, int]]) -> None:
        """Under `key`, these amounts moved; those of nothing are none."""
        moved = tuple(Entry(giver, taker, amount) for giver, taker, amount in entries if amount)
        if moved:
            self.postings[key] = ExpectedPosting(reason, moved)

    @property
    def match(self) -> int:
        assert self.deal is not None, "money moves in a match only once its first deal is prepared"
        return self._match_of[self.deal]

    def sit(self, seat: int) -> Seating:
        self.held[seat] = self._stays[seat].pop(0)
        return self.held[seat]

    def close(self) -> None:
        self.closed = True
        self.left.update(seating.pk for seating in self.held.values())


def _by_seat(row: Table) -> dict[int, list[Seating]]:
    found: dict[int, list[Seating]] = {}
    for seating in Seating.objects.filter(table=row).order_by("pk"):
        found.setdefault(seating.seat, []).append(seating)
    return found


def _excused(first_ms: int, second_ms: int) -> bool:
    return clocks.explains(outages.moment(first_ms), outages.moment(second_ms))


def _place(row: LogEntry) -> str:
    return f"event {row.number} of version {row.version}"


def _stack(told: LogReplay, seat: int) -> Name:
    return ("stack", f"seating:{told.held[seat].pk}")


def _balance_account(told: LogReplay, seat: int) -> Name:
    user = told.held[seat].user_id
    return ("player", f"user:{user}") if user is not None else ("practice", "house")


def _pot(told: LogReplay) -> Name:
    return ("pot", f"match:{told.match}")


_FEES: Name = ("fees", "house")


def _seat_taken(told: LogReplay, event: events.SeatTaken) -> None:
    seating = told.sit(event.seat)
    if seating.is_computer != event.computer:
        told.faults.append(f"seating {seating.pk} is {'a computer' if seating.is_computer else 'a user'} and was none")
    entries = iter([(_balance_account(told, event.seat), _stack(told, event.seat), event.stack)])
    told.post(f"seating:{seating.pk}:buy_in", "buy_in", entries)


def _chips_added(told: LogReplay, event: events.ChipsAdded) -> None:
    key = f"seating:{told.held[event.seat].pk}:add:{told.state.version}"
    told.post(key, "add_chips", iter([(_balance_account(told, event.seat), _stack(told, event.seat), event.amount)]))


def _returned(told: LogReplay, event: events.SeatLeft | events.PlayerLeft) -> None:
    seating = told.held[event.seat]
    entries = iter([(_stack(told, event.seat), _balance_account(told, event.seat), event.returned)])
    told.post(f"seating:{seating.pk}:{event.name}", "cash_out", entries)
    told.left.add(seating.pk)
    if isinstance(event, events.SeatLeft):
        told.freed.add(told.held.pop(event.seat).pk)
        if not told.held and told.row.practice_for_id is not None:
            told.close()


def _deal_prepared(told: LogReplay, event: events.DealPrepared) -> None:
    told.deals[int(event.deal_id)] = ReplayedDeal(event)
    told.matches.setdefault(told.match, ReplayedMatch())


def _cards_dealt(told: LogReplay, event: events.CardsDealt) -> None:
    deal = told.deals[int(event.deal_id)]
    deal.dealt, deal.status = event, Deal.Status.PLAYING
    deal.seatings = {seat: told.held[seat].pk for seat in event.order}


def _match_started(told: LogReplay, event: events.MatchStarted) -> None:
    entries = ((_stack(told, seat), _pot(told), event.entry) for seat in event.seats)
    told.post(f"match:{told.match}:entries", "entry", entries)


def _deal_voided(told: LogReplay, event: events.DealVoided) -> None:
    told.deals[int(event.deal_id)].status = Deal.Status.VOID


def _deal_ended(told: LogReplay, event: events.DealEnded) -> None:
    deal = told.deals[int(event.deal_id)]
    deal.ended, deal.status = event, Deal.Status.OVER
    if told.state.book.per_point:
        told.matches[told.match].status = Match.Status.SETTLED


def _deal_settled(told: LogReplay, event: events.DealSettled) -> None:
    winner = _stack(told, event.winner)
    losses = [(_stack(told, seat), winner, amount) for seat, amount in event.losses]
    told.post(f"deal:{event.deal_id}:settle", "deal", iter([*losses, (winner, _FEES, event.fee)]))


def _rejoined(told: LogReplay, event: events.PlayerRejoined) -> None:
    number = told.state.seat(event.seat).rejoins
    key = f"match:{told.match}:seating:{told.held[event.seat].pk}:rejoin:{number}"
    told.post(key, "rejoin", iter([(_balance_account(told, event.seat), _pot(told), event.amount)]))


def _prize_awarded(told: LogReplay, event: events.PrizeAwarded) -> None:
    shares = [(_pot(told), _balance_account(told, seat), amount) for seat, amount in event.shares]
    told.post(f"match:{told.match}:prize", "prize", iter([*shares, (_pot(told), _FEES, event.fee)]))


def _match_ended(told: LogReplay, event: events.MatchEnded) -> None:
    told.matches[told.match].status = Match.Status.SETTLED
    told.close()


def _match_cancelled(told: LogReplay, event: events.MatchCancelled) -> None:
    if event.refunds:
        refunds = ((_pot(told), _balance_account(told, seat), amount) for seat, amount in event.refunds)
        told.post(f"match:{told.match}:refund", "refund", refunds)
    match = told.matches.get(told.match) if told.deal is not None else None
    if match is not None and match.status == Match.Status.OPEN:
        assert told.deal is not None
        deal = told.deals[told.deal]
        if deal.status in (Deal.Status.PREPARED, Deal.Status.PLAYING):
            deal.status = Deal.Status.CANCELLED
        match.status, match.reason = Match.Status.CANCELLED, event.reason[:200]
    told.close()


_TELLS: Mapping[type[events.Event], Callable[[LogReplay, Any], None]] = {
    events.SeatTaken: _seat_taken,
    events.ChipsAdded: _chips_added,
    events.SeatLeft: _returned,
    events.PlayerLeft: _returned,
    events.DealPrepared: _deal_prepared,
    events.CardsDealt: _cards_dealt,
    events.MatchStarted: _match_started,
    events.DealVoided: _deal_voided,
    events.DealEnded: _deal_ended,
    events.DealSettled: _deal_settled,
    events.PlayerRejoined: _rejoined,
    events.PrizeAwarded: _prize_awarded,
    events.MatchEnded: _match_ended,
    events.MatchCancelled: _match_cancelled,
}
