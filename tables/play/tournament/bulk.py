"""Opening the tables of a tournament, many at once, with everybody seated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules import game
from rules.books import book
from rules.game import Terms, codec, events, moves
from tables.models import Entrant, LoggedEvent, Seating, Table
from tables.play import clocks, outages, records, settlement, store
from tables.play.store import LockedTable
from wallet.base.clocks import moment
from wallet.base.money import TOURNAMENT
from wallet.play_money import tournaments

#: The columns of a table that are known once everybody sits there.
_WRITTEN = ("phase", "seated", "version", "snapshot", "snapshot_version", "deadline_ms", "computer_due_ms", "deal")


@dataclass(frozen=True, slots=True)
class Party:
    """Those who sit down together at a table of a tournament, in the order of its seats, with their chips."""

    entrants: tuple[Entrant, ...]
    stacks: tuple[int, ...]


def open_for_tournament(
    *, terms: Terms, title: str, tournament_id: int, number: int | None, parties: Sequence[Party]
) -> list[Table]:
    """Open a table for each of these parties, with everybody seated and the first deal prepared.

    Whatever can be is written at once for all of them: thousands sit down within seconds. Call it in a transaction.
    """
    now, seen = store.now_ms(), outages.latest_outage()
    each_terms = [replace(terms, seats=len(party.entrants)) for party in parties]
    rows = Table.objects.bulk_create([_table_row(own, title, tournament_id, number, now, seen) for own in each_terms])
    seatings = [
        Seating(
            table=row, seat=seat, user=entrant.user, name=entrant.name, entrant_id=entrant.pk,
            taken_at=moment(now), seen_ms=now,
        )
        for row, party in zip(rows, parties, strict=True)
        for seat, entrant in enumerate(party.entrants)
    ]  # fmt: skip
    Seating.objects.bulk_create(seatings)
    tournaments.open_stacks(seating.pk for seating in seatings)
    tables, logged = [], list[LoggedEvent]()
    for row, party, own in zip(rows, parties, each_terms, strict=True):
        state, held = game.start(own), {seating.seat: seating for seating in seatings if seating.table_id == row.pk}
        tables.append(LockedTable(row=row, before=state, state=state, now=now, seatings=held))
        for seat, stack in enumerate(party.stacks):
            sit = moves.Sit(seat=seat, stack=stack, computer=party.entrants[seat].is_computer)
            logged += _made(tables[-1], sit)
        # All chips of a table are issued with its last seat.
        settlement.settle(tables[-1], [event for event in tables[-1].events if isinstance(event, events.SeatTaken)][-1])
    for table, prepared in zip(tables, records.prepare_first_deals(tables), strict=True):
        logged += _made(table, prepared)
        clocks.arm(table)
        store.write_state(table.row, table.state)
        table.row.seated = len(table.seatings)
    LoggedEvent.objects.bulk_create(logged)
    Table.objects.bulk_update(rows, _WRITTEN)
    return rows


def _table_row(terms: Terms, title: str, tournament_id: int, number: int | None, now: int, seen: int) -> Table:
    rules = book(terms.book, terms.book_version)
    return Table(
        title=title,
        book=rules.key,
        book_version=rules.version,
        family=rules.family.value,
        currency=TOURNAMENT,
        seats=terms.seats,
        tournament_id=tournament_id,
        round=number,
        terms=codec.dump_terms(terms),
        opened_at=moment(now),
        last_outage=seen,
    )


def _made(table: LockedTable, move: moves.Move) -> list[LoggedEvent]:
    """Make the move, and return the rows of its events, which are not written."""
    transition = game.apply(table.state, move, table.now)
    rows = store.event_rows(table, transition)
    table.state = transition.after
    table.events.extend(transition.events)
    return [LoggedEvent(**row._asdict()) for row in rows]
