"""One export in a process of its own: `python -m tests.benchmarks._exporting DATABASE FORMAT FILE DAYS` prints figures.

The format `floor` is no export: a bare server-side cursor streams the same rows into a file.
"""

import csv
import hashlib
import json
import sys
from datetime import timedelta
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

_ROWS = """
    SELECT t.id, p.created_at, p.key, p.reason, t.line, d.currency, d.kind, d.reference, d.owner_id,
        c.kind, c.reference, c.owner_id, t.amount, t.debit_balance, t.credit_balance
    FROM wallet_transfer t JOIN wallet_posting p ON p.id = t.posting_id
        JOIN wallet_account d ON d.id = t.debit_id JOIN wallet_account c ON c.id = t.credit_id
    WHERE p.created_at >= %s AND p.created_at < %s ORDER BY t.id
"""
_AT_ONCE = 2000


def main(database: str, form: str, out: str, days: str) -> None:
    import django

    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = database
    write = _floor if form == "floor" else _export
    # Once for nothing, so that what is loaded only once is loaded.
    write(form, Path(out), 0)
    before = _forget_peak()
    start, busy = perf_counter(), process_time()
    rows = write(form, Path(out), int(days))
    seconds, busy = perf_counter() - start, process_time() - busy
    grew = _memory("VmHWM") - before
    with Path(out).open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    size = Path(out).stat().st_size
    times = {"seconds": seconds, "processor_seconds": busy}
    print(json.dumps({"rows": rows, **times, "grew_kib": grew, "bytes": size, "sha256": digest}))


def _export(form: str, out: Path, days: int) -> int:
    from wallet.finance.exports import export

    with export(period=_period(days), format=form, by=None, via="bench", folder=out.parent) as (path, record):
        path.replace(out)
    return record.rows


def _floor(form: str, out: Path, days: int) -> int:
    from django.db import connection, transaction

    rows = 0
    with transaction.atomic(), out.open("w", newline="") as text:
        cursor = _server_side(connection)
        bounds = [connection.ops.adapt_datetimefield_value(each) for each in _period(days).bounds]
        cursor.execute(_ROWS if connection.vendor == "postgresql" else _ROWS.replace("%s", "?"), bounds)
        lines = csv.writer(text)
        while some := cursor.fetchmany(_AT_ONCE):
            lines.writerows(some)
            rows += len(some)
        cursor.close()
    return rows


def _server_side(connection: Any) -> Any:
    """Return the driver's own cursor: SQLite has no other kind."""
    return connection.connection.cursor(*(["floor"] if connection.vendor == "postgresql" else []))


def _period(days: int) -> Any:
    """Return the period of the first `days` days; for 0, one without any rows."""
    from tests.benchmarks._filling import FIRST
    from wallet.finance.periods import Period

    first = FIRST if days else FIRST - timedelta(days=9)
    return Period(first=first, last=first + timedelta(days=max(days, 1) - 1))


def _forget_peak() -> int:
    """Reset the peak of memory, and return the memory used now, in KiB."""
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
