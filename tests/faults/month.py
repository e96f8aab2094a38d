"""A month of play by computer players: every day some matches of every book, every night an audit that signs the day.

At its end the finance pages and the export of the month must come to what the ledger comes to, day by day.
"""

import csv
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import time_machine

from tables.simulation import fleet
from tests.faults._database import Figures, on_its_own, wipe
from tests.faults._world import world
from tests.faults.svc.room import Room

#: Matches.
SIZE = 2_000
DAYS = 30
FIRST = date(2026, 9, 1)


def run(*, seed: int, size: int) -> Figures:
    """So many matches, spread over the month."""
    return on_its_own("month", play, seed, size)


def play(seed: int, size: int, days: int = DAYS) -> Figures:
    """See above; on the database at hand, which is emptied first."""
    from wallet import audit, nightly

    wipe()
    happened: Counter[str] = Counter()
    faults: list[str] = []
    tasks = list(fleet.tasks(size, seed))
    with world() as made:
        for day in range(days):
            # Played at noon of the report zone; audited the night after.
            noon = datetime.combine(FIRST + timedelta(days=day), datetime.min.time(), UTC) + timedelta(hours=7)
            with time_machine.travel(noon, tick=True):
                for task in tasks[day::days]:
                    rng = Random(task.seed)
                    happened["matches"] += Room(made, rng, task.book, task.players, happened).play(task.matches)
            with time_machine.travel(noon + timedelta(hours=20), tick=True):
                found = nightly.run()
                faults += [f"night {day}: {each}" for each in found.findings]
    with time_machine.travel(datetime.combine(FIRST + timedelta(days=days + 1), datetime.min.time(), UTC), tick=True):
        faults += [f"{each.check}: {each.subject} {each.message}" for each in audit.audit().differences]
        faults += _finance(days)
    figures = {name: happened[name] for name in ("matches",)}
    return figures | _sizes() | {"faults": faults[:20]}


def _sizes() -> dict[str, int]:
    from wallet.models import DayHead, Posting, Transfer

    return {
        "postings": Posting.objects.count(),
        "transfers": Transfer.objects.count(),
        "days_signed": DayHead.objects.count(),
    }


def _finance(days: int) -> list[str]:
    """What the reports and the export say otherwise than the transfers themselves."""
    from wallet import reports
    from wallet.exports import Period, export
    from wallet.models import Kind, Transfer

    period = Period(first=FIRST, last=FIRST + timedelta(days=days))
    due: dict[tuple[date, str], int] = {}
    rows: Counter[date] = Counter()
    every = Transfer.objects.select_related("posting", "debit", "credit").filter(debit__currency="FUN")
    for each in every.order_by("pk").iterator():
        day = each.posting.created_at.astimezone(reports.zone()).date()
        rows[day] += 1
        reason, to_fees = each.posting.reason, each.credit.kind == Kind.FEES
        for name, counts in _counted(reason, to_fees).items():
            due[day, name] = due.get((day, name), 0) + (each.amount if counts else 0)
    wrong = []
    for day, totals in reports.by_day(period, "FUN").items():
        if totals.transfers != rows[day]:
            wrong.append(f"{day}: {totals.transfers} transfers, {rows[day]} in the ledger")
        wrong += [
            f"{day}: {name} {getattr(totals, name)}, {due.get((day, name), 0)} in the ledger"
            for name in ("fees", "entries", "prizes", "refunds")
            if getattr(totals, name) != due.get((day, name), 0)
        ]
    with export(period=period, currency="FUN", format="csv", by=None, via="month") as (path, record):
        with path.open(newline="") as lines:
            told = [line for line in csv.reader(lines) if len(line) > 12 and line[0][:2] == "20"]
        if (record.rows, len(told)) != (sum(rows.values()), sum(rows.values())):
            wrong.append(f"the export has {len(told)} rows, the ledger {sum(rows.values())}")
    return wrong


def _counted(reason: str, to_fees: bool) -> dict[str, Any]:
    """Which figures a transfer counts for, told apart from the reports' own conditions."""
    return {
        "fees": to_fees,
        "entries": reason in ("entry", "rejoin"),
        "prizes": reason == "prize" and not to_fees,
        "refunds": reason == "refund",
    }
