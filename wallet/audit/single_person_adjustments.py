"""Checks of adjustments by one person alone: whether they needed a second person by the rules of their day."""

from collections import deque
from itertools import takewhile
from typing import NamedTuple

from wallet.adjustments.services import DAY
from wallet.audit.books import CLOCK_TOLERANCE
from wallet.audit_log.models import AuditEntry
from wallet.base.findings import MISSING, Differences, Finding
from wallet.base.money import display
from wallet.ledger.amounts import AmountsInForce
from wallet.models import Adjustment, Posting, Reason

_ALONE = {"status": Adjustment.Status.GRANTED, "decided_by": None}


def single_person_adjustments() -> Differences:
    """Find adjustments that needed a second person, whatever their amount, and had none.

    They change the account of their author, or take from one player and give to another within a day.
    Checked from the first adjustment on for which the trail says whether it needed a second person; before, other
    rules held.
    """
    asks = AuditEntry.objects.filter(action="adjustment.ask", after__has_key="second_person")
    first = asks.order_by("pk").values_list("target_id", flat=True).first()
    alone = Adjustment.objects.filter(**_ALONE)
    latest: dict[tuple[int, str, bool], list[Adjustment]] = {}
    for adjustment in alone.filter(pk__gte=int(first)).order_by("asked_at", "pk") if first else ():
        subject = _named(adjustment)
        if adjustment.player_id == adjustment.asked_by_id:
            found = f"none for {adjustment.amount} to the account of who asked for it"
            yield Finding("clerk", subject, MISSING, "a second person", found)
        opposite = latest.get((adjustment.asked_by_id, adjustment.currency, adjustment.amount < 0), [])
        recent = takewhile(lambda other, now=adjustment.asked_at: now - other.asked_at < DAY, reversed(opposite))  # type: ignore[misc]
        if other := next((other for other in recent if other.player_id != adjustment.player_id), None):
            found = f"none for taking from one player and giving to another, with adjustment {other.pk}"
            yield Finding("clerk", subject, MISSING, "a second person", found)
        latest.setdefault((adjustment.asked_by_id, adjustment.currency, adjustment.amount > 0), []).append(adjustment)


class _Limit(NamedTuple):
    """A limit above which a second person is needed: its setting, the column that sums are by, and in words."""

    setting: str
    column: str
    words: str


_LIMITS = (
    _Limit("ADJUSTMENT_LIMIT", "player_id", "for one player"),
    _Limit("ADJUSTMENT_DAY_LIMIT", "asked_by_id", "by one person"),
)


def limits_of_one_person() -> Differences:
    """Find adjustments by one person alone above the limits in force, for one player or by one person in a day.

    The day is shortened by the tolerance for clocks. Adjustments from before the limits were recorded are left out.
    """
    in_force = AmountsInForce()
    posted = Posting.objects.filter(reason=Reason.ADJUST).values_list("key", "pk", "created_at")
    postings = {key: (pk, made_at) for key, pk, made_at in posted.iterator(chunk_size=5000)}
    within: dict[tuple[str, int, str], deque[Adjustment]] = {}
    for adjustment in Adjustment.objects.filter(**_ALONE).order_by("pk").iterator(chunk_size=5000):
        # Another check finds adjustments without their posting.
        for limit in _LIMITS if adjustment.posting_key in postings else ():
            recent = within.setdefault((limit.setting, getattr(adjustment, limit.column), adjustment.currency), deque())
            recent.append(adjustment)
            while adjustment.asked_at - recent[0].asked_at >= DAY - CLOCK_TOLERANCE:
                recent.popleft()
            limits = in_force.possible(*postings[adjustment.posting_key], limit.setting, adjustment.currency)
            total = sum(abs(other.amount) for other in recent)
            if limits is not None and total > max(limits):
                reached = f"{display(total, adjustment.currency)} {limit.words} within a day"
                allowed = f"above {display(max(limits), adjustment.currency)}"
                yield Finding("clerk", _named(adjustment), MISSING, f"a second person {allowed}", f"none for {reached}")


def _named(adjustment: Adjustment) -> str:
    return f"adjustment {adjustment.pk} by {adjustment.asked_by_id}"
