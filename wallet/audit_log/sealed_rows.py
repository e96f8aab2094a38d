"""Rows that no longer change: every night a mark of each is stated in the trail, and audits compare rows and marks.

This covers what nothing else confirms: times, names of reasons, notes, sign-ins. An app registers its rows when it is
ready. A row is not protected between the moment at which it is over and the next clean night.
"""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import Model, Q, QuerySet

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import STATEMENT, latest_statement, state_facts, statements_of
from wallet.base.errors import WalletError

log = logging.getLogger(__name__)

#: What the statements of marks are called in the trail.
SEAL = "rows.seal"
#: The most marks in one statement.
MOST = 1_000
#: Hexadecimal digits of a mark: too many for anybody to find another row with the same mark.
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class FinishedRows:
    """The `columns` of the rows of `model`, app.Model, that are `over`; `part` names them where a model has several.

    Without `over` all rows are over once they are written, and one that appears later among older ones was inserted.
    `rare` says that hardly any row is ever over.
    """

    model: str
    columns: tuple[str, ...]
    over: Q = field(default_factory=Q)
    part: str = ""
    rare: bool = False

    @property
    def kind(self) -> str:
        """Return the name of the statements about these rows."""
        return f"{self.model} {self.part}".rstrip()

    @property
    def name(self) -> str:
        return self.model.split(".")[1].lower()

    @property
    def is_append_only(self) -> bool:
        return not self.over

    @property
    def rows(self) -> "QuerySet[Any]":
        rows: QuerySet[Any] = apps.get_model(self.model)._default_manager.order_by("pk")
        return rows


REGISTERED: dict[str, FinishedRows] = {}


def register_rows(*rows: FinishedRows) -> None:
    """Register rows for nightly sealing and for the audit. Call it when the app is ready."""
    REGISTERED.update({kind.kind: kind for kind in rows})


def seal_rows(horizon: "Callable[[type[Model]], int]") -> int:
    """Seal the rows that are over and not sealed yet; return how many. Call it when an audit has found all in order.

    Play goes on. `horizon` returns the id up to which a list is complete. A list that a transaction is writing to, and
    does not finish, is left for the next night.
    """
    sealed = 0
    for kind in REGISTERED.values():
        try:
            until = horizon(apps.get_model(kind.model))
        except WalletError:
            log.warning("%s are not sealed: somebody is still writing there", kind.kind)
            continue
        with transaction.atomic():
            sealed += _seal(kind, until)
    return sealed


def _seal(kind: FinishedRows, until: int) -> int:
    latest = latest_statement(kind.kind)
    up_to, waiting = latest.get("up_to", 0), latest.get("waiting", [])
    unsealed = kind.rows if kind.rare else kind.rows.filter(Q(pk__in=waiting) | Q(pk__gt=up_to), pk__lte=until)
    sealed = _sealed(kind) if kind.rare else set()
    marks = {pk: mark for pk, mark in _marks(unsealed.filter(kind.over), kind.columns) if pk not in sealed}
    # A row that is over a moment later waits for the next night.
    unfinished = [] if kind.rare else [pk for pk in unsealed.values_list("pk", flat=True) if str(pk) not in marks]
    state = {"columns": list(kind.columns), "up_to": until, "waiting": unfinished}
    rest = iter(marks.items())
    while piece := dict(islice(rest, MOST)):
        state_facts(SEAL, kind.kind, {**state, "marks": piece})
    if not marks and not kind.rare and (until, unfinished) != (up_to, waiting):
        state_facts(SEAL, kind.kind, {**state, "marks": {}})
    return len(marks)


def _sealed(kind: FinishedRows) -> set[str]:
    """Return the ids of the rows that are sealed already."""
    contents = statements_of(kind.kind).values_list("after", flat=True)
    return {pk for content in contents.iterator(chunk_size=20) if content for pk in content["marks"]}


def altered_rows() -> Iterator[tuple[str, str]]:
    """Yield each row that differs from its sealed mark, as name and id, and what is wrong with it."""
    sealed: Counter[str] = Counter()
    up_to: dict[str, int] = {}
    seals = AuditEntry.objects.filter(kind=STATEMENT, what=SEAL, object_id__in=REGISTERED).order_by("pk")
    for entry in seals.iterator(chunk_size=20):
        kind, content = REGISTERED[entry.object_id], entry.after or {}
        sealed[kind.kind] += len(content["marks"])
        up_to[kind.kind] = content["up_to"]
        columns = tuple(content["columns"])
        if not content["marks"] or not _has_columns(kind, columns):
            continue
        marks = dict(_marks(kind.rows.filter(pk__in=list(map(int, content["marks"]))), columns))
        for pk, mark in content["marks"].items():
            if marks.get(pk) != mark:
                when = f"was sealed on {entry.at:%Y-%m-%d}"
                yield f"{kind.name} {pk}", f"{when} and {'has changed since' if pk in marks else 'is there no more'}"
    for name, last in up_to.items():
        yield from _inserted_rows(REGISTERED[name], last, sealed[name])


def _inserted_rows(kind: FinishedRows, up_to: int, sealed: int) -> Iterator[tuple[str, str]]:
    """Find whether rows were inserted into an append-only list before its last sealed one, `up_to`."""
    if kind.is_append_only and (count := kind.rows.filter(pk__lte=up_to).count()) > sealed:
        yield f"{kind.name} {up_to}", f"has {count - sealed} before it that were not there when these were sealed"


def _has_columns(kind: FinishedRows, columns: Iterable[str]) -> bool:
    """Return whether the model still has these columns: marks of columns that were renamed cannot be checked."""
    present = {field.attname for field in apps.get_model(kind.model)._meta.concrete_fields}
    return present >= set(columns)


def _marks(rows: "QuerySet[Any]", columns: Iterable[str]) -> Iterator[tuple[str, str]]:
    for pk, *values in rows.values_list("pk", *columns).iterator(chunk_size=MOST):
        content = json.dumps([pk, *values], default=str, sort_keys=True, separators=(",", ":"))
        yield str(pk), hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]


register_rows(
    FinishedRows(
        "wallet.Adjustment",
        ("request", "player_id", "currency", "amount", "reason", "asked_by_id", "asked_at"),
        part="as asked for",
    ),
    FinishedRows(
        "wallet.Adjustment",
        ("status", "decided_by_id", "decided_at", "decision", "key"),
        ~Q(status="asked"),
        part="as decided",
    ),
    FinishedRows(
        "wallet.Freeze", ("since", "reason", "run_id", "lifted_at", "lifted_by_id", "note"), Q(lifted_at__isnull=False)
    ),
    FinishedRows(
        "wallet.ExportRecord",
        ("at", "by_id", "via", "first", "last", "currency", "format", "rows", "as_of", "digest"),
    ),
    FinishedRows("care.Change", ("user_id", "by_id", "at", "what")),
    FinishedRows(
        "wallet.Acknowledgement",
        ("digest", "check_name", "subject", "message", "reason", "asked_by_id", "asked_at"),
        part="as asked for",
    ),
    FinishedRows(
        "wallet.Acknowledgement",
        ("status", "decided_by_id", "decided_at", "decision"),
        ~Q(status="asked"),
        part="as decided",
    ),
)
