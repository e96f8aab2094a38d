"""Comparing the rows and postings of every table with its log of events: one pass, run by `audit_ledger`.

State, deals, results, matches, seats and proofs follow from the events alone. So does every posting that a table
makes: the ledger must have these and no others.
"""

from collections.abc import Iterator
from typing import Any

from rules.fairness import verify
from tables.audit.event_log import CorruptLog, LogReplay, ReplayedDeal
from tables.audit.expected_postings import ExpectedPosting
from tables.audit.granted import tables_taken_for_granted
from tables.history.fairness import proof
from tables.log.sealing import SEEDS
from tables.models import Deal, Match, Seating, Table
from tables.play.store import read_state
from wallet.audit.audit import register
from wallet.audit.books import Finding
from wallet.audit.prefix import current_prefix
from wallet.base import clocks
from wallet.base.places import PostingPlace
from wallet.ledger import selectors as ledger

Differences = Iterator[Finding]


@register
def logs_tell_the_same() -> Differences:
    """Find tables whose rows or postings differ from what follows from their events."""
    granted = tables_taken_for_granted(current_prefix())
    postings, readable = granted.postings, True
    for row in Table.objects.exclude(granted.tables).order_by("pk").iterator(chunk_size=100):
        if _without_witness(row):
            # Checks in `balances` make sure that its stacks and pots are empty.
            postings += len(_posted_for(row))
            continue
        pass_ = AuditPass(row)
        yield from pass_.run()
        postings += pass_.postings
        readable = readable and pass_.readable
    if readable and postings != ledger.count_of_play():
        yield from _untold_postings()


def _without_witness(row: Table) -> bool:
    """Return whether the table has no reliable events: it was voided, or its log was pruned."""
    return row.void_at is not None or row.log_pruned_at is not None


