"""Tournaments that computer players, or players who do what these would, play to the end on a clock of the test."""

from typing import Any

from rules import bots
from tables.models import Entrant, Table, Template, Tournament
from tables.play import frames, protocol, store
from tables.play.advance import advance_for_platform, changing, finish, run_overdue_clocks
from tables.tournaments import offers, services, steps
from tests.support.clock import Clock
from tests.support.players import signed_up

#: Short, so that a test takes seconds: two deals a round, the two best of a table go on.
KNOCKOUT = {
    "title": "Evening", "kind": "knockout", "book": "standard-deals-6", "seats": 6, "deals": 2, "go_on": 2,
    "least": 2, "most": 6, "prizes": [50, 30, 20],
}  # fmt: skip
ARENA = {"title": "Arena", "kind": "arena", "book": "standard-points", "minutes": 20, "least_deals": 1, "most": 100}


def opened(clock: Clock, *, starts_ms: int | None = None, **rules: Any) -> Tournament:
    """Make a tournament of these rules, and open its entry."""
    template = Template.objects.create(**{**KNOCKOUT, **rules}, active=False)
    tournament = offers.make_tournament(template, starts_ms=starts_ms, opens_ms=clock.now)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    return tournament


def entered(tournament: Tournament, number: int) -> list[Entrant]:
    return [services.enter(tournament_id=tournament.pk, user=signed_up()) for _ in range(number)]


def play_round(clock: Clock, tournament: Tournament) -> None:
    """Seat everybody of a round of one deal, play it at each table, and let the round end."""
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    for table in Table.objects.filter(tournament_id=tournament.pk, status=Table.Status.OPEN).order_by("pk"):
        play_table(table.pk)
    steps.step(tournament.pk)
    tournament.refresh_from_db()


def play_on(clock: Clock, tournament: Tournament, *, seconds: int = 4_000, present: bool = True) -> None:
    """Let time pass and everybody play until the tournament is over; with `present` people are never away."""
    until = clock.now + seconds * 1_000
    while clock.now < until:
        while steps.step(tournament.pk):
            pass
        tournament.refresh_from_db()
        if tournament.over_ms is not None:
            return
        for table in Table.objects.filter(tournament_id=tournament.pk, status=Table.Status.OPEN).order_by("pk"):
            play_table(table.pk)
        if present:
            for entrant in Entrant.objects.filter(tournament=tournament, user__isnull=False):
                services.presence.note_alive(entrant.user_id or 0)
        clock.wait(3)
    raise AssertionError(f"{tournament} is still {tournament.status} in round {tournament.round}")


def play_table(table_id: int, *, drops: bool = True) -> None:
    """Run out the clocks between deals, and play a deal to its end, with everybody deciding as computer players do.

    Without `drops` they play every hand.
    """
    with changing(table_id):
        table = store.lock_table(table_id)
        run_overdue_clocks(table)
        moved = True
        while moved and table.row.status == Table.Status.OPEN:
            moved = False
            for seat in sorted(table.seatings):
                chosen = bots.choose(frames.view(table, seat), bots.Strength.SOUND)
                if chosen is not None and chosen["type"] != "continue":
                    if chosen["type"] == "drop" and not drops:
                        chosen = {"type": "draw", "pile": "closed"}
                    advance_for_platform(table, protocol.to_move(protocol.read_frame(chosen), seat))
                    moved = True
                    break
        finish(table)
