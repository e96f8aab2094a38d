"""The export of a large ledger in every format, and the finance pages over it, beside bare SQL over the same rows.

Every export runs in a process of its own that tells how far its memory grew. The floor of the exports streams the same
rows by a bare server-side cursor into a file; that of the pages adds up the same amounts in one statement.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.urls import reverse

from config import env
from tests.benchmarks._filling import DAYS, FIRST, fill
from tests.benchmarks.ledger import scratch_database

FORMATS = ("csv", "jsonl", "xlsx")
FLOOR = "floor"
#: So many days hold a tenth of the rows.
TENTH = DAYS // 10
PAGES = {
    "totals": ("finance:overview", {}),
    "fees by table": ("finance:fees", {}),
    "all entries": ("finance:entries", {}),
    "entries of fees": ("finance:entries", {"what": "fees", "currency": "FUN"}),
    "entries of liabilities": ("finance:entries", {"what": "liabilities", "currency": "FUN"}),
    "entries of a player": ("finance:entries", {"player": "1", "what": "fees", "currency": "FUN"}),
    "statement of an account": ("finance:entries", {"reference": "seating:1"}),
    "exports": ("finance:exports", {}),
    "ledger in the admin": ("admin:wallet_transfer_changelist", {}),
}
REPEATS = 5


def measure(count: int = 200_000) -> dict[str, Any]:
    """Return seconds and memory growth of exporting `count` rows and a tenth of them, and milliseconds of the pages."""
    with scratch_database(), TemporaryDirectory() as folder:
        fill(count)
        runs = {form: _runs(form, Path(folder)) for form in (FLOOR, *FORMATS)}
        client = _staff()
        pages = {name: _milliseconds(lambda: _page(client, *each)) for name, each in PAGES.items()}  # noqa: B023
        one_sum = _milliseconds(_sum)
    floor = runs.pop(FLOOR)
    for figures in runs.values():
        figures["of_floor"] = round(floor["seconds"] / figures["seconds"], 2)
    return {
        "what": f"exports of a month of transfers, on {connection.vendor}",
        "unit": "s",
        "rows": count,
        "formats": runs,
        "floor": {"what": "the same rows by a bare server-side cursor into a file", **floor},
        "pages": {
            "what": f"finance pages over the same transfers, the median of {REPEATS}",
            "unit": "ms",
            **pages,
            "floor": {"what": "one sum over the same transfers as plain SQL", "median": one_sum},
        },
    }


def _runs(form: str, folder: Path) -> dict[str, Any]:
    """Export a tenth of the month, and the month twice, each in a fresh process."""
    few, whole, again = (_in_a_process(form, folder / form, days) for days in (TENTH, DAYS, DAYS))
    seconds = min(whole["seconds"], again["seconds"])
    return {
        "seconds": round(seconds, 2),
        "processor_seconds": round(min(whole["processor_seconds"], again["processor_seconds"]), 2),
        "rows_per_second": round(whole["rows"] / seconds),
        "bytes": whole["bytes"],
        "memory_grew_kib": whole["grew_kib"],
        "tenth": {"rows": few["rows"], "memory_grew_kib": few["grew_kib"]},
        "twice_the_same": whole["sha256"] == again["sha256"],
    }


def _in_a_process(form: str, out: Path, days: int) -> dict[str, Any]:
    name = str(connection.settings_dict["NAME"])
    command = [sys.executable, "-m", "tests.benchmarks._exporting", name, form, str(out), str(days)]
    result = subprocess.run(command, env=env.of_a_child({}), stdout=subprocess.PIPE, check=True)
    return dict(json.loads(result.stdout.splitlines()[-1]))


def _staff() -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(get_user_model()._default_manager.create_superuser(username="bench", password="!"))
    return client


def _page(client: Client, name: str, query: dict[str, str]) -> None:
    days = {"from": f"{FIRST}", "to": f"{FIRST + timedelta(days=DAYS - 1)}"} if query or "fees" in name else {}
    if client.get(reverse(name), {**days, **query}).status_code != 200:
        raise RuntimeError(f"{name} does not answer")


def _sum() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.debit_id, SUM(t.amount) FROM wallet_transfer t JOIN wallet_posting p ON p.id = t.posting_id"
            " WHERE p.created_at >= '2020-01-01 00:00:00+00:00' GROUP BY t.debit_id"
        )
        cursor.fetchall()


def _milliseconds(call: Callable[[], None]) -> float:
    def once() -> float:
        start = perf_counter()
        call()
        return (perf_counter() - start) * 1000

    return round(median(once() for _ in range(REPEATS)), 1)
