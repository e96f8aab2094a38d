"""What must be true of a table and of the books whatever has happened to them."""

from itertools import groupby
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Max, Sum

from rules import game
from rules.game import codec
from tables.models import LoggedEvent, Match, Seating, Table
from tables.play import store
from tables.play.store import LockedTable
from wallet.audit.audit import audit
from wallet.ledger.selectors import pot
from wallet.models import Account, AccountKind, Posting, Transfer


class Wrong(Exception):
    """Something is not as it must be."""


def footprint(table: int) -> tuple[Any, ...]:
    """Return what a refused, struck or repeated call must not change."""
    row = Table.objects.filter(pk=table).values_list("version", "phase", "deadline_ms", "computer_due_ms").get()
    return (
        *row,
        LoggedEvent.objects.filter(table=table).count(),
        Seating.objects.filter(table=table).aggregate(Count("pk"), Count("left_at"), Count("freed_at")),
        Transfer.objects.aggregate(Max("pk")),
    )


def after_a_match(held: LockedTable, *, alone: bool = True) -> None:
    """Check that no unit of money was lost or made, that the log rebuilds the state, and that every card is in one
    place.

    Unless the table is `alone` on the database, check it alone: the books are then audited at night.
    """
    if alone:
        report = audit()
        if report.differences:
            raise Wrong(f"the audit finds {report.differences[:3]}")
        _check_units()
    _check_log(held)
    game.check_invariants(held.state)
    _check_matches(held)


def when_all_have_left(held: LockedTable, *, alone: bool = True) -> None:
    """Check the same, and that nothing lies at the table and everybody may sit down anywhere."""
    after_a_match(held, alone=alone)
    if Seating.objects.filter(table=held.row, left_at=None).exists():
        raise Wrong("somebody cannot leave")
    names = [f"seating:{pk}" for pk in Seating.objects.filter(table=held.row).values_list("pk", flat=True)]
    names += [f"match:{pk}" for pk in Match.objects.filter(table=held.row).values_list("pk", flat=True)]
    at_tables = Account.objects.filter(kind__in=(AccountKind.STACK, AccountKind.POT)).exclude(balance=0)
    left = at_tables if alone else at_tables.filter(reference__in=names)
    if left:
        raise Wrong(f"{left[0]} still holds {left[0].balance}")


def _check_units() -> None:
    """Check that players, tables, pots and the house together hold what was granted at sign-up."""
    held = Account.objects.exclude(kind=AccountKind.ISSUANCE).aggregate(Sum("balance"))["balance__sum"]
    given = 10_000 * get_user_model().objects.count()
    if held != given:
        raise Wrong(f"{held} units are held, {given} were given")
    keys = Posting.objects.values_list("key", flat=True)
    if len(keys) != len(set(keys)):
        raise Wrong("a key was used twice")


def _check_log(held: LockedTable) -> None:
    rows = LoggedEvent.objects.filter(table=held.row).order_by("version", "number")
    steps = [[store.read_event(row) for row in group] for _, group in groupby(rows, key=lambda row: row.version)]
    rebuilt = game.rebuild(held.state.terms, steps)
    if codec.canonical(codec.dump_state(rebuilt)) != codec.canonical(codec.dump_state(held.state)):
        raise Wrong("the events do not give the stored state")


def _check_matches(held: LockedTable) -> None:
    """Check that only the present match is open, and that each paid entry was settled or refunded once."""
    for match in Match.objects.filter(table=held.row):
        at_hand = held.row.deal is not None and held.row.deal.match_id == match.pk
        if match.status == Match.Status.OPEN and not (at_hand and held.row.status != Table.Status.CLOSED):
            raise Wrong(f"{match} is still open")
        ends = Posting.objects.filter(key__in=[f"match:{match.pk}:prize", f"match:{match.pk}:refund"]).count()
        paid = Posting.objects.filter(key=f"match:{match.pk}:entries").count()
        if match.status != Match.Status.OPEN and (ends != paid or pot(match.pk)):
            raise Wrong(f"{match} was settled {ends} times, its pot holds {pot(match.pk)}")
