"""Checker of what clients were told against the database: no answered move may be lost, and no match stays open."""

import time
from typing import Any

import psycopg

from tests.support.cluster import Cluster
from tests.system.live.bots import Record

#: Open matches, except those only prepared at a table where nobody waits.
OPEN = """
SELECT title, phase, m.table_id, (SELECT count(*) FROM tables_seating s WHERE s.table_id = t.id AND left_at IS NULL)
FROM tables_match m JOIN tables_table t ON t.id = m.table_id
WHERE m.status = 'open' AND phase NOT IN ('waiting', 'starting')
"""
FROZEN = "SELECT title, fault FROM tables_table WHERE status = 'frozen'"


def check_books(running: Cluster, record: Record, faults: list[str]) -> dict[str, Any]:
    """Append the faults in books, answers and events to `faults`, and return the figures."""
    audit = running.manage("audit_ledger", "--json")
    if audit.returncode:
        faults.append(f"the books are wrong: {audit.stdout[-500:]}{audit.stderr[-500:]}")
    with running.connect() as database:
        _wait_for_the_sweep(database)
        answers = dict(database.execute("SELECT request_id, answer FROM tables_answer").fetchall())
        events = set(database.execute("SELECT DISTINCT table_id, version FROM tables_event").fetchall())
        still_open, frozen = database.execute(OPEN).fetchall(), database.execute(FROZEN).fetchall()
    acked = record.acked
    lost = [request for request in acked if request not in answers]
    changed = [
        request
        for request, (_, ack) in acked.items()
        if request in answers and {**answers[request], "id": request} != ack
    ]
    unwritten = [request for request, (table, ack) in acked.items() if (table, ack["version"]) not in events]
    for what, requests in (("lost", lost), ("answered otherwise", changed), ("in no event", unwritten)):
        if requests:
            faults.append(f"{len(requests)} answered moves are {what}: {requests[:3]}")
    faults += [f"{answers[request]} was {acked[request]}" for request in changed[:3]]
    faults += [f"{title} is frozen: {fault[-300:]}" for title, fault in frozen]
    if still_open:
        faults.append(f"{len(still_open)} matches are still open: {still_open[:4]}")
    return {"acked_moves": len(acked), "lost": len(lost), "frozen": len(frozen)}


def _wait_for_the_sweep(database: psycopg.Connection) -> None:
    """Wait until the restarted workers have ended the matches that were left while they were down."""
    give_up = time.monotonic() + 60
    while database.execute(OPEN).fetchall() and time.monotonic() < give_up:
        time.sleep(0.5)
