"""Checkers of a table and of the books: what must be true whatever has happened to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Max, Sum

from rules import game
from rules.game import codec
from rules.game.state import IN_DEAL, Standing
from tables.models import LoggedEvent, Match, Seating, Table
from tables.play import store
from tables.play.store import LockedTable
from tests.support.tables import read_event
from wallet.audit.audit import audit
from wallet.ledger.selectors import pot
from wallet.models import Account, AccountKind, Posting, Transfer


class Violation(Exception):
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


@contextmanager
def only_players_change_the_deal(table: int, user: int) -> Iterator[None]:
    """Check that the user, unless they still play in the running deal, changes nothing of it within the block.

    A clock that has run out is acted on first, whoever comes: then nothing is checked.
    """
    before = store.read_table(table)
    yield
    clock = before.state.clock
    if before.state.phase not in IN_DEAL or (clock is not None and clock.deadline <= before.now):
        return
    if not _plays(before, user) and _running_deal(before) != _running_deal(store.read_table(table)):
        raise Violation("somebody without cards has changed the running deal")


def _plays(table: LockedTable, user: int) -> bool:
    seats = [seat for seat, seating in table.seatings.items() if seating.user_id == user and seating.left_at is None]
    hands = [table.state.current.hands[seat] for seat in seats]
    return any(hand is not None and hand.standing is Standing.IN for hand in hands)


def _running_deal(table: LockedTable) -> tuple[Any, ...]:
    state = table.state
    return state.phase, state.clock, state.deal, state.match, state.result


def check_after_match(table: LockedTable, *, alone: bool = True) -> None:
    """Check that no unit of money was lost or made, that the log rebuilds the state, and that every card is in one
    place.

    Unless the table is `alone` on the database, check it alone: the books are then audited at night.
    """
    if alone:
        report = audit()
        if report.differences:
            raise Violation(f"the audit finds {report.differences[:3]}")
        _check_units()
    _check_log(table)
    game.check_invariants(table.state)
    _check_matches(table)


def check_empty_table(table: LockedTable, *, alone: bool = True) -> None:
    """Check the same, and that nothing lies at the table and everybody may sit down anywhere."""
    check_after_match(table, alone=alone)
    if Seating.objects.filter(table=table.row, left_at=None).exists():
        raise Violation("somebody cannot leave")
    names = [f"seating:{pk}" for pk in Seating.objects.filter(table=table.row).values_list("pk", flat=True)]
    names += [f"match:{pk}" for pk in Match.objects.filter(table=table.row).values_list("pk", flat=True)]
    at_tables = Account.objects.filter(kind__in=(AccountKind.STACK, AccountKind.POT)).exclude(balance=0)
    left = at_tables if alone else at_tables.filter(reference__in=names)
    if left:
        raise Violation(f"{left[0]} still holds {left[0].balance}")


def _check_units() -> None:
    """Check that players, tables, pots and the house together hold what was granted at sign-up."""
    total = Account.objects.exclude(kind=AccountKind.ISSUANCE).aggregate(Sum("balance"))["balance__sum"]
    granted = 10_000 * get_user_model().objects.count()
    if total != granted:
        raise Violation(f"{total} units are held, {granted} were given")
    keys = Posting.objects.values_list("key", flat=True)
    if len(keys) != len(set(keys)):
        raise Violation("a key was used twice")


def _check_log(table: LockedTable) -> None:
    rows = LoggedEvent.objects.filter(table=table.row).order_by("version", "number")
    steps = [[read_event(row) for row in group] for _, group in groupby(rows, key=lambda row: row.version)]
    rebuilt = game.rebuild(table.state.terms, steps)
    if codec.canonical(codec.dump_state(rebuilt)) != codec.canonical(codec.dump_state(table.state)):
        raise Violation("the events do not give the stored state")


def _check_matches(table: LockedTable) -> None:
    """Check that only the present match is open, and that each paid entry was settled or refunded once."""
    for match in Match.objects.filter(table=table.row):
        at_hand = table.row.deal is not None and table.row.deal.match_id == match.pk
        if match.status == Match.Status.OPEN and not (at_hand and table.row.status != Table.Status.CLOSED):
            raise Violation(f"{match} is still open")
        ends = Posting.objects.filter(key__in=[f"match:{match.pk}:prize", f"match:{match.pk}:refund"]).count()
        paid = Posting.objects.filter(key=f"match:{match.pk}:entries").count()
        if match.status != Match.Status.OPEN and (ends != paid or pot(match.pk)):
            raise Violation(f"{match} was settled {ends} times, its pot holds {pot(match.pk)}")
