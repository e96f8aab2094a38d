"""One decision of a finished deal judged in a process of its own, which gives way to all others.

    python -m tables.analysis.work < piece.json > review.json

So neither the sockets nor the timers of the process that asks wait for it, and it can be ended. It knows the rules
only: no database, no settings.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial
from typing import Any, Final

from rules.analysis import DecisionReview, decisions_of, judge_decision
from rules.books import book
from rules.bots import Strength, choose
from rules.game import codec

#: Who plays the samples on, and who advises.
PLAYS_ON: Final = Strength.SHARP
ADVISES: Final = Strength("expert") if "expert" in list(Strength) else Strength.SHARP
#: After so many seconds of the processor no further sample is begun.
MOST_SECONDS: Final = 6.0
#: The lowest priority that there is.
_NICE: Final = 19


def judged(piece: dict[str, Any]) -> DecisionReview:
    """Return the judged decision: `book`, `version`, `events` as the codec wrote them, `seat`, `totals` by seat,
    `number` of the decision, `samples`, and `seed` (hex)."""
    rules = book(piece["book"], piece["version"])
    happened = [codec.load_event(event) for event in piece["events"]]
    totals = {int(seat): total for seat, total in piece["totals"].items()}
    decision = list(decisions_of(rules, happened, piece["seat"], totals))[piece["number"]]
    began = time.process_time()
    return judge_decision(
        decision,
        policy=partial(choose, strength=PLAYS_ON),
        adviser=partial(choose, strength=ADVISES),
        seed=bytes.fromhex(piece["seed"]),
        samples=piece["samples"],
        go_on=lambda: time.process_time() - began < MOST_SECONDS,
    )


if __name__ == "__main__":
    os.nice(_NICE)
    json.dump(judged(json.load(sys.stdin)), sys.stdout)
