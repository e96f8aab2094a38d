"""The amounts that the settings give away, with the moment from which each was in force.

A witness is written whenever what is in force is another than the last that was written, before the first grant by it.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max

from wallet.models import Posting
from wallet.witness import statements
from wallet.witness.models import Witness

KIND = "amounts"
#: So long processes with other settings may still be at work beside each other.
OVERLAP = timedelta(minutes=5)
SETTINGS = ("SIGN_UP_CHIPS", "REFILL_LEVEL", "ADJUSTMENT_LIMIT")


def ensure_recorded() -> None:
    """Write down the amounts in force, if the last that were written down are others. Before whatever is granted."""
    now: dict[str, Any] = {name: getattr(settings, name) for name in SETTINGS}
    known = statements.latest_statement(KIND)
    if {name: known.get(name) for name in SETTINGS} != now:
        posting = Posting.objects.aggregate(latest=Max("pk"))["latest"] or 0
        statements.state(KIND, {**now, "posting": posting})


class AmountsInForce:
    """All that were ever in force, read once: what may have been granted by a posting."""

    def __init__(self) -> None:
        self._told: list[tuple[int, datetime, dict[str, Any]]] = [
            (witness.content["posting"], witness.at, witness.content)
            for witness in Witness.objects.filter(kind=KIND).order_by("pk")
        ]

    def possible(self, posting: int, made_at: datetime, name: str) -> set[int] | None:
        """Return the values that the setting may have had for the posting; None where that was before any is known.

        One value, except where it was just changed: then also those that other processes may have had still.
        """
        before = [(at, content[name]) for after, at, content in self._told if after < posting]
        if not before:
            return None
        # What was in force until the last five minutes, and what has come since.
        until = [value for at, value in before if at < made_at - OVERLAP]
        return {*until[-1:], *(value for at, value in before if at >= made_at - OVERLAP)}
