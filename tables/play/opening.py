"""Opening a table, empty or with computer players."""

from typing import Any

from django.db import transaction

from rules import bots, game
from rules.books import RuleBook, book
from rules.game import Terms, codec, moves
from tables.errors import TableError
from tables.models import Shoe, Table
from tables.play import store
from tables.play.advance import advance, finish
from tables.play.seating import USUAL_BUY_IN, take_seat
from tables.play.store import moment
from wallet.base.retry import retried
from wallet.language import gettext as _

#: With this many tables of a book frozen by faults of ours, no new one opens until staff have dealt with them.
TOO_MANY_FROZEN = 3


@retried
def open_table(
    *,
    terms: Terms,
    title: str,
    currency: str,
    stake_id: int | None = None,
    practice_for: Any = None,
    computers: int = 0,
    strength: bots.Strength = bots.Strength.SOUND,
    guided: bool = False,
    private_code: str = "",
    shoe: Shoe | None = None,
) -> Table:
    """Open a table with these terms, at which `computers` computer players hold the last seats.

    Computer players, who play at that `strength`, sit only at practice tables: such a table belongs to one player, is
    listed nowhere and is played for practice chips. At a `guided` one the first deal comes with hints. With a `shoe`
    its one deal has these cards. TableError `book_suspended` while TOO_MANY_FROZEN tables of the book are frozen by
    faults of ours; ValueError for terms that no such table can have.
    """
    if computers and practice_for is None:
        raise ValueError("computer players sit at practice tables only")
    rules = book(terms.book, terms.book_version)
    if not rules.min_seats <= terms.seats <= rules.max_seats:
        raise ValueError(f"{rules.title} is for {rules.min_seats} to {rules.max_seats} players, not {terms.seats}")
    check_trusted(rules)
    table = Table(
        title=title,
        stake_id=stake_id,
        book=rules.key,
        book_version=rules.version,
        family=rules.family.value,
        currency=currency,
        seats=terms.seats,
        practice_for=practice_for,
        strength=strength if practice_for is not None else "",
        guided=guided,
        private_code=private_code,
        shoe=shoe,
        terms=codec.dump_terms(terms),
        opened_at=moment(store.now_ms()),
    )
    with transaction.atomic():
        # The snapshot is sealed for its row, whose id exists only once it is saved.
        table.save()
        store.write_state(table, game.start(terms))
        table.save()
        if computers:
            _seat_computers(table.pk, computers)
    return table


def check_trusted(rules: RuleBook) -> None:
    """Raise TableError `book_suspended` while TOO_MANY_FROZEN tables of the book are frozen by faults of ours."""
    faulty = Table.objects.filter(book=rules.key, status=Table.Status.FROZEN).exclude(
        fault__startswith=store.STOPPED_BY
    )
    if faulty.count() >= TOO_MANY_FROZEN:
        raise TableError("book_suspended", _("{title} is out of order at this moment.", title=rules.title), status=503)


def _seat_computers(table_id: int, computers: int) -> None:
    table = store.lock_table(table_id)
    terms = table.state.terms
    stack = terms.entry or USUAL_BUY_IN * terms.minimum
    for name, seat in zip(bots.NAMES[:computers], range(terms.seats - computers, terms.seats), strict=True):
        take_seat(table, user=None, name=name, seat=seat)
        advance(table, moves.Sit(seat=seat, stack=stack, computer=True))
    finish(table)
