"""Tables whose logs a night does not read again: see `wallet.audit.prefix`."""

from dataclasses import dataclass

from django.db.models import Q

from tables.models import Table
from wallet.ledger.selectors import count_of_play_at, tables_after
from wallet.witness.pieces import Prefix


@dataclass(frozen=True, slots=True)
class GrantedTables:
    """Which they are, as a condition on tables, and how many postings they have made."""

    tables: Q
    postings: int


def tables_taken_for_granted(prefix: Prefix | None) -> GrantedTables:
    """Return the tables closed before the last whole audit began, all of whose postings are as that found them.

    None of them in a whole audit. What of their rows is sealed is looked at all the same.
    """
    if prefix is None:
        return GrantedTables(Q(pk__in=[]), 0)
    closed = Q(status=Table.Status.CLOSED, closed_at__lt=prefix.audited_at, void_at=None, log_pruned_at=None)
    tables = closed & ~Q(pk__in=tables_after(prefix.posting))
    return GrantedTables(tables, count_of_play_at(Table.objects.filter(tables).values("pk")))
