"""The check of requests that take two people: each row against its acts in the trail."""

from wallet.audit.books import CLOCK_TOLERANCE
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import has_right_hash
from wallet.audit_log.state import row_mark
from wallet.backoffice.requests import are_dependent
from wallet.base.findings import ALTERED, MISSING, Differences, Finding
from wallet.base.requests import TwoPersonRequest

Status = TwoPersonRequest.Status
#: What was expected, and what was found.
Pair = tuple[str, str]
_ACTS: dict[str, str] = {Status.GRANTED: "grant", Status.REFUSED: "refuse"}


def requests() -> Differences:
    """Find requests that differ from the trail, or were decided by one person, and those of which only it knows."""
    for kind in TwoPersonRequest.__subclasses__():
        existing = set()
        for row in kind._default_manager.order_by("pk").iterator():
            existing.add(str(row.pk))
            for due, held in request_faults(row):
                yield Finding(row.NAME, f"{row.NAME} {row.pk}", ALTERED, due, f"{held} in {row_mark(row)}")
        asked = AuditEntry.objects.filter(action=f"{kind.NAME}.ask").order_by("pk")
        for pk in asked.values_list("target_id", flat=True):
            if pk not in existing:
                due = "the row that the trail tells to be asked for"
                yield Finding(kind.NAME, f"{kind.NAME} {pk}", MISSING, due, "none")


def request_faults(row: TwoPersonRequest) -> list[Pair]:
    """Return how the request differs from the trail, or breaks the rule of two people; empty where it does not."""
    return sorted([*_of_two_people(row), *_beside_trail(row)])


def _of_two_people(row: TwoPersonRequest) -> list[Pair]:
    wrong: list[Pair] = []
    by, at, people = row.decided_by_id, row.decided_at, f"{row.asked_by_id} and {row.decided_by_id}"
    if by in (row.asked_by_id, getattr(row, "player_id", 0)):
        wrong.append(("a decision by another than who asked, and whose account it is", people))
    if by is not None and at is not None and are_dependent(row.asked_by_id, by, at):
        wrong.append(("two people of whom neither had just given the other their rights", people))
    if (by is None) != (at is None) or (row.status == Status.ASKED and by) or (row.status == Status.REFUSED and not by):
        wrong.append(("who decided, and when", f"{by} at {at} for one that is {row.status}"))
    if at is not None and at < row.asked_at - CLOCK_TOLERANCE:
        wrong.append((f"a decision after {row.asked_at}", f"{at}"))
    return wrong


def _beside_trail(row: TwoPersonRequest) -> list[Pair]:
    ask = f"{row.NAME}.ask"
    expected: dict[str, tuple[int | None, str]] = {ask: (row.asked_by_id, row.reason)}
    alone = row.status == Status.GRANTED and row.decided_by_id is None
    if row.status != Status.ASKED:
        decided = expected[ask] if alone else (row.decided_by_id, row.decision_reason)
        expected[f"{row.NAME}.{_ACTS.get(row.status, row.status)}"] = decided
    entries = AuditEntry.objects.filter(target_type=row._meta.label_lower, target_id=str(row.pk)).order_by("-pk")
    recorded = {entry.action: entry for entry in entries if has_right_hash(entry)}
    wrong = [(f"{act} in the trail", "none") for act in expected.keys() - recorded.keys()]
    wrong += [(f"{act} in the row, as the trail tells", "none") for act in recorded.keys() - expected.keys()]
    for act in expected.keys() & recorded.keys():
        told = (recorded[act].user_id, recorded[act].reason)
        if told != expected[act]:
            due = f"{act} by {told[0]} for {told[1]!r}, as the trail tells"
            wrong.append((due, f"{expected[act][0]} for {expected[act][1]!r}"))
    asked = getattr(recorded.get(ask), "after", None) or {}
    for name in row.FACTS:
        if asked.get(name) != (held := getattr(row, name)):
            wrong.append((f"the {name} {asked.get(name)} of the trail", f"{held}"))
    if alone and asked.get("second_person"):
        wrong.append(("a second person, as the trail asks", "none"))
    return wrong
