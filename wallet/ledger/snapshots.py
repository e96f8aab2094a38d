"""Reading the books in one state of the database while play goes on, and up to which row they are complete.

PostgreSQL assigns ids before their transactions end, so a smaller id may be committed after a larger one.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.models import Model

from wallet.base.errors import WalletError
from wallet.base.queries import lift_timeouts
from wallet.models import Transfer

#: Seconds to wait for postings that are being written; one takes milliseconds.
PATIENCE = 10.0
_PAUSE = 0.01
#: A transaction takes this lock before it is assigned an id, and holds it until it ends.
_WRITERS = (
    "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'"
    " AND relation = %s::regclass AND pid <> pg_backend_pid()"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@contextmanager
def snapshot(exported: str = "") -> Iterator[None]:
    """Let every query within see the same commits, and block no writer.

    With the name that `export_snapshot` returned these are the commits that its process sees. Inside a transaction, or
    another snapshot, change nothing.
    """
    connection.ensure_connection()
    # On SQLite a snapshot is a transaction that Django does not know of.
    if connection.in_atomic_block or (connection.vendor == "sqlite" and connection.connection.in_transaction):
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if exported:
                # It takes no parameters.
                cursor.execute(f"SET TRANSACTION SNAPSHOT '{exported}'")
            lift_timeouts()
            yield
    else:
        # Django's own transactions on SQLite take the writers' lock at once; this one never takes it.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def export_snapshot() -> str:
    """Return a name by which other processes may see the commits of this snapshot, while it is open."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def committed_up_to(model: type[Model] = Transfer) -> int:
    """Return the id of the latest row, a transfer by default, once every smaller id has its row or never will.

    0 for an empty list. It blocks nobody. Call it before the snapshot that must contain those rows. WalletError
    `ledger_busy` where a transaction that writes to the list does not end.
    """
    latest: int = model._default_manager.order_by("-pk").values_list("pk", flat=True).first() or 0
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(model._meta.db_table)
        running, until = _running_writers(table), time.monotonic() + PATIENCE
        while running & _running_writers(table):
            if time.monotonic() > until:
                raise WalletError("ledger_busy", "A posting is not finished that was begun before. Please try again.")
            time.sleep(_PAUSE)
    return latest


def _running_writers(table: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS, [table])
        return {name for (name,) in cursor.fetchall()}
