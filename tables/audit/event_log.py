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
        self.seatings: dict[int, Seating] = {}
        self.left: set[int] = set()
        self.freed: set[int] = set()
        self._unused = _by_seat(row)
        self._match_of = dict(Deal.objects.filter(match__table=row).values_list("pk", "match_id"))

    @property
    def unused_seatings(self) -> int:
        """How many seatings the table has of which nothing was told."""
        return sum(len(rows) for rows in self._unused.values())

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
            self._apply(row, event)

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

    def _apply(self, row: LogEntry, event: events.Event) -> None:
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
        moved = tuple(Entry(debit, credit, amount) for debit, credit, amount in entries if amount)
        if moved:
            self.postings[key] = ExpectedPosting(reason, moved)

    @property
    def match(self) -> int:
        assert self.deal is not None, "money moves in a match only once its first deal is prepared"
        return self._match_of[self.deal]

    def sit(self, seat: int) -> Seating:
        self.seatings[seat] = self._unused[seat].pop(0)
        return self.seatings[seat]

    def close(self) -> None:
        self.closed = True
        self.left.update(seating.pk for seating in self.seatings.values())


def _by_seat(row: Table) -> dict[int, list[Seating]]:
    found: dict[int, list[Seating]] = {}
    for seating in Seating.objects.filter(table=row).order_by("pk"):
        found.setdefault(seating.seat, []).append(seating)
    return found


def _excused(first_ms: int, second_ms: int) -> bool:
    return clocks.explains(outages.moment(first_ms), outages.moment(second_ms))


def _place(row: LogEntry) -> str:
    return f"event {row.number} of version {row.version}"


def _stack(replay: LogReplay, seat: int) -> Name:
    return ("stack", f"seating:{replay.seatings[seat].pk}")


def _balance_account(replay: LogReplay, seat: int) -> Name:
    user = replay.seatings[seat].user_id
    return ("player", f"user:{user}") if user is not None else ("practice", "house")


def _pot(replay: LogReplay) -> Name:
    return ("pot", f"match:{replay.match}")


_FEES: Name = ("fees", "house")


def _seat_taken(replay: LogReplay, event: events.SeatTaken) -> None:
    seating = replay.sit(event.seat)
    if seating.is_computer != event.computer:
        replay.faults.append(
            f"seating {seating.pk} is {'a computer' if seating.is_computer else 'a user'} and was none"
        )
    entries = iter([(_balance_account(replay, event.seat), _stack(replay, event.seat), event.stack)])
    replay.post(f"seating:{seating.pk}:buy_in", "buy_in", entries)


def _chips_added(replay: LogReplay, event: events.ChipsAdded) -> None:
    key = f"seating:{replay.seatings[event.seat].pk}:add:{replay.state.version}"
    replay.post(
        key, "add_chips", iter([(_balance_account(replay, event.seat), _stack(replay, event.seat), event.amount)])
    )


def _returned(replay: LogReplay, event: events.SeatLeft | events.PlayerLeft) -> None:
    seating = replay.seatings[event.seat]
    entries = iter([(_stack(replay, event.seat), _balance_account(replay, event.seat), event.returned)])
    replay.post(f"seating:{seating.pk}:{event.name}", "cash_out", entries)
    replay.left.add(seating.pk)
    if isinstance(event, events.SeatLeft):
        replay.freed.add(replay.seatings.pop(event.seat).pk)
        if not replay.seatings and replay.row.practice_for_id is not None:
            replay.close()


def _deal_prepared(replay: LogReplay, event: events.DealPrepared) -> None:
    replay.deals[int(event.deal_id)] = ReplayedDeal(event)
    replay.matches.setdefault(replay.match, ReplayedMatch())


def _cards_dealt(replay: LogReplay, event: events.CardsDealt) -> None:
    deal = replay.deals[int(event.deal_id)]
    deal.dealt, deal.status = event, Deal.Status.PLAYING
    deal.seatings = {seat: replay.seatings[seat].pk for seat in event.order}


def _match_started(replay: LogReplay, event: events.MatchStarted) -> None:
    entries = ((_stack(replay, seat), _pot(replay), event.entry) for seat in event.seats)
    replay.post(f"match:{replay.match}:entries", "entry", entries)


def _deal_voided(replay: LogReplay, event: events.DealVoided) -> None:
    replay.deals[int(event.deal_id)].status = Deal.Status.VOID


def _deal_ended(replay: LogReplay, event: events.DealEnded) -> None:
    deal = replay.deals[int(event.deal_id)]
    deal.ended, deal.status = event, Deal.Status.OVER
    if replay.state.book.per_point:
        replay.matches[replay.match].status = Match.Status.SETTLED


def _deal_settled(replay: LogReplay, event: events.DealSettled) -> None:
    winner = _stack(replay, event.winner)
    losses = [(_stack(replay, seat), winner, amount) for seat, amount in event.losses]
    replay.post(f"deal:{event.deal_id}:settle", "deal", iter([*losses, (winner, _FEES, event.fee)]))


def _rejoined(replay: LogReplay, event: events.PlayerRejoined) -> None:
    number = replay.state.seat(event.seat).rejoins
    key = f"match:{replay.match}:seating:{replay.seatings[event.seat].pk}:rejoin:{number}"
    replay.post(key, "rejoin", iter([(_balance_account(replay, event.seat), _pot(replay), event.amount)]))


def _prize_awarded(replay: LogReplay, event: events.PrizeAwarded) -> None:
    shares = [(_pot(replay), _balance_account(replay, seat), amount) for seat, amount in event.shares]
    replay.post(f"match:{replay.match}:prize", "prize", iter([*shares, (_pot(replay), _FEES, event.fee)]))


def _match_ended(replay: LogReplay, event: events.MatchEnded) -> None:
    replay.matches[replay.match].status = Match.Status.SETTLED
    replay.close()


def _match_cancelled(replay: LogReplay, event: events.MatchCancelled) -> None:
    if event.refunds:
        refunds = ((_pot(replay), _balance_account(replay, seat), amount) for seat, amount in event.refunds)
        replay.post(f"match:{replay.match}:refund", "refund", refunds)
    match = replay.matches.get(replay.match) if replay.deal is not None else None
    if match is not None and match.status == Match.Status.OPEN:
        assert replay.deal is not None
        deal = replay.deals[replay.deal]
        if deal.status in (Deal.Status.PREPARED, Deal.Status.PLAYING):
            deal.status = Deal.Status.CANCELLED
        match.status, match.reason = Match.Status.CANCELLED, event.reason[:200]
    replay.close()


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
