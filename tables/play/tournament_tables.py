"""Opening the tables of a tournament, many at once, with everybody seated; and the first deal at many of them.

Whatever can be is written at once for all of them: thousands sit down, and are dealt, within seconds.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from django.db import DatabaseError, transaction

from rules import game
from rules.books import book
from rules.game import Clocks, Phase, Terms, Transition, codec, events, moves
from tables.models import Deal, Entrant, LoggedEvent, Seating, Table, Tournament
from tables.play import broadcast, clocks, outages, records, settlement, store
from tables.play.fast import table_cache
from tables.play.seating import offline_seats
from tables.play.store import LockedTable, moment
from tables.standings import ABSENT_AFTER
from wallet.base.money import TOURNAMENT
from wallet.base.places import PostingPlace
from wallet.base.queries import in_list, update_each
from wallet.play_money import tournaments

log = logging.getLogger(__name__)

#: So many tables are opened in one transaction, and dealt in one: their rows are locked meanwhile.
OPENED_AT_ONCE, DEALT_AT_ONCE = 50, 48
#: From the opening of a table to its first deal, in ms.
START_MS = 5_000
#: The events of a first deal: nothing is posted for them, and of these rows only those of `CardsDealt` are written.
_OF_A_DEAL = frozenset({
    *(events.MatchStarted, events.TossMade, events.CardsDealt, events.UpcardTurned, events.CutJokerTurned),
    events.TurnBegan,
})  # fmt: skip


def table_terms(tournament: Tournament) -> Terms:
    """Return the terms of its tables: no money, a point is worth one chip."""
    rules = book(tournament.book, tournament.book_version)
    return Terms(
        book=rules.key,
        book_version=rules.version,
        seats=tournament.seats,
        point_value=1 if rules.per_point else 0,
        minimum=rules.least_stack(1) if rules.per_point else 0,
        clocks=Clocks(start_two=START_MS, start_more=START_MS, start_full=START_MS),
        deals=tournament.deals if rules.deals is not None else None,
        tournament=True,
    )


def open_tables(tournament: Tournament, parties: Sequence[Sequence[Entrant]], number: int | None) -> None:
    """Open a table of that round for each of these parties, with everybody seated in their order, and call them there.

    The first deal is prepared. No nudge is sent for the start of people: the sweep, and who serves them, deal at all of
    them. The caller holds the tournament's lock, and saves the entrants.
    """
    now, seen, terms = store.now_ms(), outages.latest_outage(), table_terms(tournament)
    each_terms = [replace(terms, seats=len(party)) for party in parties]
    rows = Table.objects.bulk_create([_table_row(own, tournament, number, now, seen) for own in each_terms])
    seatings = [
        Seating(
            table=row, seat=seat, user=entrant.user, name=entrant.name, entrant_id=entrant.pk,
            taken_at=moment(now), seen_ms=now,
        )
        for row, party in zip(rows, parties, strict=True)
        for seat, entrant in enumerate(party)
    ]  # fmt: skip
    Seating.objects.bulk_create(seatings)
    tournaments.open_stacks(seating.pk for seating in seatings)
    by_table: dict[int, dict[int, Seating]] = {row.pk: {} for row in rows}
    for seating in seatings:
        by_table[seating.table_id][seating.seat] = seating
    tables, logged, chips = [], list[LoggedEvent](), dict[str, tuple[Mapping[int, int], PostingPlace]]()
    for row, party, own in zip(rows, parties, each_terms, strict=True):
        state, held = game.start(own), by_table[row.pk]
        tables.append(LockedTable(row=row, before=state, state=state, now=now, seatings=held))
        for seat, entrant in enumerate(party):
            stack = max(entrant.chips, terms.minimum) if terms.minimum else 0
            logged += _made(tables[-1], moves.Sit(seat=seat, stack=stack, computer=entrant.is_computer))
        # All chips of a table are issued with its last seat.
        last = [event for event in tables[-1].events if isinstance(event, events.SeatTaken)][-1]
        for order in settlement.postings(last, settlement.ids_of(tables[-1])):
            chips |= order.arguments["tables"]
    tournaments.issue_chips(tournament=tournament.pk, tables=chips)
    for table, prepared in zip(tables, records.prepare_first_deals(tables), strict=True):
        logged += _made(table, prepared)
        if any(seating.is_computer for seating in table.seatings.values()):
            clocks.arm(table)
        store.write_state(table.row, table.state)
        table.row.seated = len(table.seatings)
    LoggedEvent.objects.bulk_create(logged)
    update_each(rows, store.CHANGED)
    for row, party in zip(rows, parties, strict=True):
        for entrant in party:
            entrant.table_id = row.pk
            if entrant.user_id is not None:
                broadcast.tournament_table(entrant.user_id, tournament_id=tournament.pk, table_id=row.pk)


def deal_together(table_ids: Collection[int], *, is_served: bool) -> set[int]:
    """Deal at those of these tables of tournaments whose start is over, many in a transaction.

    Return where nothing is left to do: also where somebody else has dealt, or does, since several processes look after
    the same tables. All where anything else is to be looked at are for `services.tick`: an outage, a pause, somebody
    who is away or unheard. An error undoes a transaction and is logged. `is_served` as there.
    """
    # A single one gains nothing.
    if len(table_ids) < 2:
        return set()
    done, now = set[int](), store.now_ms()
    starting = Table.objects.filter(
        in_list("pk", table_ids),
        status=Table.Status.OPEN,
        phase=Phase.STARTING.value,
        tournament_id__isnull=False,
        deadline_ms__lte=now,
        last_outage=outages.latest_outage(),
    ).exclude(tournament_id__in=Tournament.objects.filter(paused_ms__isnull=False).values("pk"))
    due = dict(starting.order_by("pk").values_list("pk", "deadline_ms"))
    if len(due) < 2 or not outages.was_served(max(filter(None, due.values())), now, is_served=is_served):
        return done
    ids = list(due)
    for first in range(0, len(ids), DEALT_AT_ONCE):
        try:
            with transaction.atomic():
                done |= _deal(ids[first : first + DEALT_AT_ONCE])
        except DatabaseError:
            raise
        except Exception:
            log.exception("%s tables could not be dealt at together", len(ids[first : first + DEALT_AT_ONCE]))
    return done


def _deal(table_ids: Sequence[int]) -> set[int]:
    """Lock those of the tables that are free, and deal at them; return all but those that wait for something else."""
    locked = list(store.lock_free_tables(table_ids, {}).values())
    entrants = [seating.entrant_id for table in locked for seating in table.seatings.values()]
    absent = set(
        Entrant.objects.filter(in_list("pk", entrants), automatic__gte=ABSENT_AFTER).values_list("pk", flat=True)
    )
    deals = Deal.objects.select_related("match").in_bulk([table.row.deal_id for table in locked])
    tables, others, logged, written = [], set[int](), list[LoggedEvent](), records.RowWrites()
    for table in (each for each in locked if _is_due(each)):
        others.add(table.row.pk)
        if absent.isdisjoint(seating.entrant_id for seating in table.seatings.values()) and _is_to_be_dealt(table):
            offline = offline_seats(table.seatings, table.now)
            transition = game.apply(table.state, moves.Expire(offline=offline), table.now)
            if _OF_A_DEAL.issuperset(map(type, transition.events)):
                table.row.deal = deals[table.row.deal_id]
                logged += _take(table, transition)
                for event in transition.events:
                    written.record(table, event)
                clocks.arm(table)
                store.write_state(table.row, table.state)
                tables.append(table)
    LoggedEvent.objects.bulk_create(logged)
    written.write()
    update_each([table.row for table in tables], store.CHANGED)
    transaction.on_commit(partial(_tell_all, tables), robust=True)
    return set(table_ids) - others | {table.row.pk for table in tables}


def _is_due(table: LockedTable) -> bool:
    clock = table.state.clock
    return table.row.status == Table.Status.OPEN and clock is not None and clock.deadline <= table.now


def _is_to_be_dealt(table: LockedTable) -> bool:
    """Return whether it is the start of a due table that is over, and nothing gives it more time."""
    clock = table.state.clock
    if table.state.phase is not Phase.STARTING or clock is None:
        return False
    return not outages.allowance(clock, table.now, unheard=outages.is_anybody_unheard(table))


def _tell_all(tables: Sequence[LockedTable]) -> None:
    with broadcast.together():
        for table in tables:
            table_cache.put(table)
            broadcast.tell(table)


def _table_row(terms: Terms, tournament: Tournament, number: int | None, now: int, seen: int) -> Table:
    rules = book(terms.book, terms.book_version)
    return Table(
        title=tournament.title,
        book=rules.key,
        book_version=rules.version,
        family=rules.family.value,
        currency=TOURNAMENT,
        seats=terms.seats,
        tournament_id=tournament.pk,
        round=number,
        terms=codec.dump_terms(terms),
        opened_at=moment(now),
        last_outage=seen,
    )


def _made(table: LockedTable, move: moves.Move) -> list[LoggedEvent]:
    """Make the move, and return the rows of its events, which are not written."""
    return _take(table, game.apply(table.state, move, table.now))


def _take(table: LockedTable, transition: Transition) -> list[LoggedEvent]:
    rows = store.event_rows(table, transition)
    table.state = transition.after
    table.events.extend(transition.events)
    return [LoggedEvent(**row._asdict()) for row in rows]