class AuditPass:
    """The audit of one table; `postings` counts the ledger's postings that follow from its events."""

    def __init__(self, row: Table) -> None:
        self.row = row
        self.postings = 0
        self.readable = True
        self.seen: set[int] = set()

    def run(self) -> Differences:
        try:
            replay = LogReplay(self.row)
            for _ in replay.read():
                yield from self._deals(replay)
                yield from self._money(replay)
            # Events may change the last deal until the end of the log.
            yield from self._deals(replay, last=True)
        except Exception as fault:
            self.readable = False
            message = str(fault) if isinstance(fault, CorruptLog) else f"cannot be read: {type(fault).__name__}"
            yield Finding("log", _table(self.row), message)
            return
        yield from (Finding("log", _table(self.row), fault) for fault in replay.faults)
        yield from self._table(replay)
        yield from self._seats(replay)
        yield from self._matches(replay)

    def _deals(self, replay: LogReplay, last: bool = False) -> Differences:
        ready = [pk for pk in replay.deals if last or pk != replay.deal]
        rows = Deal.objects.prefetch_related("seats").in_bulk(ready)
        for pk in ready:
            deal = replay.deals.pop(pk)
            self.seen.add(pk)
            if pk not in rows:
                yield Finding("deal", f"deal {pk}", "was played and is not there")
                continue
            yield from _deal(rows[pk], deal)
            yield from _deal_seats(rows[pk], deal)
            yield from _proof(rows[pk], deal)

    def _money(self, replay: LogReplay) -> Differences:
        due, replay.postings = replay.postings, {}
        there = ledger.posted(list(due))
        self.postings += len(there)
        for key, posting in due.items():
            found = there.get(key)
            if found is None:
                yield Finding("derived", key, f"follows from the events of {_table(self.row)} and is not posted")
            elif (found.reason, found.currency) != (posting.reason, self.row.currency):
                wanted = f"{posting.reason} in {self.row.currency}"
                yield Finding("derived", key, f"is {found.reason} in {found.currency}, by the events {wanted}")
            elif sorted(found.entries) != sorted(posting.entries):
                yield Finding("derived", key, "moved other amounts than the events tell")
            elif found.place != self._place(posting):
                yield Finding("derived", key, f"says it was made at {found.place}, not where its event happened")

    def _place(self, posting: ExpectedPosting) -> PostingPlace:
        row = self.row
        at = {"match": posting.match, "deal": posting.deal}
        return PostingPlace(table=row.pk, title=row.title, book=row.book, stake=row.stake_id, **at)

    def _table(self, replay: LogReplay) -> Differences:
        row, state = self.row, replay.state
        try:
            stored = read_state(row)
        except Exception as fault:
            yield Finding("snapshot", _table(row), f"cannot be read: {type(fault).__name__}")
        else:
            if not (row.snapshot or row.former_snapshot) and row.status != Table.Status.CLOSED:
                yield Finding("snapshot", _table(row), "is empty, and the table is not closed")
            if stored != state:
                yield Finding("snapshot", _table(row), f"is another state than its {state.version} versions make")
        terms = state.terms
        wanted = {
            "version": state.version,
            "phase": state.phase.value,
            "deadline_ms": state.clock.deadline if state.clock else None,
            "deal_id": replay.deal,
            "seats": terms.seats,
            "book": terms.book,
            "book_version": terms.book_version,
            "family": state.book.family.value,
            "seated": sum(1 for seating in replay.seatings.values() if seating.pk not in replay.left),
        }
        yield from _fields("table", _table(row), row, wanted)
        yield from _standing(row, replay.closed)

    def _seats(self, replay: LogReplay) -> Differences:
        if replay.unused_seatings:
            yield Finding(
                "seating", _table(self.row), f"has {replay.unused_seatings} seatings of which nothing is told"
            )
        for seating in Seating.objects.filter(table=self.row).order_by("pk").iterator():
            for field, told_of in (("left_at", replay.left), ("freed_at", replay.freed)):
                if (getattr(seating, field) is not None) != (seating.pk in told_of):
                    happened = "has" if seating.pk in told_of else "has not"
                    message = f"its {field} does not fit: by the events that {happened} happened"
                    yield Finding("seating", f"seating {seating.pk}", message)
            if not clocks.in_order(seating.taken_at, seating.left_at, seating.freed_at):
                yield Finding("seating", f"seating {seating.pk}", "was taken, left and freed in another order")

    def _matches(self, replay: LogReplay) -> Differences:
        rows = {match.pk: match for match in Match.objects.filter(table=self.row)}
        for pk in sorted(rows.keys() ^ replay.matches.keys()):
            yield Finding("match", f"match {pk}", f"is {'there' if pk in rows else 'told of'} at {_table(self.row)}"
                             f" and {'nothing tells of it' if pk in rows else 'is not there'}")  # fmt: skip
        for pk in sorted(rows.keys() & replay.matches.keys()):
            row, wanted = rows[pk], dict(replay.matches[pk])
            ended = wanted.pop("ended_at")
            wanted |= {"book": self.row.book, "book_version": self.row.book_version}
            yield from _fields("match", f"match {pk}", row, wanted)
            yield from _ended("match", f"match {pk}", row, ended is not None)
        numbers: dict[int, list[int]] = {}
        for match_id, number in (
            Deal.objects.filter(match__table=self.row).order_by("pk").values_list("match_id", "number")
        ):
            numbers.setdefault(match_id, []).append(number)
        for match_id, found in numbers.items():
            if found != list(range(1, len(found) + 1)):
                yield Finding("match", f"match {match_id}", f"its deals are numbered {found}")
        there = set(Deal.objects.filter(match__table=self.row).values_list("pk", flat=True))
        for pk in sorted(there - self.seen):
            yield Finding("deal", f"deal {pk}", "is there and nothing tells of it")


