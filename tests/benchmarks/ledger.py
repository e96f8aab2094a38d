"""A deal of six settled: five losers pay the winner, who pays the fee; one commit each.

The floor is the same as plain SQL, with the same rows, indexes and commit, but no triggers, no key to look up,
no digest and no ORM. The two take turns, so that a busy machine slows both alike.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction

from wallet import audit, services

SEATS = range(1, 7)
STACK = 10_000
#: Every winner wins as often as every other, so that no stack runs dry.
LOSS, FEE = 10, 5

PLAIN = (
    "CREATE TABLE plain_account (id INTEGER PRIMARY KEY, balance BIGINT NOT NULL CHECK (balance >= 0))",
    "CREATE TABLE plain_posting (id INTEGER PRIMARY KEY, key VARCHAR(100) UNIQUE, made VARCHAR(40))",
    "CREATE TABLE plain_transfer (posting_id INTEGER REFERENCES plain_posting, line INTEGER,"
    " debit_id INTEGER REFERENCES plain_account, credit_id INTEGER REFERENCES plain_account, amount BIGINT,"
    " debit_balance BIGINT, credit_balance BIGINT, PRIMARY KEY (posting_id, line))",
    "CREATE INDEX plain_debit ON plain_transfer (debit_id, posting_id)",
    "CREATE INDEX plain_credit ON plain_transfer (credit_id, posting_id)",
)


def measure(count: int = 500) -> dict[str, Any]:
    """Milliseconds of wall time for each of `count` deals, and transfers a second, with the floor beside them."""
    with scratch_database():
        _seat_players()
        _plain_tables()
        pairs = [(_timed(_settle, deal), _timed(_settle_plainly, deal)) for deal in range(count)]
        assert audit.audit().differences == []
    ours, floor = (_figures(list(times)) for times in zip(*pairs, strict=True))
    what = f"a deal of six settled, {len(SEATS)} transfers and one commit, on {connection.vendor}"
    return {"what": what, "unit": "ms", "count": count} | ours | {"floor": {"what": "the same as plain SQL"} | floor}


def _figures(times: list[float]) -> dict[str, float]:
    times.sort()
    at = {"median": 0.5, "p95": 0.95, "p99": 0.99}
    figures = {name: round(times[int(len(times) * share)], 3) for name, share in at.items()}
    return figures | {"transfers_per_second": round(len(SEATS) * len(times) * 1000 / sum(times))}


def _timed(call: Callable[[int], None], deal: int) -> float:
    start = perf_counter()
    call(deal)
    return (perf_counter() - start) * 1000


@contextmanager
def scratch_database() -> Iterator[None]:
    """A database of its own, on the same engine and settings, gone afterwards."""
    with TemporaryDirectory() as folder:
        name = connection.settings_dict["NAME"]
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = str(Path(folder) / "bench.sqlite3")
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(str(name), verbosity=0)


def _seat_players() -> None:
    for seat in SEATS:
        user = get_user_model()._default_manager.create(username=f"player{seat}")
        services.open_wallet(user)
        services.buy_in(seating=seat, user=user, currency="FUN", amount=STACK)


def _plain_tables() -> None:
    with connection.cursor() as cursor:
        for statement in PLAIN:
            cursor.execute(statement)
        fees = len(SEATS) + 1
        cursor.executemany("INSERT INTO plain_account VALUES (%s, %s)", [*((seat, STACK) for seat in SEATS), (fees, 0)])


def _settle(deal: int) -> None:
    winner = SEATS[deal % len(SEATS)]
    losses = {seat: LOSS for seat in SEATS if seat != winner}
    services.settle_deal(key=f"deal:{deal}:settle", currency="FUN", winner=winner, losses=losses, fee=FEE)


def _settle_plainly(deal: int) -> None:
    winner, fees = SEATS[deal % len(SEATS)], len(SEATS) + 1
    moves = [*((seat, winner, LOSS) for seat in SEATS if seat != winner), (winner, fees, FEE)]
    lock = "" if connection.vendor == "sqlite" else " FOR UPDATE"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT id, balance FROM plain_account ORDER BY id{lock}")
        held = dict(cursor.fetchall())
        cursor.execute("INSERT INTO plain_posting VALUES (%s, %s, %s)", [deal, f"deal:{deal}:settle", "now"])
        for line, (debit, credit, amount) in enumerate(moves):
            held[debit] -= amount
            held[credit] += amount
            row = (deal, line, debit, credit, amount, held[debit], held[credit])
            cursor.execute("INSERT INTO plain_transfer VALUES (%s, %s, %s, %s, %s, %s, %s)", row)
        for pk, balance in held.items():
            cursor.execute("UPDATE plain_account SET balance = %s WHERE id = %s", [balance, pk])
