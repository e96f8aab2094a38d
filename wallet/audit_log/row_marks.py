"""Rows that no longer change: a mark of each is stated in the trail, and audits compare the rows with their marks.

This covers what nothing else confirms: times, names of reasons, notes, sign-ins. An app registers its rows when it is
ready. What a row says for good is marked as it is written; what it says once it is over, by the next clean night, and
is not protected before that.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from django.apps import apps
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.db.models.signals import post_save

from wallet.audit_log.services import latest_statement, state_facts, statements_of
from wallet.base.errors import WalletError
from wallet.base.queries import in_list

log = logging.getLogger(__name__)

#: What the statements of marks are called in the trail.
MARKED = "rows.seal"
#: The most marks in one statement.
MOST = 1_000
#: Hexadecimal digits of a mark: too many for anybody to find another row with the same mark.
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class FinishedRows:
    """The `columns` of the rows of `model`, app.Model, that are `over`; `part` names them where a model has several.

    Without `over` all rows are over, and marked, once they are written; `from_the_first` says that rows older than the
    first one marked have no mark, as they are from before there were any. `rare` says that hardly any row is ever over.
    """

    model: str
    columns: tuple[str, ...]
    over: Q = field(default_factory=Q)
    part: str = ""
    rare: bool = False
    from_the_first: bool = False

    @property
    def name(self) -> str:
        """Return the name of the statements about these rows."""
        return f"{self.model} {self.part}".rstrip()

    @property
    def row_name(self) -> str:
        """Return how findings call such a row."""
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
    """Register rows for marking and for the audit. Call it when the app is ready."""
    for kind in rows:
        REGISTERED[kind.name] = kind
        if kind.is_append_only:
            post_save.connect(_mark_when_written, sender=kind.model, dispatch_uid=_mark_when_written)


def _mark_when_written(instance: Model, created: bool, **_: Any) -> None:
    """Mark the row, in the transaction that writes it."""
    for kind in REGISTERED.values() if created else ():
        if kind.is_append_only and kind.model == instance._meta.label:
            _state(kind, dict(_marks(kind.rows.filter(pk=instance.pk), kind.columns)))


def _state(kind: FinishedRows, marks: Mapping[str, str], **more: Any) -> None:
    state_facts(MARKED, kind.name, {"columns": list(kind.columns), "marks": marks, **more})


def mark_rows(horizon: "Callable[[type[Model]], int]") -> int:
    """Mark the rows that are over by now and not marked yet; return how many.

    Call it when an audit has found all in order; play goes on. `horizon` returns the id up to which a list is complete.
    A list that a transaction is writing to, and does not finish, is left for the next night.
    """
    marked = 0
    for kind in REGISTERED.values():
        if kind.is_append_only:
            continue
        try:
            until = 0 if kind.rare else horizon(apps.get_model(kind.model))
        except WalletError:
            log.warning("%s are not marked: somebody is still writing there", kind.name)
            continue
        with transaction.atomic():
            marked += _mark_over(kind, until)
    return marked


def _mark_over(kind: FinishedRows, until: int) -> int:
    latest = latest_statement(kind.name)
    up_to, waiting = latest.get("up_to", 0), latest.get("waiting", [])
    unmarked = kind.rows if kind.rare else kind.rows.filter(Q(pk__in=waiting) | Q(pk__gt=up_to), pk__lte=until)
    marked = _marked(kind) if kind.rare else set()
    marks = {pk: mark for pk, mark in _marks(unmarked.filter(kind.over), kind.columns) if pk not in marked}
    # A row that is over a moment later waits for the next night.
    unfinished = [] if kind.rare else [pk for pk in unmarked.values_list("pk", flat=True) if str(pk) not in marks]
    rest = iter(marks.items())
    while piece := dict(islice(rest, MOST)):
        _state(kind, piece, up_to=until, waiting=unfinished)
    if not marks and not kind.rare and (until, unfinished) != (up_to, waiting):
        _state(kind, {}, up_to=until, waiting=unfinished)
    return len(marks)


def _marked(kind: FinishedRows) -> set[str]:
    """Return the ids of the rows that are marked already."""
    contents = statements_of(kind.name).values_list("after", flat=True)
    return {pk for content in contents.iterator(chunk_size=20) if content for pk in content["marks"]}


class AlteredRow(NamedTuple):
    """A row that is not as it was marked: its mark then, empty if it was never marked, and now, empty if it is gone."""

    name: str
    due: str
    marked_on: str
    found: str


def altered_rows() -> Iterator[AlteredRow]:
    """Yield each row that differs from its mark."""
    for kind in REGISTERED.values():
        found, key_of = 0, kind.rows.model._meta.pk.to_python
        for columns, marks in _marks_so_far(kind):
            present = dict(_marks(kind.rows.filter(in_list("pk", [*map(key_of, marks)])), columns))
            found += len(present)
            for pk, (mark, at) in marks.items():
                if present.get(pk) != mark:
                    yield AlteredRow(f"{kind.row_name} {pk}", mark, f"{at:%Y-%m-%d}", present.get(pk, ""))
        if kind.is_append_only and kind.rows.count() > found:
            known = _marked(kind)
            first = min(map(key_of, known), default=None)
            for pk, mark in _marks(kind.rows, kind.columns):
                is_older = kind.from_the_first and (first is None or key_of(pk) < first)
                if pk not in known and not is_older:
                    yield AlteredRow(f"{kind.row_name} {pk}", "", "", mark)


def _marks_so_far(kind: FinishedRows) -> "Iterator[tuple[tuple[str, ...], dict[str, tuple[str, datetime]]]]":
    """Yield the marks of the kind in pieces, each with the columns that they cover and by id with their date.

    Marks of columns that the model no longer has cannot be checked.
    """
    columns: tuple[str, ...] = ()
    marks: dict[str, tuple[str, datetime]] = {}
    for at, content in statements_of(kind.name).values_list("at", "after").iterator(chunk_size=20):
        covered = tuple((content or {})["columns"])
        if marks and (covered != columns or len(marks) >= MOST):
            yield columns, marks
            marks = {}
        columns = covered
        if _has_columns(kind, columns):
            marks |= {pk: (mark, at) for pk, mark in (content or {})["marks"].items()}
    if marks:
        yield columns, marks


def _has_columns(kind: FinishedRows, columns: Iterable[str]) -> bool:
    present = {field.attname for field in apps.get_model(kind.model)._meta.concrete_fields}
    return present >= set(columns)


def _marks(rows: "QuerySet[Any]", columns: Iterable[str]) -> Iterator[tuple[str, str]]:
    for pk, *values in rows.values_list("pk", *columns).iterator(chunk_size=MOST):
        content = json.dumps([pk, *values], default=str, sort_keys=True, separators=(",", ":"))
        yield str(pk), hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]


register_rows(
    FinishedRows("keys.Key", ("recorded_at", "activated_at"), Q(activated_at__isnull=False), rare=True),
    FinishedRows(
        "wallet.Adjustment",
        ("request_id", "player_id", "currency", "amount", "reason", "asked_by_id", "asked_at"),
        part="as asked for",
    ),
    FinishedRows(
        "wallet.Adjustment",
        ("status", "decided_by_id", "decided_at", "decision_reason", "posting_key"),
        ~Q(status="asked"),
        part="as decided",
    ),
    FinishedRows(
        "wallet.Freeze",
        ("since", "reason", "run_id", "note", "asked_by_id", "asked_at", "lifted_by_id", "lifted_at"),
        Q(lifted_at__isnull=False),
    ),
    FinishedRows(
        "wallet.ExportRecord",
        ("at", "by_id", "via", "first_day", "last_day", "currency", "format", "rows", "as_of", "digest"),
    ),
    FinishedRows("responsible_gaming.SettingsChange", ("user_id", "by_id", "at", "text")),
    FinishedRows(
        "wallet.Acknowledgement",
        ("digest", "check_name", "subject", "message", "reason", "asked_by_id", "asked_at"),
        part="as asked for",
    ),
    FinishedRows(
        "wallet.Acknowledgement",
        ("status", "decided_by_id", "decided_at", "decision_reason"),
        ~Q(status="asked"),
        part="as decided",
    ),
)