def _deal(row: Deal, replay: ReplayedDeal) -> Differences:
    subject, wanted = f"deal {row.pk}", dict(replay.row)
    started, ended = wanted.pop("started_at"), wanted.pop("ended_at")
    yield from _fields("deal", subject, row, wanted)
    if (row.started_at is None) != (started is None):
        yield Finding("deal", subject, "its started_at does not fit what the events tell")
    yield from _ended("deal", subject, row, ended is not None)
    try:
        seed = SEEDS.unseal(row).hex()
    except Exception as fault:
        yield Finding("deal", subject, f"its seed cannot be read: {type(fault).__name__}")
    else:
        if seed != replay.prepared.seed:
            yield Finding("deal", subject, "its seed is not the one that was committed to")


def _deal_seats(row: Deal, replay: ReplayedDeal) -> Differences:
    seats = {each.seat: each for each in row.seats.all()}
    if sorted(seats) != sorted(replay.seats) or len(row.seats.all()) != len(seats):
        yield Finding("deal seat", f"deal {row.pk}", f"has seats {sorted(seats)}, was dealt to {sorted(replay.seats)}")
        return
    for number, seat in sorted(seats.items()):
        yield from _fields("deal seat", f"seat {number} of deal {row.pk}", seat, replay.seats[number])


def _proof(row: Deal, replay: ReplayedDeal) -> Differences:
    """Find cards that an ended deal showed and its seed does not give, also where the deal was cancelled."""
    if replay.row["ended_at"] is None or row.ended_at is None:
        return
    try:
        wrong = verify(proof(row, replay.happened))
    except Exception as fault:
        wrong = [f"There is no proof: {type(fault).__name__}."]
    for sentence in wrong:
        yield Finding("proof", f"deal {row.pk}", sentence)


def _standing(row: Table, closed: bool) -> Differences:
    if (row.status == Table.Status.CLOSED) != closed:
        yield Finding("table", _table(row), f"is {row.status}; by its events it is {'over' if closed else 'not'}")
    if (row.closed_at is not None) != (row.status == Table.Status.CLOSED) or not clocks.in_order(
        row.opened_at, row.closed_at
    ):
        yield Finding("table", _table(row), "its closed_at does not fit its status")
    if (row.status == Table.Status.FROZEN) != bool(row.fault) and row.status != Table.Status.CLOSED:
        yield Finding("table", _table(row), f"is {row.status}, its fault is {row.fault[:40]!r}")


def _ended(check: str, subject: str, row: Deal | Match, ended: bool) -> Differences:
    if (row.ended_at is not None) != ended or not clocks.in_order(row.started_at, row.ended_at):
        yield Finding(check, subject, "its ended_at does not fit what the events tell")


def _untold_postings() -> Differences:
    """Find postings of tables that follow from no event."""
    replay: set[str] = set()
    for row in Table.objects.order_by("pk").iterator(chunk_size=100):
        if _without_witness(row):
            replay |= _posted_for(row)
            continue
        tale = LogReplay(row)
        for _ in tale.read():
            pass
        replay |= tale.postings.keys()
    for key in ledger.keys_of_play():
        if key not in replay:
            yield Finding("derived", key, "is posted, and no event of any table tells of it")


def _posted_for(row: Table) -> set[str]:
    deals = Deal.objects.filter(match__table=row)
    return ledger.keys_about(
        seatings=row.seatings.values_list("pk", flat=True),
        matches=row.matches.values_list("pk", flat=True),
        deals=deals.values_list("pk", flat=True),
    )


def _fields(check: str, subject: str, row: Any, wanted: dict[str, Any]) -> Differences:
    for field, value in wanted.items():
        found = getattr(row, field)
        if found != value:
            yield Finding(check, subject, f"its {field} is {_short(found)}, by the events {_short(value)}")


def _short(value: Any) -> str:
    """Return the value, or "another" if it is long: findings must not reveal the cards of a running deal."""
    return repr(value) if isinstance(value, int | None) or len(str(value)) <= 24 else "another"


def _table(row: Table) -> str:
    return f"table {row.pk}"
