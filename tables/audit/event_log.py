"""Replaying a table's log for the audit: the state, deals, matches, seats and postings that follow from its events.

The audit compares every row and posting with the replay, which reads no ledger, and a snapshot only for the terms of
a table that stores none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from rules import game
from rules.game import Clock, TableState, codec, events
from rules.shuffling import number_of
from tables.audit.expected_postings import MOVING, ExpectedPosting, LoggedTable, expected
from tables.log import reading
from tables.log.packs import BadPack
from tables.log.reading import LogEntry, latest_state
from tables.log.triggers import TRIGGERS
from tables.models import Deal, DealSeat, Match, Pack, Seating, Table
from tables.play import outages
from tables.play.records import NOW, RECORDED, RowChanges, RowContext, RowKey, rows
from tables.play.store import moment
from wallet.base.findings import ALTERED, DUPLICATED, Differences, Finding, excuses, missing_triggers, register

#: The columns of a new row, before any event has changed them.
NEW_DEAL: Mapping[str, Any] = {
    "status": Deal.Status.PREPARED,
    "client_seeds": [],
    "order": [],
    "result": None,
    "started_at": None,
    "ended_at": None,
}
NEW_DEAL_SEAT: Mapping[str, Any] = {"outcome": "", "points": 0, "amount": 0, "total": None}
NEW_MATCH: Mapping[str, Any] = {"status": Match.Status.OPEN, "reason": "", "ended_at": None}
NEW_SEATING: Mapping[str, Any] = {"left_at": None, "freed_at": None}
#: Events whose clock did not start at their own date: extra time starts when the turn's time is over, and time given
#: back after an outage has partly run.
_LATER_CLOCKS = (events.ExtraTimeBegan, events.ClockCredited)
_ALSO_A_ROW = (
    "SELECT p.id, p.table_id, p.first_version, p.last_version FROM tables_pack p"
    " WHERE EXISTS (SELECT 1 FROM tables_event e WHERE e.table_id = p.table_id"
    " AND e.version BETWEEN p.first_version AND p.last_version) ORDER BY p.id"
)
_ALSO_PACKED = (
    "SELECT p.id, p.table_id, p.first_version, p.last_version FROM tables_pack p"
    " WHERE EXISTS (SELECT 1 FROM tables_pack o WHERE o.table_id = p.table_id AND o.id <> p.id"
    " AND o.first_version BETWEEN p.first_version AND p.last_version) ORDER BY p.id"
)


@dataclass(slots=True)
class ReplayedDeal:
    """One deal: its columns, and those of each of its seats; `happened` are its events, for its proof."""

    prepared: events.DealPrepared
    row: dict[str, Any]
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    happened: list[events.Event] = field(default_factory=list)


class CorruptLog(Exception):
    """The log cannot be replayed to its end: an entry is unreadable, or does not follow from those before it.

    Its arguments are what was expected, and what was found.
    """


class LogReplay:
    """The replay of one table from its first event on; `faults` are what was expected and found
    in rows that do not stop the replay."""

    def __init__(self, row: Table) -> None:
        self.row = row
        self.state: TableState = game.start(codec.load_terms(row.terms) if row.terms else latest_state(row).terms)
        self.at_ms = 0
        self.deal: int | None = None
        self.closed_at: datetime | None = None
        self.deals: dict[int, ReplayedDeal] = {}
        self.matches: dict[int, dict[str, Any]] = {}
        self.postings: dict[str, ExpectedPosting] = {}
        self.faults: list[tuple[str, str]] = []
        #: Who holds each seat that is not free.
        self.seatings: dict[int, Seating] = {}
        #: The times of each seating so far.
        self.stays: dict[int, dict[str, Any]] = {}
        self._unused = _seatings_by_seat(row)
        self._match_of = dict(Deal.objects.filter(match__table=row).values_list("pk", "match_id"))

    @property
    def unused_seatings(self) -> int:
        """The number of the table's seatings that no event mentions."""
        return sum(len(rows) for rows in self._unused.values())

    def present(self) -> set[int]:
        """Return the seats whose players have not left."""
        return {seat for seat, seating in self.seatings.items() if self.stays[seating.pk]["left_at"] is None}

    def read(self) -> Iterator[None]:
        """Replay everything, and yield after each deal, so that the caller may remove what was collected about it.

        CorruptLog where a row cannot be read or does not follow from those before it.
        """
        try:
            for version, group in groupby(reading.of_table(self.row), key=lambda entry: entry.version):
                deal = self.deal
                self._transition(version, list(group))
                if deal != self.deal:
                    yield
        except BadPack as fault:
            expected = f"a pack that can be read after version {self.state.version}"
            raise CorruptLog(expected, f"one that {fault}") from fault
        yield

    def _transition(self, version: int, rows: Sequence[LogEntry]) -> None:
        if version != self.state.version + 1:
            self._expect_to_find(f"version {self.state.version + 1}", f"version {version}")
        if (numbers := [row.number for row in rows]) != list(range(len(rows))):
            self._expect_to_find(f"events of version {version} numbered from 0 on", f"{numbers}")
        transition_events = [self._event(row) for row in rows]
        running = self.state.clock
        try:
            state = self.state
            for event in transition_events:
                state = event.fold(state)
            self.state = game.commit_version(state, transition_events)
        except Exception as fault:
            kinds = " ".join(row.kind for row in rows)
            expected = f"events of version {version} that follow from those before"
            raise CorruptLog(expected, f"{type(fault).__name__} at {kinds}") from fault
        for row, event in zip(rows, transition_events, strict=True):
            self._check_clock(row, event, running)
            self._apply(row, event)

    def _event(self, row: LogEntry) -> events.Event:
        try:
            event = row.event()
        except Exception as fault:
            raise CorruptLog(f"{_entry_name(row)} as it was sealed", type(fault).__name__) from fault
        if event.name != row.kind:
            self._expect_to_find(f"{_entry_name(row)} called {event.name}", row.kind)
        if row.at_ms < self.at_ms - outages.AHEAD_MS and not excuses(moment(self.at_ms), moment(row.at_ms)):
            self._expect_to_find(f"{_entry_name(row)} dated after {self.at_ms}, its predecessor", f"{row.at_ms}")
        self.at_ms = row.at_ms
        if isinstance(event, events.DealPrepared):
            self.deal = int(number_of(event.deal_id))
        if row.deal_id != self.deal:
            self._expect_to_find(f"{_entry_name(row)} under deal {self.deal}", f"{row.deal_id}")
        return event

    def _expect_to_find(self, expected: str, found: str) -> None:
        self.faults.append((expected, found))

    def _check_clock(self, row: LogEntry, event: events.Event, running: Clock | None) -> None:
        """Check that the event is dated when the clock that it set began: the clock is sealed, the date is not.

        A rejoin that is offered anew, as a survivor has left, leaves the `running` clock as it was.
        """
        clock = None if isinstance(event, _LATER_CLOCKS) else getattr(event, "clock", None)
        if clock is not None and clock != running and clock.deadline - clock.length != row.at_ms:
            due = f"{_entry_name(row)} dated {clock.deadline - clock.length}, when the clock that it set began"
            self._expect_to_find(due, f"{row.at_ms}")

    def _apply(self, row: LogEntry, event: events.Event) -> None:
        try:
            if isinstance(event, events.SeatTaken):
                self.sit(event)
            if isinstance(event, events.DealPrepared):
                self._prepare(event)
            if type(event) in MOVING:
                self._expect(event)
            if type(event) in RECORDED:
                self._change(rows(event, self._context()))
        except (KeyError, IndexError) as fault:
            raise CorruptLog(f"the row {fault} of which {_entry_name(row)} tells", "none") from fault
        if self.deal is not None and self.deal in self.deals:
            self.deals[self.deal].happened.append(event)

    def _expect(self, event: events.Event) -> None:
        """Note the postings of the event, after a player who joins is seated and before one who leaves is removed."""
        table = LoggedTable(
            holders=self.seatings,
            version=self.state.version,
            match=None if self.deal is None else self._match_of[self.deal],
            rejoins=lambda seat: self.state.seat(seat).rejoins,
            for_practice_chips=self.row.for_practice_chips,
            table=self.row.pk,
            tournament=self.row.tournament_id,
            chips={} if self.row.tournament_id is None else game.chips(self.state),
            first_chips=self.state.book.first_total,
            seats=self.row.seats,
        )
        self.postings |= {posting.key: posting for posting in expected(event, table)}

    @property
    def match(self) -> int:
        assert self.deal is not None, "money moves in a match only once its first deal is prepared"
        return self._match_of[self.deal]

    def sit(self, event: events.SeatTaken) -> None:
        seating = self.seatings[event.seat] = self._unused[event.seat].pop(0)
        self.stays[seating.pk] = {"taken_at": moment(self.at_ms), **NEW_SEATING}
        if seating.is_computer != event.computer:
            holder = "a computer" if seating.is_computer else "a user"
            self._expect_to_find(f"seating {seating.pk} not of {holder}", holder)

    def _prepare(self, event: events.DealPrepared) -> None:
        row = {**NEW_DEAL, "commitment": event.commitment}
        self.deals[int(number_of(event.deal_id))] = ReplayedDeal(event, row)
        self.matches.setdefault(self.match, {"started_at": moment(self.at_ms), **NEW_MATCH})

    def _context(self) -> RowContext:
        deal = self.deals.get(self.deal) if self.deal is not None else None
        match = self.matches.get(self.match) if self.deal is not None else None
        return RowContext(
            table=self.row.pk,
            is_practice=self.row.practice_for_id is not None,
            per_point=self.state.book.per_point,
            seatings=self.seatings,
            present=self.present(),
            deal=self.deal,
            is_deal_open=deal is not None and deal.row["ended_at"] is None,
            is_deal_running=deal is not None and deal.row["status"] == Deal.Status.PLAYING,
            match=None if match is None else self.match,
            is_match_open=match is not None and match["status"] == Match.Status.OPEN,
        )

    def _change(self, changes: RowChanges) -> None:
        """Apply the changes of an event to the expected rows of the table."""
        now = moment(self.at_ms)
        for key, changed in changes.items():
            columns = {name: now if value is NOW else value for name, value in changed.items()}
            if key.model is Deal:
                self.deals[key.pk].row.update(columns)
            elif key.model is DealSeat and key.seat is not None:
                self.deals[key.pk].seats.setdefault(key.seat, dict(NEW_DEAL_SEAT)).update(columns)
            elif key.model is Match:
                self.matches[key.pk].update(columns)
            elif key.model is Seating:
                self._leave(key, columns)
            else:
                self.closed_at = columns["closed_at"]

    def _leave(self, key: RowKey, columns: Mapping[str, Any]) -> None:
        self.stays[key.pk].update(columns)
        if "freed_at" in columns:
            self.seatings = {seat: seating for seat, seating in self.seatings.items() if seating.pk != key.pk}


