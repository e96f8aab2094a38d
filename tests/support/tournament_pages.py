"""Tournaments for the tests of their pages and API."""

from typing import Any

from rules.tournaments import draw_commitment, drawn_tables
from tables.log.sealing import DRAWS
from tables.models import Entrant, Round, Seating, Table, Tournament, TournamentKind

SEED = bytes(range(64))


def tournament(**columns: Any) -> Tournament:
    return Tournament.objects.create(
        **{
            "title": "Evening",
            "kind": TournamentKind.KNOCKOUT,
            "book": "standard-deals-3",
            "status": "running",
            "opens_ms": 1_000,
            "most": 36,
            "round": 1,
            "rounds": 3,
            "prizes": [50, 30, 20],
            **columns,
        }
    )


def entrants(of: Tournament, *chips: int, **columns: Any) -> list[Entrant]:
    return [
        Entrant.objects.create(tournament=of, name=f"player-{number}", chips=each, round=1, **columns)
        for number, each in enumerate(chips, start=1)
    ]


def drawn_round(of: Tournament, people: list[Entrant], number: int = 1) -> Round:
    drawn = Round(
        tournament=of, number=number, commitment=draw_commitment(of.pk, number, SEED), tables=2, began_ms=5_000
    )
    drawn.entrants = [each.pk for each in people]
    drawn.sealed_seed = DRAWS.seal(drawn, SEED)
    drawn.save()
    for seats in drawn_tables(of.pk, number, SEED, drawn.entrants, of.seats):
        table = Table.objects.create(
            title="Evening", book="standard-deals-3", book_version=1, family="deals", currency="TOURNAMENT", seats=6,
            terms={}, snapshot=b"", tournament_id=of.pk, round=number,
        )  # fmt: skip
        for seat, pk in enumerate(seats):
            Seating.objects.create(table=table, seat=seat, entrant_id=pk, name=str(pk))
    return drawn
