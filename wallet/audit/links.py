"""What the trail knows of heads and audits, and what the ledger knows of the trail: none of them goes unseen.

Each head and each audit is an act in the trail, whose entries nobody can make up without the key; each posting is
sealed behind the latest of them, so that no end can be cut off the trail either.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import models
from django.db.models import Count, Exists, Min, OuterRef
from django.utils import timezone

from wallet.audit.books import Differences, Finding
from wallet.audit_log import ends, state
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, record
from wallet.ledger import keyed_links
from wallet.models import AuditRun, DayHead, Posting, Transfer
from wallet.responsible_gaming.models import Exclusion, Limit
from wallet.responsible_gaming.services import EXCLUDED, SET_LIMIT

#: How the acts are called by which heads and audits come into the trail.
SIGNED, AUDITED = "day.sign", "audit.run"
#: What is held against the acts that tell of it, and the check that names it.
_LINKED: tuple[tuple[type[models.Model], str, str], ...] = (
    (DayHead, SIGNED, "day"),
    (AuditRun, AUDITED, "audit run"),
    (Limit, SET_LIMIT, "limit"),
    (Exclusion, EXCLUDED, "exclusion"),
)
_NAMES: dict[type[models.Model], str] = {AuditRun: "audit"}
#: Where such an entry says how far the trail went.
REACH = "trail"


def link(what: str, row: models.Model) -> None:
    """Write the head or the audit into the trail, and how far that went. In the transaction that makes the row."""
    record(PLATFORM, what, row, after={**state.stated(row), REACH: ends.reach(timezone.now())})


def linked_rows() -> Differences:
    """Find heads, audits, limits and exclusions that are not in the trail, or otherwise; and those only in the trail.

    Not while software of before, which writes no such acts, may still run.
    """
    if upgraded_lately():
        return
    for model, what, check in _LINKED:
        told = state.told(model._meta.label_lower, [what])
        for row in model._default_manager.order_by("pk").iterator():
            subject = _subject(model, row.pk, row)
            said = told.pop(str(row.pk), None)
            if said is None:
                yield Finding(check, subject, "is not in the trail: it was put there past the platform")
            elif other := differing(said, row):
                yield Finding(check, subject, f"differs from the trail: {', '.join(other)}")
        for pk, said in told.items():
            yield Finding(check, _subject(model, pk, said.get("day")), "is in the trail and is not there any more")


def upgraded_lately() -> bool:
    """Return whether software of before an upgrade may still run, or what it did is not told of yet."""
    point = keyed_links.keyed_from()
    return point is not None and point.is_recent


def differing(said: dict[str, Any], row: models.Model) -> list[str]:
    """Return the columns of the row that are not as the trail says."""
    now = state.stated(row)
    return [name for name in now if name in said and said[name] != now[name]]


def _subject(model: type[models.Model], pk: Any, row: Any) -> str:
    return f"{row}" if model is DayHead else f"{_NAMES.get(model) or model._meta.model_name} {pk}"


def _rows(model: type[models.Model]) -> state.Told:
    return {str(row.pk): state.stated(row) for row in model._default_manager.order_by("pk").iterator()}


for _model, *_ in _LINKED:
    state.let_be_known(_model._meta.label_lower, partial(_rows, _model))


def trail_ends() -> Differences:
    """Find heads and audits at which the trail was another up to where it went then."""
    told = AuditEntry.objects.filter(what__in=[SIGNED, AUDITED]).order_by("pk")
    rows = told.values_list("pk", "after")
    said = {pk: ends.TrailReach(*after[REACH]) for pk, after in rows if after and REACH in after}
    found = ends.reaches({each.last for each in said.values()})
    for pk, reach in said.items():
        if found[reach.last] != reach:
            message = f"knows {reach.entries} entries up to {reach.last}; its {found[reach.last].entries} are others"
            yield Finding("trail", f"entry {pk}", message)


def entries_of_postings() -> Differences:
    """Find entries of the trail behind which something was posted, and that are not there any more."""
    there = AuditEntry.objects.filter(pk=OuterRef("trail_entry"))
    lost = Posting.objects.filter(~Exists(there), trail_entry__isnull=False).order_by()
    for pk, count, first in lost.values_list("trail_entry").annotate(Count("pk"), Min("pk")):
        message = f"is not there any more; {count} postings from {first} on were made after it"
        yield Finding("trail", f"entry {pk}", message)


def plain_links() -> Differences:
    """Find whether what is linked without a key is as it was when links were keyed."""
    point = keyed_links.keyed_from()
    if point is None:
        return
    seals = Transfer.objects.filter(pk__lte=point.last).order_by("pk").values_list("pk", "seal")
    if keyed_links.digest_of(seals.iterator(chunk_size=5000)) != point.digest:
        yield Finding("seal", f"transfers up to {point.last}", "are not those that were there when links were keyed")


ALL: tuple[Callable[[], Differences], ...] = (linked_rows, trail_ends, entries_of_postings, plain_links)
