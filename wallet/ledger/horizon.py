"""Up to which transfer the ledger is settled: none with a smaller id is still to come.

PostgreSQL gives ids out before the transactions that ask for them end, so that a smaller id may come after a larger.
"""

import time

from django.db import connection

from wallet.base.errors import WalletError
from wallet.models import Transfer

#: Seconds to wait for who is posting just now; a posting takes milliseconds.
PATIENCE = 10.0
_PAUSE = 0.01
#: Whoever may have been given an id has asked for this lock before, and keeps it until their transaction ends.
_POSTING = (
    "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'"
    " AND relation = 'wallet_transfer'::regclass AND pid <> pg_backend_pid()"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def committed_up_to() -> int:
    """Return the id of the latest transfer, once every smaller id has its transfer or never will.

    0 for an empty ledger.

    Nobody waits for it. Call before the snapshot that is to hold those transfers. WalletError `ledger_busy` where
    somebody does not finish a posting.
    """
    latest = Transfer.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    if connection.vendor == "postgresql":
        before, until = _posting(), time.monotonic() + PATIENCE
        while before & _posting():
            if time.monotonic() > until:
                raise WalletError("ledger_busy", "A posting is not finished that was begun before. Please try again.")
            time.sleep(_PAUSE)
    return latest


def _posting() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_POSTING)
        return {name for (name,) in cursor.fetchall()}
