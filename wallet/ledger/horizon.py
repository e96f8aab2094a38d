"""Up to which transfer, or row of another list, all is settled: none with a smaller id is still to come.

PostgreSQL gives ids out before the transactions that ask for them end, so that a smaller id may come after a larger.
"""

import time

from django.db import connection
from django.db.models import Model

from wallet.base.errors import WalletError
from wallet.models import Transfer

#: Seconds to wait for who is posting just now; a posting takes milliseconds.
PATIENCE = 10.0
_PAUSE = 0.01
#: Whoever may have been given an id has asked for this lock before, and keeps it until their transaction ends.
_WRITING = (
    "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'"
    " AND relation = %s::regclass AND pid <> pg_backend_pid()"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def committed_up_to(model: type[Model] = Transfer) -> int:
    """Return the id of the latest row, a transfer by default, once every smaller id has its row or never will.

    0 for an empty list.

    Nobody waits for it. Call before the snapshot that is to hold those rows. WalletError `ledger_busy` where somebody
    does not finish what they write.
    """
    latest: int = model._default_manager.order_by("-pk").values_list("pk", flat=True).first() or 0
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(model._meta.db_table)
        before, until = _writing(table), time.monotonic() + PATIENCE
        while before & _writing(table):
            if time.monotonic() > until:
                raise WalletError("ledger_busy", "A posting is not finished that was begun before. Please try again.")
            time.sleep(_PAUSE)
    return latest


def _writing(table: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITING, [table])
        return {name for (name,) in cursor.fetchall()}
