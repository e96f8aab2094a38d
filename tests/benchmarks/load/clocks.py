"""How late clocks end at tables whose players are all away, so that only workers look after them."""

import json
import time
from typing import Any

from tests.benchmarks.load.processes import Embedded, Production, by_kind, processor_seconds

#: Lengths of a turn and of its extra time in ms, as in most books.
TURN, EXTRA = 30_000, 30_000
#: After so many ms a clock that still runs was missed.
_MISSED = 5_000
#: Reads for each clock since `began` how late it ended, in ms; how many ended twice, and how many were missed.
_READ = """
import json
from tables.models import LoggedEvent
from tables.play import clocks, store
from tests.support.tables import read_event
ends = ("cards_dealt", "extra_time_began", "player_dropped")
deadlines, late, doubled = {{}}, [], 0
for row in LoggedEvent.objects.order_by("table_id", "version", "number").iterator():
    event = read_event(row)
    if row.kind in ends:
        deadline = deadlines.pop(row.table_id, None)
        doubled += deadline is None
        if deadline is not None and deadline >= {began}:
            late.append(row.at_ms - deadline)
    if getattr(event, "clock", None) is not None:
        deadlines[row.table_id] = event.clock.deadline
print(json.dumps([late, doubled, len(clocks.overdue_tables(store.now_ms() - {missed}))]))
"""


def away(installation: Production | Embedded, seconds: float) -> tuple[list[int], dict[str, Any]]:
    """Return how late, in ms, each clock ended within so many seconds; and counts of faults, and cores."""
    kinds = by_kind(installation)
    began, used = time.time(), processor_seconds(kinds)
    time.sleep(seconds)
    lasted, now = time.time() - began, processor_seconds(kinds)
    read = installation.run_code(_READ.format(began=int(began * 1000), missed=_MISSED))
    late, doubled, missed = json.loads(read.splitlines()[-1])
    return late, {
        "clocks": len(late),
        "early": sum(each < 0 for each in late),
        "doubled": doubled,
        "missed": missed,
        "cores": {kind: round((now[kind] - used[kind]) / lasted, 3) for kind in kinds},
    }
