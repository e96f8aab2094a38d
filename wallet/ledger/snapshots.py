"""Reading the books in one state of the database, while play goes on."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from wallet.base.queries import lift_timeouts


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
