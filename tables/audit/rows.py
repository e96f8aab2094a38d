"""Comparing the rows and postings of every table with its log of events: one pass, run by `audit_ledger`.

State, deals, results, matches, seats and proofs follow from the events alone. So does every posting that a table
makes: the ledger must have these and no others.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, Prefetch, Q

from rules.fairness import verify
from rules.game import codec
from tables.audit.event_log import CorruptLog, LogReplay, ReplayedDeal
from tables.audit.expected_postings import ExpectedPosting
from tables.audit.proven import GROUP, Group, digests_of, groups, joined, proven_tables, state
from tables.history.proofs import proof
from tables.log.reading import latest_state
from tables.log.sealing import SEEDS
from tables.models import Answer, Deal, DealSeat, Match, Seating, Table
from wallet.audit_log.services import json_digest, row_mark
from wallet.base.findings import (
    ALTERED,
    DUPLICATED,
    MISSING,
    WITHOUT_MONEY,
    Differences,
    Finding,
    PartedCheck,
    in_order,
    register,
)
from wallet.base.places import PostingPlace
from wallet.ledger import selectors as ledger
from wallet.ledger.prefix import current_prefix
from wallet.ledger.selectors import Entry

#: The check of the times of rows, which concern no money.
DATE = "date"
WITHOUT_MONEY.add(DATE)

#: How many deals of a table are compared at once.
DEALS_TOGETHER = 25
#: The rows that belong to another: what findings call them, their table and column, and the table of the other.
_BELONGINGS = (
    ("event", "tables_event", "table_id", "tables_table"),
    ("pack", "tables_pack", "table_id", "tables_table"),
    ("seating", "tables_seating", "table_id", "tables_table"),
    ("match", "tables_match", "table_id", "tables_table"),
    ("deal", "tables_deal", "match_id", "tables_match"),
    ("deal seat", "tables_dealseat", "deal_id", "tables_deal"),
    ("answer", "tables_answer", "seating_id", "tables_seating"),
)
_ORPHANS = "SELECT r.id, r.{1} FROM {0} r LEFT JOIN {2} o ON o.id = r.{1} WHERE o.id IS NULL ORDER BY r.id"


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What the audit of a group leaves: its ledger's postings that follow from events, whether its logs can be read,
    and the digest of what it found in order."""

    first: int
    closed_before: datetime
    postings: int
    readable: bool
    digest: str


def _read_group(group: Group) -> tuple[list[Finding], GroupResult]:
    """Find tables of the group whose rows or postings differ from what follows from their events."""
    digests = digests_of(group)
    proven = proven_tables(group, digests)
    postings, readable, findings = proven.postings, True, list[Finding]()
    for row in Table.objects.filter(group.tables).exclude(proven.tables).order_by("pk").iterator(chunk_size=GROUP):
        if _is_unlogged(row):
            # Checks in `balances` make sure that its stacks and pots are empty.
            postings += len(_posting_keys(row))
            continue
        audit = AuditPass(row)
        found = list(audit.run())
        if found:
            # What differs is replayed by every audit.
            digests.pop(row.pk, None)
        findings += found
        postings += audit.postings
        readable = readable and audit.readable
    digest = joined(digests, group.closed_before)
    return findings, GroupResult(group.first, group.closed_before, postings, readable, digest)


def _finish(results: list[GroupResult]) -> Differences:
    """Find postings of tables that follow from no event."""
    if all(result.readable for result in results) and sum(result.postings for result in results) != (
        ledger.count_of_play()
    ):
        yield from _unexplained_postings()
    if results and current_prefix() is None:
        state({result.first: result.digest for result in results}, results[0].closed_before)


rows_match_the_log = PartedCheck("rows_match_the_log", groups, _read_group, _finish)
register(rows_match_the_log)


