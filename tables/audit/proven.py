"""Tables whose logs an audit does not replay, since one has before and nothing of them has changed.

Tables go by groups of ids. A complete audit states a digest of each group in the trail: of every row of its tables that
closed two days ago or longer, whose logs are packed by then, and of all that they have posted. The next complete audit
replays a group only where its digest has changed, or where its turn has come: a tenth of the groups each time. The
other nights rest on the digests of the ledger instead (`wallet.ledger.prefix`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import orjson
from django.db.models import Max, Model, Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from tables.models import Deal, DealSeat, LoggedEvent, Match, Pack, Seating, Table
from wallet.audit_log.services import latest_statement
from wallet.base.findings import state_when_clean
from wallet.ledger.prefix import current_prefix, replays_all
from wallet.ledger.selectors import count_of_play_at, rows_at, tables_after

#: The name of the statements.
LOGS = "logs"
#: Ids in a group: some seconds of replay.
GROUP = 20
#: A group is replayed by every tenth complete audit at the latest.
TURNS = 10
#: Logs are packed half a day after their end.
_PACKED_AFTER = timedelta(days=2)
_CLOSED = Q(status=Table.Status.CLOSED, void_at=None, log_pruned_at=None)
#: What belongs to a table, and its way there. Names are replaced once their player closes the account.
_ROWS: tuple[tuple[type[Model], str], ...] = (
    (Table, "pk"),
    (Seating, "table"),
    (Match, "table"),
    (DealSeat, "deal__match__table"),
    (Deal, "match__table"),
    (LoggedEvent, "table"),
    (Pack, "table"),
)
_NAMES = {Seating: "name", Deal: "result"}


@dataclass(frozen=True, slots=True)
class Group:
    """The tables with `first <= id < first + GROUP`; `digest` is stated of those that closed before `stated_before`.

    Those that closed before `closed_before` can be stated now.
    """

    first: int
    closed_before: datetime
    digest: str = ""
    stated_before: datetime | None = None

    @property
    def tables(self) -> Q:
        return Q(pk__gte=self.first, pk__lt=self.first + GROUP)


@dataclass(frozen=True, slots=True)
class ProvenTables:
    """The tables of a group that need no replay, as a condition, and how many postings they have made."""

    tables: Q
    postings: int = 0


def groups() -> list[Group]:
    """Return all groups, with the digests to compare them with, but for those whose turn it is."""
    stated, turn = _stated()
    last = Table.objects.aggregate(last=Max("pk"))["last"] or 0
    until = timezone.now() - _PACKED_AFTER
    every = [Group(first, until) for first in range(0, last + 1, GROUP)]
    if not stated or replays_all():
        return every
    before = parse_datetime(stated["closed_before"])
    digests = {int(first): digest for first, digest in stated["digests"].items()}
    return [
        replace(group, digest=digests.get(group.first, ""), stated_before=before)
        if group.first // GROUP % TURNS != turn % TURNS
        else group
        for group in every
    ]


def proven_tables(group: Group, digests: dict[int, tuple[datetime, str]]) -> ProvenTables:
    """Return the tables of the group that need no replay; `digests` are those of its tables now."""
    prefix = current_prefix()
    if prefix is not None:
        tables = (
            _CLOSED & Q(closed_at__lt=prefix.audited_at) & ~Q(pk__in=tables_after(prefix.posting, group.first, GROUP))
        )
    elif group.stated_before and group.digest and joined(digests, group.stated_before) == group.digest:
        tables = Q(pk__in=[pk for pk, (closed_at, _) in digests.items() if closed_at < group.stated_before])
    else:
        return ProvenTables(Q(pk__in=[]))
    return ProvenTables(tables, count_of_play_at(Table.objects.filter(group.tables & tables).values("pk")))


def digests_of(group: Group) -> dict[int, tuple[datetime, str]]:
    """Return by id when each of the tables of the group that can be stated closed, and its digest; none at night."""
    if current_prefix() is not None:
        return {}
    closed = Table.objects.filter(group.tables & _CLOSED, closed_at__lt=group.closed_before)
    moments = {pk: moment for pk, moment in closed.values_list("pk", "closed_at") if moment is not None}
    digests = {pk: sha256() for pk in moments}
    for table, row in _rows(list(moments)):
        digests[table].update(orjson.dumps(row, default=lambda value: bytes(value).hex()))
    return {pk: (moment, digests[pk].hexdigest()) for pk, moment in moments.items()}


def joined(digests: dict[int, tuple[datetime, str]], before: datetime) -> str:
    """Return one digest of the tables that closed before that moment."""
    lines = [f"{pk} {digest}\n" for pk, (closed_at, digest) in sorted(digests.items()) if closed_at < before]
    return sha256("".join(lines).encode()).hexdigest()[:32] if lines else ""


def state(digests: dict[int, str], closed_before: datetime) -> None:
    """Have these digests stated, by the first id of each group, where this audit ends clean."""
    _, turn = _stated()
    content = {"turn": turn, "group": GROUP, "closed_before": closed_before.isoformat()}
    state_when_clean(LOGS, {**content, "digests": {f"{first}": digest for first, digest in digests.items() if digest}})


def _stated() -> tuple[dict[str, Any], int]:
    """Return the latest statement, empty where it is of other groups, and the turn that comes after it."""
    stated = latest_statement(LOGS)
    return (stated, stated["turn"] + 1) if stated.get("group") == GROUP else ({}, 0)


def _rows(tables: Sequence[int]) -> Iterator[tuple[int, list[Any]]]:
    """Yield every row of these tables with its table, in one order; of names only whether they are the seating's."""
    names = dict(Seating.objects.filter(table__in=tables).values_list("pk", "name"))
    seated: dict[tuple[int, int], str] = {}
    for model, way in _ROWS:
        columns = [field.attname for field in model._meta.concrete_fields if field.name != _NAMES.get(model)]
        if model is Deal:
            columns.append("result")
        rows = model._default_manager.filter(**{f"{way}__in": tables}).order_by("pk")
        for table, *row in rows.values_list(way, *columns).iterator(chunk_size=1_000):
            if model is DealSeat:
                named = dict(zip(columns, row, strict=True))
                seated[named["deal_id"], named["seat"]] = names.get(named["seating_id"], "")
            if model is Deal and row[-1]:
                row[-1] = [{**line, "name": line.get("name") == seated.get((row[0], line["seat"]))} for line in row[-1]]
            yield table, [model._meta.model_name, *row]
    yield from ((table, list(row)) for table, *row in rows_at(tables))
