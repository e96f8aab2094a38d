"""The amounts that the settings grant and allow, with the moment from which each was in force.

When they differ from the last statement of them in the trail, a new one is made before the first grant or adjustment.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max

from wallet.audit_log.services import latest_statement, state_facts, statements_of
from wallet.models import Posting

#: The name of the statements of amounts.
AMOUNTS = "amounts"
#: How long processes with former and new settings may run side by side.
OVERLAP = timedelta(minutes=5)
SETTINGS = ("SIGN_UP_CHIPS", "REFILL_LEVEL", "ADJUSTMENT_LIMIT", "ADJUSTMENT_DAY_LIMIT")


def ensure_recorded() -> None:
    """Record the amounts in force, if they differ from the last that were recorded.

    Call it before every grant, and before an adjustment by one person.
    """
    present: dict[str, Any] = {name: getattr(settings, name) for name in SETTINGS}
    recorded = latest_statement(AMOUNTS)
    if {name: recorded.get(name) for name in SETTINGS} != present:
        posting = Posting.objects.aggregate(latest=Max("pk"))["latest"] or 0
        state_facts("amounts.state", AMOUNTS, {**present, "posting": posting})


class AmountsInForce:
    """All amounts that were ever in force, read once, for checking postings."""

    def __init__(self) -> None:
        self._recorded: list[tuple[int, datetime, dict[str, Any]]] = [
            (entry.after["posting"], entry.at, entry.after) for entry in statements_of(AMOUNTS) if entry.after
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