def _is_unlogged(row: Table) -> bool:
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
            for number, _ in enumerate(replay.read(), start=1):
                if number % DEALS_TOGETHER == 0:
                    yield from self._deals(replay)
                    yield from self._money(replay)
            yield from self._money(replay)
            # Events may change the last deal until the end of the log.
            yield from self._deals(replay, last=True)
        except Exception as fault:
            self.readable = False
            wrong = fault.args if isinstance(fault, CorruptLog) else ("events that can be read", type(fault).__name__)
            yield Finding("log", _table(self.row), ALTERED, *wrong)
            return
        yield from (Finding("log", _table(self.row), ALTERED, *fault) for fault in replay.faults)
        yield from self._table(replay)
        yield from self._seats(replay)
        yield from self._matches(replay)

    def _deals(self, replay: LogReplay, last: bool = False) -> Differences:
        ready = [pk for pk in replay.deals if last or pk != replay.deal]
        of_table = Prefetch("match", self.row.matches.all())
        rows = Deal.objects.prefetch_related("seats", of_table).in_bulk(ready)
        for pk in ready:
            deal = replay.deals.pop(pk)
            self.seen.add(pk)
            if pk not in rows:
                yield Finding("deal", f"deal {pk}", MISSING, f"the deal that {_table(self.row)} played", "none")
                continue
            yield from _deal(rows[pk], deal, self.row)
            yield from _deal_seats(rows[pk], deal)
            yield from _proof(rows[pk], deal)

    def _money(self, replay: LogReplay) -> Differences:
        expected, replay.postings = replay.postings, {}
        posted = ledger.posted(list(expected))
        self.postings += len(posted)
        for key, posting in expected.items():
            actual = posted.get(key)
            if actual is None:
                yield Finding(
                    "derived", key, MISSING, f"the posting that the events of {_table(self.row)} make", "none"
                )
            elif (actual.reason, actual.currency) != (posting.reason, self.row.currency):
                due = f"{posting.reason} in {self.row.currency}, as the events tell"
                yield Finding("derived", key, ALTERED, due, f"{actual.reason} in {actual.currency}")
            elif sorted(actual.entries) != sorted(posting.entries):
                due, held = (_moved(each.entries) for each in (posting, actual))
                yield Finding("derived", key, ALTERED, f"{due}, as the events tell", held)
            elif actual.place != (place := self._place(posting)):
                yield Finding("derived", key, ALTERED, f"{place}, where its event happened", f"{actual.place}")

    def _place(self, posting: ExpectedPosting) -> PostingPlace:
        row = self.row
        deal, match = posting.deal, posting.match
        return PostingPlace(table=row.pk, match=match, deal=deal, title=row.title, book=row.book, stake=row.stake_id)

    def _table(self, replay: LogReplay) -> Differences:
        row, state = self.row, replay.state
        try:
            stored = latest_state(row)
        except Exception as fault:
            found = f"{type(fault).__name__} in {_mark(row.snapshot)}"
            yield Finding("snapshot", _table(row), ALTERED, "a state that can be read", found)
        else:
            if not row.snapshot and row.status != Table.Status.CLOSED:
                yield Finding("snapshot", _table(row), MISSING, "a state, as the table is not closed", "none")
            if stored != state:
                due, held = (json_digest(codec.dump_state(each))[:16] for each in (state, stored))
                made = f"the state {due} that its {state.version} versions make"
                yield Finding("snapshot", _table(row), ALTERED, made, held)
        terms = state.terms
        expected = {
            "version": state.version,
            "phase": state.phase.value,
            "deadline_ms": state.clock.deadline if state.clock else None,
            "deal_id": replay.deal,
            "closed_at": replay.closed_at,
            "seats": terms.seats,
            "book": terms.book,
            "book_version": terms.book_version,
            "family": state.book.family.value,
            "seated": len(replay.present()),
        }
        yield from _column_differences("table", _table(row), row, expected)
        yield from _status_differences(row, replay)

    def _seats(self, replay: LogReplay) -> Differences:
        if unused := replay.unused_seatings:
            yield Finding(
                "seating", _table(self.row), ALTERED, "seatings of which events tell", f"{unused} of no event"
            )
        for seating in Seating.objects.filter(table=self.row).order_by("pk").iterator():
            yield from _column_differences(
                "seating", f"seating {seating.pk}", seating, replay.stays.get(seating.pk, {})
            )

    def _matches(self, replay: LogReplay) -> Differences:
        rows = {match.pk: match for match in Match.objects.filter(table=self.row)}
        for pk in sorted(rows.keys() ^ replay.matches.keys()):
            due, held = f"the match of which the events of {_table(self.row)} tell", "none"
            if pk in rows:
                due, held = f"events of {_table(self.row)} that tell of it", f"none for {row_mark(rows[pk])}"
            yield Finding("match", f"match {pk}", MISSING, due, held)
        for pk in sorted(rows.keys() & replay.matches.keys()):
            expected = replay.matches[pk] | {"book": self.row.book, "book_version": self.row.book_version}
            yield from _column_differences("match", f"match {pk}", rows[pk], expected)
        by_match: dict[int, list[int]] = {}
        deals = Deal.objects.filter(match__table=self.row).order_by("pk")
        for match_id, number in deals.values_list("match_id", "number"):
            by_match.setdefault(match_id, []).append(number)
        for match_id, numbers in by_match.items():
            if numbers != list(range(1, len(numbers) + 1)):
                yield Finding("match", f"match {match_id}", ALTERED, "deals numbered from 1 on", f"{numbers}")
        for pk in sorted(set(deals.values_list("pk", flat=True)) - self.seen):
            yield Finding("deal", f"deal {pk}", MISSING, f"events of {_table(self.row)} that tell of it", "none")


