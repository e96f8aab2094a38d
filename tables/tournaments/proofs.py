"""The proof of a draw: its inputs, the seats that follow from them, and whether these are the seats that were taken."""

from typing import Any

from rules.tournaments.draw import draw_commitment
from tables.log.sealing import DRAWS
from tables.models import Round, Seating
from tables.tournaments.knockout import drawn


def proof_of_draw(row: Round) -> dict[str, Any]:
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


def seats_taken(row: Round) -> list[list[int | None]]:
    """Return who sat at the tables of the round that are open so far, in the order of the tables and their seats."""
    tables: dict[int, list[int | None]] = {}
    seatings = Seating.objects.filter(table__tournament_id=row.tournament_id, table__round=row.number)
    for table_id, entrant_id in seatings.order_by("table_id", "seat").values_list("table_id", "entrant_id"):
        tables.setdefault(table_id, []).append(entrant_id)
    return list(tables.values())
