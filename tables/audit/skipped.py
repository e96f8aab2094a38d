"""Tables whose logs a nightly audit does not read again: see `wallet.ledger.prefix`."""

from dataclasses import dataclass

from django.db.models import Q

from tables.models import Table
from wallet.ledger.prefix import Prefix
from wallet.ledger.selectors import count_of_play_at, tables_after


@dataclass(frozen=True, slots=True)
class SkippedTables:
    """The tables, as a condition on `Table`, and the number of postings that they have made."""

    tables: Q
    postings: int


def skipped_tables(prefix: Prefix | None) -> SkippedTables:
    """Return the tables that closed before the last complete audit began and whose postings all lie within the prefix.

    A complete audit has no prefix and gets no tables. The seals of their rows are checked all the same.
    """
    if prefix is None:
        return SkippedTables(Q(pk__in=[]), 0)
    closed = Q(status=Table.Status.CLOSED, closed_at__lt=prefix.audited_at, void_at=None, log_pruned_at=None)
    tables = closed & ~Q(pk__in=tables_after(prefix.posting))
    return SkippedTables(tables, count_of_play_at(Table.objects.filter(tables).values("pk")))