def _deal(row: Deal, replay: ReplayedDeal, table: Table) -> Differences:
    subject = f"deal {row.pk}"
    by_book = {"book": table.book, "book_version": table.book_version}
    yield from _column_differences("deal", subject, row, replay.row | by_book)
    try:
        seed = SEEDS.unseal(row).hex()
    except Exception as fault:
        found = f"{type(fault).__name__} in {_mark(row.sealed_seed)}"
        yield Finding("deal", subject, ALTERED, "a seed that can be read", found)
    else:
        if seed != replay.prepared.seed:
            yield Finding(
                "deal", subject, ALTERED, "the seed that was committed to", f"another, of {json_digest(seed)[:16]}"
            )


def _deal_seats(row: Deal, replay: ReplayedDeal) -> Differences:
    seats = {deal_seat.seat: deal_seat for deal_seat in row.seats.all()}
    if sorted(seats) != sorted(replay.seats) or len(row.seats.all()) != len(seats):
        dealt = f"hands for the seats {_numbers(replay.seats)}, as dealt"
        yield Finding("deal seat", f"deal {row.pk}", ALTERED, dealt, _numbers(each.seat for each in row.seats.all()))
        return
    for number, seat in sorted(seats.items()):
        yield from _column_differences("deal seat", f"seat {number + 1} of deal {row.pk}", seat, replay.seats[number])


def _numbers(seats: Iterable[int]) -> str:
    """Return the numbers of the seats as people count them, from 1."""
    return f"{sorted(seat + 1 for seat in seats)}"


def _proof(row: Deal, replay: ReplayedDeal) -> Differences:
    """Find cards that an ended deal showed and its seed does not give, also where the deal was cancelled."""
    if replay.row["ended_at"] is None or row.ended_at is None:
        return
    try:
        wrong = verify(proof(row, replay.happened))
    except Exception as fault:
        wrong = [f"There is no proof: {type(fault).__name__}."]
    for sentence in wrong:
        yield Finding("proof", f"deal {row.pk}", ALTERED, "the cards that its seed gives", sentence)


def _status_differences(row: Table, replay: LogReplay) -> Differences:
    closed = replay.closed_at is not None
    if row.status not in ((Table.Status.CLOSED,) if closed else (Table.Status.OPEN, Table.Status.FROZEN)):
        due = f"{'a closed' if closed else 'an open'} table, as its events tell"
        yield Finding("table", _table(row), ALTERED, due, row.status)
    # No event tells when it was opened: that was before anybody sat down.
    first = next(iter(replay.stays.values()), {}).get("taken_at")
    if not in_order(row.opened_at, first):
        yield Finding(DATE, _table(row), ALTERED, f"opened_at up to {first}, its first seating", f"{row.opened_at}")
    if (row.status == Table.Status.FROZEN) != bool(row.fault) and row.status != Table.Status.CLOSED:
        yield Finding(
            "table", _table(row), ALTERED, "a fault where it is frozen", f"{row.status} for {row.fault[:40]!r}"
        )


