"""The database of a release, in the repository for every release after it: made once, by the software of that release.

    python -m tests.support.stored_release make     plays on SQLite, or where RUMMY_DATABASE_URL leads, and dumps
    python -m tests.support.stored_release check          plays on in a database that was loaded and migrated

It holds a match that is over, a table in the middle of a deal, a player with an adjusted balance, and the trail of a
clean night. Both need RUMMY_SECRET_KEY = SECRET: signatures and seals are checked with it.
"""

import gzip
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

RELEASE = "1.0.0"
SECRET = "of-a-database-that-lies-open-in-the-repository-for-all-to-read"
STORED = Path(__file__).parent / "stored"
#: What the tables play for, and who sits there.
OVER, RUNNING = "Over", "Running"
NAMES = ("asha", "ravi")


def stored_sql(vendor: str) -> str:
    """Return the SQL that makes the database of the release: the whole of it for SQLite, into an empty one else."""
    return gzip.decompress((STORED / f"{RELEASE}.{vendor}.sql.gz").read_bytes()).decode()


def _make() -> None:
    """Play as that release, then write down the database."""
    from django.core.management import call_command
    from django.db import connection

    from lobby.accounts.models import Player
    from tables.play.opening import open_table
    from tests.support.players import signed_up
    from tests.support.staff import employ
    from tests.support.steering import all_drop_but, pass_turn, to_move
    from tests.support.tables import terms
    from tests.support.world import isolated_world
    from wallet import adjustments
    from wallet.audit.nightly import run_nightly
    from wallet.audit_log.services import Actor

    call_command("migrate", verbosity=0)
    people = [signed_up(name) for name in NAMES]
    clerk, second = (employ("finance", name) for name in ("fina", "omar"))
    with isolated_world() as world:
        for title in (OVER, RUNNING):
            table = open_table(terms=terms(), title=title, currency="FUN")
            clients = [world.sit(table, Player.objects.get(pk=person.pk)) for person in people]
            world.deal(table)
            pass_turn(to_move(clients))
            if title == OVER:
                all_drop_but(clients[0], clients)
    adjustment = adjustments.ask(
        request_id="one", player=people[0], currency="FUN", amount=5_000, reason="A gift", actor=Actor("fina", clerk)
    )
    adjustments.grant(adjustment, "Seen the logs", Actor("omar", second))
    night = run_nightly()
    assert night.differences == 0, night.findings
    STORED.mkdir(exist_ok=True)
    text = _of_sqlite() if connection.vendor == "sqlite" else _of_postgresql()
    content = gzip.compress(text.encode(), mtime=0)
    (STORED / f"{RELEASE}.{connection.vendor}.sql.gz").write_bytes(content)
    print(f"{connection.vendor}: {len(text)} bytes of SQL, {len(content)} compressed")


def _of_sqlite() -> str:
    from django.conf import settings

    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database:
        return "\n".join(database.iterdump())


def _of_postgresql() -> str:
    from tests.support.postgresql import program

    words = ["--inserts", "--no-owner", "--no-privileges", "--no-comments", os.environ["RUMMY_DATABASE_URL"]]
    dumped = subprocess.run([program("pg_dump"), *words], check=True, capture_output=True, text=True).stdout
    return "\n".join(line for line in dumped.splitlines() if line and not line.startswith(("\\", "--")))


def _check() -> None:
    """Read back what was stored, play the running table to its end, and find the books clean."""
    from lobby.accounts.models import Player
    from tables.models import DealSeat, Match, Table
    from tables.play import outages, services as play
    from tests.support import connections
    from tests.support.players import PASSWORD
    from tests.support.steering import all_drop_but, pass_turn, to_move
    from tests.support.tables import Client
    from tests.support.world import isolated_world
    from wallet.audit.nightly import run_nightly
    from wallet.models import Adjustment

    people = [Player.objects.get(username=name) for name in NAMES]
    assert people[0].check_password(PASSWORD)
    assert Adjustment.objects.get(player=people[0]).status == Adjustment.Status.GRANTED
    over, running = (Table.objects.get(title=title) for title in (OVER, RUNNING))
    assert Match.objects.filter(table=over).earliest("pk").status == Match.Status.SETTLED
    with isolated_world():
        outages.record_heartbeat(starting=True)
        play.tick(table_id=running.pk)
        clients = []
        for person in people:
            connections.connect(table_id=running.pk, user_id=person.pk, connection=f"c{person.pk}")
            clients.append(Client(running.pk, person, f"c{person.pk}"))
        assert clients[0].view()["phase"] == "playing", "nobody has lost a turn while the software was away"
        pass_turn(to_move(clients))
        all_drop_but(clients[0], clients)
    assert Match.objects.filter(table=running).earliest("pk").status == Match.Status.SETTLED
    amounts = dict(DealSeat.objects.filter(deal__match__table=running).values_list("user__username", "amount"))
    assert amounts["asha"] > 0 > amounts["ravi"], amounts
    night = run_nightly()
    assert night.differences == 0, night.findings


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    os.environ["RUMMY_SECRET_KEY"] = SECRET
    import django

    django.setup()
    {"make": _make, "check": _check}[sys.argv[1]]()