def _seatings_by_seat(row: Table) -> dict[int, list[Seating]]:
    seatings: dict[int, list[Seating]] = {}
    for seating in Seating.objects.filter(table=row).order_by("pk"):
        seatings.setdefault(seating.seat, []).append(seating)
    return seatings


def _entry_name(row: LogEntry) -> str:
    return f"event {row.number} of version {row.version}"


@register
def log_triggers() -> Differences:
    """Find triggers that protect the logs and are missing in the database."""
    return missing_triggers(TRIGGERS)


@register
def events_are_stored_once() -> Differences:
    """Find events that are both in a pack and in a row of their own, or in two packs."""
    for query, where in ((_ALSO_A_ROW, "a row"), (_ALSO_PACKED, "another pack")):
        for pack in Pack.objects.raw(query):
            subject = f"table {pack.table_id}, versions {pack.first_version} to {pack.last_version}"
            yield Finding("log", subject, DUPLICATED, "one pack alone", f"pack {pack.pk} and the same in {where}")


@register
def pruned_logs_are_of_closed_tables() -> Differences:
    """Find logs marked as pruned that still have events, or whose table is not closed."""
    for row in Table.objects.exclude(log_pruned_at=None).order_by("pk").iterator():
        if row.status != Table.Status.CLOSED or row.closed_at is None:
            found = f"{row.status}, closed at {row.closed_at}"
            yield Finding("log", f"table {row.pk}", ALTERED, "a closed table, as its log was pruned", found)
        if row.events.exists() or row.packs.exists():
            found = f"{row.events.count()} events and {row.packs.count()} packs"
            yield Finding("log", f"table {row.pk}", ALTERED, "no events, as its log was pruned", found)