def _unexplained_postings() -> Differences:
    """Find postings of tables that follow from no event."""
    explained: set[str] = set()
    for row in Table.objects.order_by("pk").iterator(chunk_size=100):
        if _is_unlogged(row):
            explained |= _posting_keys(row)
            continue
        replay = LogReplay(row)
        for _ in replay.read():
            pass
        explained |= replay.postings.keys()
    for key in ledger.keys_of_play():
        if key not in explained:
            yield Finding("derived", key, MISSING, "an event that made this posting", "none at any table")


def _posting_keys(row: Table) -> set[str]:
    deals = Deal.objects.filter(match__table=row)
    return ledger.keys_about(
        seating=row.seatings.values_list("pk", flat=True),
        match=row.matches.values_list("pk", flat=True),
        deal=deals.values_list("pk", flat=True),
        table=[row.pk],
    )


def _column_differences(check: str, subject: str, row: Any, expected: dict[str, Any]) -> Differences:
    for field, value in expected.items():
        actual = getattr(row, field)
        if actual != value:
            name = DATE if field.endswith("_at") else check
            yield Finding(name, subject, ALTERED, f"{field} {_short(value)}, as the events tell", _short(actual))


def _short(value: Any) -> str:
    """Return the value, or a digest if it is long: findings must not reveal the cards of a running deal."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}"
    shown = str(value) if isinstance(value, str) else value
    return repr(shown) if isinstance(value, int | None) or len(str(value)) <= 24 else json_digest(value)[:16]


def _mark(content: Any) -> str:
    return json_digest(content if isinstance(content, str) else bytes(content).hex())[:16]


def _moved(entries: Iterable[Entry]) -> str:
    by_kind = sorted(entries, key=lambda each: (each.debit[0], each.credit[0], each.debit, each.credit, each.amount))
    return ", ".join(f"{' '.join(each.debit)} to {' '.join(each.credit)} {each.amount}" for each in by_kind)


def _table(row: Table) -> str:
    return f"table {row.pk}"


@register
def rows_belong_to_something() -> Differences:
    """Find rows whose table, match, deal or seating does not exist."""
    for name, *columns in _BELONGINGS:
        with connection.cursor() as cursor:
            cursor.execute(_ORPHANS.format(*columns))
            orphans = cursor.fetchall()
        for pk, other in orphans:
            yield Finding("reference", f"{name} {pk}", MISSING, f"{columns[1].removesuffix('_id')} {other}", "none")


@register
def deal_seats_have_their_players() -> Differences:
    """Find hands that are in the history of a player who did not hold the seat."""
    rows = DealSeat.objects.exclude(Q(user=F("seating__user")) | Q(user=None, seating__user=None))
    for seat in rows.select_related("seating").order_by("pk").iterator():
        due = f"the player {seat.seating.user_id} of its seating"
        yield Finding("deal seat", f"seat {seat.seat + 1} of deal {seat.deal_id}", ALTERED, due, f"{seat.user_id}")


@register
def answers_are_valid() -> Differences:
    """Find answers that are repeated, lack a request, are neither `ack` nor `error`, or ahead of their table."""
    requests: set[tuple[int, str]] = set()
    for row in Answer.objects.select_related("seating__table").order_by("seating_id", "pk").iterator(chunk_size=500):
        subject, answer = f"answer {row.pk}", row.answer
        if (row.seating_id, row.request_id) in requests:
            yield Finding("answer", subject, DUPLICATED, f"one answer to {row.request_id!r}", "another")
        requests = {request for request in requests if request[0] == row.seating_id} | {
            (row.seating_id, row.request_id)
        }
        if not row.request_id:
            yield Finding("answer", subject, MISSING, "the request that it answers", "none")
        version = answer.get("version") if isinstance(answer, dict) else None
        if not isinstance(version, int) or answer.get("type") not in ("ack", "error"):
            yield Finding("answer", subject, ALTERED, "an answer", f"another content, of {json_digest(answer)[:16]}")
        elif version > row.seating.table.version:
            due = f"a version up to {row.seating.table.version}, that of its table"
            yield Finding("answer", subject, ALTERED, due, f"{version}")
