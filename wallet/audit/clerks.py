"""Checks of adjustments by one person alone: whether they needed a second person by the rules of their day."""

from collections import deque
from itertools import takewhile
from typing import NamedTuple

from wallet.adjustments.services import DAY
from wallet.audit.books import CLOCK_TOLERANCE, Differences, Finding
from wallet.audit_log.models import AuditEntry
from wallet.base.money import CURRENCIES, display
from wallet.models import Adjustment, Posting, Reason
from wallet.witness.amounts import AmountsInForce

_ALONE = {"status": Adjustment.Status.POSTED, "decided_by": None}


def clerks() -> Differences:
    """Find adjustments that needed a second person, whatever their amount, and had none.

    They change the account of their author, move real money, or take from one player and give to another within a day.
    Checked from the first adjustment on for which the trail says whether it needed a second person; before, other
    rules held.
    """
    asks = AuditEntry.objects.filter(what="adjustment.ask", after__has_key="second_person")
    first = asks.order_by("pk").values_list("object_id", flat=True).first()
    alone = Adjustment.objects.filter(**_ALONE)
    latest: dict[tuple[int, str, bool], list[Adjustment]] = {}
    for asked in alone.filter(pk__gte=int(first)).order_by("asked_at", "pk") if first else ():
        subject = _named(asked)
        if asked.player_id == asked.asked_by_id:
            yield Finding("clerk", subject, "pays the account of who asked for it, without a second person")
        if CURRENCIES[asked.currency].real:
            yield Finding("clerk", subject, "moves real money, without a second person")
        against = latest.get((asked.asked_by_id, asked.currency, asked.amount < 0), [])
        lately = takewhile(lambda other, now=asked.asked_at: now - other.asked_at < DAY, reversed(against))  # type: ignore[misc]
        if other := next((each for each in lately if each.player_id != asked.player_id), None):
            both = f"with adjustment {other.pk} takes from one player and gives to another, without a second person"
            yield Finding("clerk", subject, both)
        latest.setdefault((asked.asked_by_id, asked.currency, asked.amount > 0), []).append(asked)


class _Limit(NamedTuple):
    """A limit above which a second person is needed: its setting, the column that sums are by, and in words."""

    setting: str
    column: str
    words: str


_LIMITS = (
    _Limit("ADJUSTMENT_LIMIT", "player_id", "for one player"),
    _Limit("ADJUSTMENT_DAY_LIMIT", "asked_by_id", "by one person"),
)


def limits_of_clerks() -> Differences:
    """Find adjustments by one person alone above the limits in force, for one player or by one person in a day.

    The day is shortened by the tolerance for clocks. Adjustments from before the limits were recorded are left out.
    """
    in_force = AmountsInForce()
    posted = Posting.objects.filter(reason=Reason.ADJUST).values_list("key", "pk", "created_at")
    postings = {key: (pk, made_at) for key, pk, made_at in posted.iterator(chunk_size=5000)}
    within: dict[tuple[str, int, str], deque[Adjustment]] = {}
    for asked in Adjustment.objects.filter(**_ALONE).order_by("pk").iterator(chunk_size=5000):
        # Other checks find adjustments of real money, and those without their posting.
        for limit in _LIMITS if asked.key in postings and not CURRENCIES[asked.currency].real else ():
            lately = within.setdefault((limit.setting, getattr(asked, limit.column), asked.currency), deque())
            lately.append(asked)
            while asked.asked_at - lately[0].asked_at >= DAY - CLOCK_TOLERANCE:
                lately.popleft()
            due = in_force.possible(*postings[asked.key], limit.setting, asked.currency)
            total = sum(abs(each.amount) for each in lately)
            if due is not None and total > max(due):
                comes_to = f"comes to {display(total, asked.currency)} {limit.words} within a day"
                most = f"{display(max(due), asked.currency)} was the limit"
                yield Finding("clerk", _named(asked), f"{comes_to}, without a second person; {most}")


def _named(asked: Adjustment) -> str:
    return f"adjustment {asked.pk} by {asked.asked_by_id}"
