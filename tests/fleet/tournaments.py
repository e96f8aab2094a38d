"""A fleet of tournaments: computer-driven seats play to the end while steps and moves are killed at any statement.

python -m pytest tests/fleet/short/test_tournaments.py                    # 36 seats
RUMMY_FLEET_SEATS=600 python -m pytest tests/fleet/short/test_tournaments.py
"""

from random import Random

from tables import staff
from tables.models import Entrant, Outage, Table, Tournament
from tables.tournaments import steps
from tests.support.clock import Clock
from tests.support.killed import Killed, killed_at
from tests.support.tournaments import opened, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM

#: Of a hundred acts so many are killed at a statement up to the last of these numbers.
KILLED, STATEMENTS = 20, 60


def play_fleet(clock: Clock, seed: int, seats: int, **rules: object) -> Tournament:
    """Play a tournament of so many computer players to its end under the nemesis; return it audited."""
    nemesis = Random(seed)
    tournament = opened(clock, starts_ms=clock.now + 60_000, **{**rules, "most": 5_000})
    Entrant.objects.bulk_create(Entrant(tournament=tournament, name=f"computer {each}") for each in range(seats))
    Tournament.objects.filter(pk=tournament.pk).update(entered=seats)
    clock.wait(60)
    for beat in range(4_000):
        tournament.refresh_from_db()
        if tournament.over_ms is not None:
            break
        _disturb(clock, nemesis, tournament, beat)
        for table_id in [None, *_open(tournament)]:
            try:
                with killed_at(nemesis.randrange(STATEMENTS) if nemesis.randrange(100) < KILLED else 0):
                    while table_id is None and steps.step(tournament.pk):
                        pass
                    if table_id is not None:
                        play_table(table_id)
            except Killed:
                continue
        clock.wait(3)
    assert tournament.status == Tournament.Status.OVER, tournament.status
    assert audit().differences == []
    return tournament


def _open(tournament: Tournament) -> list[int]:
    tables = Table.objects.filter(tournament_id=tournament.pk, status=Table.Status.OPEN)
    return list(tables.order_by("pk").values_list("pk", flat=True))


def _disturb(clock: Clock, nemesis: Random, tournament: Tournament, beat: int) -> None:
    """Now and then stop the platform for a minute, or have staff freeze a table."""
    if beat and nemesis.randrange(40) == 0:
        Outage.objects.create(began_ms=clock.now, ended_ms=clock.now + 60_000)
        clock.wait(60)
    if (tables := _open(tournament)) and nemesis.randrange(60) == 0:
        staff.freeze_table(table_id=nemesis.choice(tables), reason="the nemesis", actor=PLATFORM)
