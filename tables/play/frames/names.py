"""The facts in the views of a table that the rules do not know."""

from django.core.exceptions import SynchronousOnlyOperation

from rules.game import Phase
from rules.game.views import MoneyFormat, Names
from rules.game.views.names import PartOf
from rules.shuffling import number_of
from tables.language import said_name, title
from tables.models import Deal, Table, Tournament
from tables.play import practice
from tables.play.entrants import HELD_MS
from tables.play.seating import connected_seats
from tables.play.store import TableSnapshot, moment
from tables.standings import ABSENT_AFTER, standings_of
from wallet.base import money
from wallet.base.queries import one_or_none

#: The tournaments of this process's tables as last read, by table: what they were read after, and what was read.
_parts: dict[int, tuple[object, PartOf]] = {}
#: So many are remembered; the one read longest ago is forgotten first.
_MOST = 5_000


def names_of(table: TableSnapshot) -> Names:
    """Return the facts in the views of this table that the rules do not know."""
    row, unit = table.row, money.currency(table.row.currency)
    part_of = None if row.tournament_id is None else _part_of(table, row.tournament_id)
    return Names(
        table=row.pk,
        title=title(row.title),
        currency=MoneyFormat(code=unit.code, digits=unit.decimals, sign=unit.symbol, noun=unit.noun),
        practice=row.practice_for_id is not None,
        guided=row.guided,
        stopped=row.status == row.Status.FROZEN,
        waits=practice.is_patient(table.state.clock) or (part_of is not None and part_of.paused),
        private_code=row.private_code or None,
        players={seat: said_name(seating.name) for seat, seating in table.seatings.items()},
        connected=connected_seats(table.seatings.values(), table.now),
        played=_played(table),
        part_of=part_of,
    )


def _part_of(table: TableSnapshot, tournament_id: int) -> PartOf | None:
    """Return the tournament that the table is part of, read again after each deal, and each time somebody sits down.

    Between deals it is read again with each clock, since a table whose tournament is paused sets one after another. A
    move on the fast way reads nothing: it shows what is known from when its deal began.
    """
    entrants = {seating.entrant_id: seat for seat, seating in table.seatings.items() if seating.entrant_id is not None}
    between, clock = table.state.phase in (Phase.STARTING, Phase.RESULT), table.state.clock
    after = table.state.deals, table.state.result is not None, tuple(entrants), between and clock
    known = _parts.get(table.row.pk)
    if known is not None and known[0] == after:
        return known[1]
    try:
        part = _read_part(tournament_id, table.row.round, entrants, just_ended=after[1])
        # Of thousands of tables that open at once none asks: a pause has given the clock of its tables its own length.
        may_wait = between and (after[1] or (clock is not None and clock.length >= HELD_MS))
        paused = Tournament.objects.filter(pk=tournament_id, paused_ms__isnull=False)
        part = part._replace(paused=may_wait and paused.exists())
    except SynchronousOnlyOperation:
        return known[1]._replace(paused=between and known[1].paused) if known is not None else None
    _parts.pop(table.row.pk, None)
    _parts[table.row.pk] = after, part
    if len(_parts) > _MOST:
        del _parts[next(iter(_parts))]
    return part


def _read_part(tournament_id: int, number: int | None, entrants: dict[int, int], *, just_ended: bool) -> PartOf:
    """Read the tournament; who stands where as well once a deal has ended, and otherwise as it was a second ago."""
    standings = standings_of(tournament_id)
    tournament = standings.tournament
    there = standings.read_anew(entrants) if just_ended else standings.known(entrants)
    places = {each.pk: place for each in there if (place := standings.place_of(each)) is not None}
    return PartOf(
        id=tournament.pk,
        title=title(tournament.title),
        round=number,
        rounds=tournament.rounds or None if number is not None else None,
        places=tournament.entered,
        ends_at=None if tournament.ends_ms is None else moment(tournament.ends_ms).isoformat(),
        place_by_seat={entrants[pk]: place for pk, place in places.items()},
        absent=frozenset(entrants[each.pk] for each in there if each.automatic >= ABSENT_AFTER),
    )


def _played(table: TableSnapshot) -> dict[int, str]:
    """Return the names of the players, by seat, in the deal whose result is shown."""
    if table.state.result is not None and not table.names:
        pk = int(number_of(table.state.result.deal_id))
        deal = table.row.deal if table.row.deal_id == pk and Table.deal.is_cached(table.row) else None
        deal = deal or one_or_none(Deal.objects.filter(pk=pk).only("result"))
        lines = deal.result if deal is not None else None
        table.names = {line["seat"]: said_name(line["name"]) for line in lines or []}
    return table.names
