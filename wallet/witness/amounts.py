"""The amounts that the settings grant and allow, with the moment from which each was in force.

When they differ from the last witness, a new one is written before the first grant or adjustment by them.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max

from wallet.models import Posting
from wallet.witness import statements
from wallet.witness.models import Witness

KIND = "amounts"
#: How long processes with former and new settings may run side by side.
OVERLAP = timedelta(minutes=5)
SETTINGS = ("SIGN_UP_CHIPS", "REFILL_LEVEL", "ADJUSTMENT_LIMIT", "ADJUSTMENT_DAY_LIMIT")


def ensure_recorded() -> None:
    """Record the amounts in force, if they differ from the last that were recorded.

    Call it before every grant, and before an adjustment by one person.
    """
    present: dict[str, Any] = {name: getattr(settings, name) for name in SETTINGS}
    recorded = statements.latest_statement(KIND)
    if {name: recorded.get(name) for name in SETTINGS} != present:
        posting = Posting.objects.aggregate(latest=Max("pk"))["latest"] or 0
        statements.add_witness(KIND, {**present, "posting": posting})


class AmountsInForce:
    """All amounts that were ever in force, read once, for checking postings."""

    def __init__(self) -> None:
        self._recorded: list[tuple[int, datetime, dict[str, Any]]] = [
            (witness.content["posting"], witness.at, witness.content)
            for witness in Witness.objects.filter(kind=KIND).order_by("pk")
        ]

    def possible(self, posting: int, made_at: datetime, name: str, currency: str = "") -> set[int] | None:
        """Return the values that the setting may have had for the posting; None before the first one recorded.

        With `currency`, its values in a setting by currencies. There is one value, unless the setting had just
        changed: then also those that other processes may still have used.
        """
        values = ((at, content[name]) for after, at, content in self._recorded if after < posting and name in content)
        earlier = [(at, value.get(currency, 0) if currency else value) for at, value in values]
        if not earlier:
            return None
        # The value in force before the overlap, and those recorded since.
        replaced = [value for at, value in earlier if at < made_at - OVERLAP]
        return {*replaced[-1:], *(value for at, value in earlier if at >= made_at - OVERLAP)}
