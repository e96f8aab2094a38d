"""Where seatings and matches were played, for the reports of finance."""

from collections.abc import Collection, Iterator

from tables.models import Match, Seating, Table
from wallet.finance.reports import PlayedAt, register_places, register_references

#: How many references are asked for at once: databases bound the parameters of a query.
BATCH = 500


@register_places
def tables_of(references: Collection[str]) -> dict[str, PlayedAt]:
    """The table of each `seating:ID` and `match:ID` that there is."""
    found: dict[str, PlayedAt] = {}
    for name, model in (("seating", Seating), ("match", Match)):
        ids = [int(number) for kind, _, number in (each.partition(":") for each in references) if kind == name]
        for start in range(0, len(ids), BATCH):
            rows = model._default_manager.filter(pk__in=ids[start : start + BATCH]).values_list("pk", "table_id")
            tables = Table.objects.defer("snapshot").in_bulk({table for _, table in rows})
            found |= {f"{name}:{pk}": _place(tables[table]) for pk, table in rows}
    return found


def _place(table: Table) -> PlayedAt:
    stake = f"stake {table.stake_id}" if table.stake_id else ""
    return PlayedAt(table=table.pk, title=table.title, book=table.book, stake=stake)


@register_references
def played_at(place: str) -> Iterator[str]:
    """The references of every seating and match at `table:ID`, at the tables of `stake:ID`, or of `book:KEY`."""
    kind, _, key = place.partition(":")
    if kind == "stake":
        tables = Table.objects.filter(stake_id=int(key)) if int(key) else Table.objects.filter(stake_id=None)
    else:
        tables = Table.objects.filter(**{{"table": "pk", "book": "book"}[kind]: key})
    for name, model in (("seating", Seating), ("match", Match)):
        for pk in model._default_manager.filter(table__in=tables.values("pk")).values_list("pk", flat=True).iterator():
            yield f"{name}:{pk}"
