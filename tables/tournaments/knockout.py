"""Knock-outs: rounds of a fixed number of deals; the best of each table go on, and the last round is one table.

The proof of a draw: its inputs, the seats that follow from them, and whether these are the seats that were taken.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

from rules.tournaments import best_of, draw_commitment, drawn_tables, going_on, rounds_of, table_sizes
from tables import staff
from tables.log.sealing import DRAWS
from tables.models import Entrant, Round, Seating, Table, Tournament
from tables.play.tournament_tables import OPENED_AT_ONCE, open_tables, table_terms
from tables.tournaments import ending, moments, offers
from wallet.audit_log.services import PLATFORM
from wallet.base.queries import update_each

Status = Entrant.Status


def draw_round(tournament: Tournament, now: int) -> None:
    """Draw the seats of the next round among those who are still in; one who is alone has won.

    With each draw it is known how many rounds there are, unless many leave after it.
    """
    entrants = list(Entrant.objects.filter(tournament=tournament, status=Status.IN).order_by("pk"))
    if len(entrants) < 2:
        Entrant.objects.filter(pk__in=[entrant.pk for entrant in entrants]).update(round=tournament.round + 1)
        ending.award_places(tournament, now)
        return
    tournament.rounds = tournament.round + len(rounds_of(len(entrants), tournament.seats, tournament.go_on))
    tournament.round += 1
    offers.commit_round(tournament, tournament.round)
    current = _round(tournament)
    current.entrants, current.began_ms = [entrant.pk for entrant in entrants], now
    current.tables = len(table_sizes(len(entrants), tournament.seats))
    current.save()
    first = table_terms(tournament).rule_book.first_total
    Entrant.objects.filter(pk__in=current.entrants).update(
        round=current.number, chips=first, deals=0, deals_won=0, points_lost=0, table_id=None
    )


def play_round(tournament: Tournament, now: int) -> bool:
    """Open the tables of the round, end it once all are over, or draw the next one after a break."""
    current = _round(tournament)
    if current.ended_ms is not None:
        if tournament.next_ms is not None and now < tournament.next_ms:
            return False
        draw_round(tournament, now)
        return True
    tables = Table.objects.filter(tournament_id=tournament.pk, round=current.number)
    opened = tables.count()
    if opened < current.tables:
        _open_tables(tournament, current, opened)
        return True
    if tables.filter(status=Table.Status.OPEN).exists():
        return False
    _end_round(tournament, current, now)
    return True


def drawn(current: Round) -> tuple[tuple[int, ...], ...]:
    """Return the tables of a drawn round, as the ids of the entrants in the order of their seats."""
    seed, seats_at_most = DRAWS.unseal(current), current.tournament.seats
    return drawn_tables(current.tournament_id, current.number, seed, current.entrants, seats_at_most)


def _round(tournament: Tournament) -> Round:
    return Round.objects.select_related("tournament").get(tournament=tournament, number=tournament.round)


def _open_tables(tournament: Tournament, current: Round, opened: int) -> None:
    """Open the next tables of the round, in the order of the draw, which never changes."""
    parties = drawn(current)[opened : opened + OPENED_AT_ONCE]
    ids = [pk for party in parties for pk in party]
    entrants = Entrant.objects.select_related("user").in_bulk(ids)
    open_tables(tournament, [[entrants[pk] for pk in party] for party in parties], current.number)
    update_each(entrants.values(), ["table_id"])


def _end_round(tournament: Tournament, current: Round, now: int) -> None:
    """Let the best of each table go on; at a frozen table chips stand as of its last deal."""
    frozen = Table.objects.filter(tournament_id=tournament.pk, round=current.number, status=Table.Status.FROZEN)
    for table_id in frozen.order_by("pk").values_list("pk", flat=True):
        staff.cancel_table(table_id=table_id, reason="the round goes on without it", actor=PLATFORM)
    current.ended_ms = now
    current.save(update_fields=["ended_ms"])
    entrants = {entrant.pk: entrant for entrant in Entrant.objects.filter(tournament=tournament, round=current.number)}
    parties = [[entrants[pk] for pk in party] for party in drawn(current)]
    staying = going_on([len(party) for party in parties], tournament.seats, tournament.go_on)
    if not staying:
        ending.award_places(tournament, now)
        return
    ahead = _put_out(tournament, parties, staying)
    ending.place_the_out(tournament, list(entrants.values()), ahead)
    tournament.next_ms = now + moments.BREAK_MS


def _put_out(tournament: Tournament, parties: Sequence[Sequence[Entrant]], staying: int) -> int:
    """Put out of the tournament all but the best of each table who are there; return how many go on."""
    going_on = 0
    for party in parties:
        there = [ending.shown_by(tournament, entrant) for entrant in party if entrant.status == Status.IN]
        best = {each.entry for each in best_of(there, staying)}
        going_on += len(best)
        for entrant in party:
            if entrant.status == Status.IN and entrant.pk not in best:
                entrant.status = Status.OUT
    return going_on


class DrawProof(TypedDict):
    tournament: int
    round: int
    commitment: str
    seed: Annotated[str, "64 bytes as hex, that were fixed before anybody could enter."]
    entrants: Annotated[list[int], "Their numbers in the order of entry: what is shuffled."]
    seats: Annotated[int, "The most at a table."]
    tables: Annotated[list[list[int]], "Who sat at each table, in the order of its seats, the larger tables first."]
    honest: Annotated[bool, "Whether the platform itself finds that seed and seats agree."]


def proof_of_draw(row: Round) -> DrawProof:
    """Return the proof of a drawn round, for everybody: rules/RULES.md, Tournaments. Entrants go by their ids."""
    seed = DRAWS.unseal(row)
    tables = [list(table) for table in drawn(row)]
    committed = draw_commitment(row.tournament_id, row.number, seed) == row.commitment
    return {
        "tournament": row.tournament_id,
        "round": row.number,
        "commitment": row.commitment,
        "seed": seed.hex(),
        "entrants": row.entrants,
        "seats": row.tournament.seats,
        "tables": tables,
        "honest": committed and tables[: len(taken := seats_taken(row))] == taken,
    }


def seats_taken(row: Round) -> list[list[int]]:
    """Return who sat at the tables of the round that are open so far, in the order of the tables and their seats."""
    tables: dict[int, list[Any]] = {}
    seatings = Seating.objects.filter(table__tournament_id=row.tournament_id, table__round=row.number)
    for table_id, entrant_id in seatings.order_by("table_id", "seat").values_list("table_id", "entrant_id"):
        tables.setdefault(table_id, []).append(entrant_id)
    return list(tables.values())
