"""Forgeries of the books that fit with what stands beside them."""

from collections import defaultdict
from collections.abc import Sequence

from django.db import connection

from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.base import triggers
from wallet.ledger.hash_chain import NO_TRAIL, TrailEnd, link_hash, linked_transfers
from wallet.ledger.ledger import digest
from wallet.ledger.triggers import TABLES, TRIGGERS
from wallet.models import Account, Posting, Transfer


def strip() -> None:
    """Take every trigger, constraint and foreign key from the books, so that anything can be planted in them."""
    connection.check_constraints()
    triggers.remove(connection, TRIGGERS)
    with connection.cursor() as cursor:
        for table in reversed(TABLES):
            cursor.execute(f"CREATE TABLE bare AS SELECT * FROM {table}")
            cursor.execute(f"DROP TABLE {table}")
            cursor.execute(f"ALTER TABLE bare RENAME TO {table}")
            if connection.vendor == "postgresql":
                cursor.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (id)")
            else:
                cursor.execute(f"CREATE UNIQUE INDEX {table}_bare ON {table} (id)")


def make_balances_fit() -> None:
    balances: defaultdict[int, int] = defaultdict(int)
    rows = []
    for pk, debit, credit, amount in Transfer.objects.order_by("pk").values_list("pk", "debit", "credit", "amount"):
        debit_balance = balances[debit] = balances[debit] - amount
        credit_balance = balances[credit] = balances[credit] + amount
        rows.append((debit_balance, credit_balance, pk))
    _write("UPDATE wallet_transfer SET debit_balance = %s, credit_balance = %s WHERE id = %s", rows)
    accounts = Account.objects.values_list("pk", flat=True)
    _write("UPDATE wallet_account SET balance = %s WHERE id = %s", [(balances[pk], pk) for pk in accounts])


def make_seals_fit() -> None:
    lines = defaultdict(list)
    for pk, *line in Transfer.objects.order_by("line").values_list("posting", "debit", "credit", "amount"):
        lines[pk].append(line)
    rows = [(digest(each.key, each.reason, lines[each.pk], each.place), each.pk) for each in Posting.objects.all()]
    _write("UPDATE wallet_posting SET digest = %s WHERE id = %s", rows)


def make_chain_fit() -> None:
    """Recompute every link, as somebody who has the key could."""
    ends = {entry.pk: TrailEnd(entry.pk, entry.hash) for entry in AuditEntry.objects.all()}
    heads: defaultdict[int, str] = defaultdict(str)
    rows = []
    for transfer in linked_transfers(Transfer.objects.all()):
        before = (heads[transfer.debit_id], heads[transfer.credit_id])
        posting = transfer.posting
        end = ends.get(posting.trail_entry, NO_TRAIL)
        link = link_hash(before, posting.digest, posting.made_at, transfer.content, end)
        heads[transfer.debit_id] = heads[transfer.credit_id] = link
        rows.append((link, transfer.pk))
    _write("UPDATE wallet_transfer SET seal = %s WHERE id = %s", rows)
    accounts = Account.objects.values_list("pk", flat=True)
    _write("UPDATE wallet_account SET head = %s WHERE id = %s", [(heads[pk], pk) for pk in accounts])


def _write(sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


def checks_with_findings() -> set[str]:
    """Return the checks with findings, except those of the triggers that `strip` removed."""
    return {difference.check for difference in audit.audit().differences} - {"trigger"}
