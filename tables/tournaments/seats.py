"""Seating entrants of a tournament at new tables."""

from collections.abc import Sequence

from rules.books import book
from rules.game import Clocks, Terms
from tables.models import Entrant, Tournament
from tables.play import broadcast
from tables.play.tournament_tables import Party, open_for_tournament
from tables.tournaments import moments

#: So many tables are opened in one transaction.
TABLES_AT_ONCE = 50
CLOCKS = Clocks(start_two=moments.START_MS, start_more=moments.START_MS, start_full=moments.START_MS)


def table_terms(tournament: Tournament) -> Terms:
    """Return the terms of its tables: no money, a point is worth one chip."""
    rules = book(tournament.book, tournament.book_version)
    return Terms(
        book=rules.key,
        book_version=rules.version,
        seats=tournament.seats,
        point_value=1 if rules.per_point else 0,
        minimum=rules.least_stack(1) if rules.per_point else 0,
        clocks=CLOCKS,
        deals=tournament.deals if rules.deals is not None else None,
        tournament=True,
    )


def seat(tournament: Tournament, parties: Sequence[Sequence[Entrant]], number: int | None) -> None:
    """Open a table for each of these parties, and call everybody there. Call it under the tournament's lock."""
    terms = table_terms(tournament)
    stacks = [
        tuple(max(entrant.chips, terms.minimum) if terms.minimum else 0 for entrant in party) for party in parties
    ]
    tables = open_for_tournament(
        terms=terms,
        title=tournament.title,
        tournament_id=tournament.pk,
        number=number,
        parties=[Party(tuple(party), chips) for party, chips in zip(parties, stacks, strict=True)],
    )
    for table, party in zip(tables, parties, strict=True):
        for entrant in party:
            entrant.table_id = table.pk
            if entrant.user_id is not None:
                broadcast.tournament_table(entrant.user_id, tournament_id=tournament.pk, table_id=table.pk)
