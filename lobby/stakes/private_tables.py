"""Tables for friends: found only by a code, without a fee, with the terms of the player who opens them."""

from dataclasses import replace
from typing import Any

from django.db import transaction

from lobby.accounts.models import Player
from lobby.stakes.models import HostedTable, Stake
from lobby.two_factor.codes import random_code
from rules.books import BOOKS, with_deals
from rules.game import Clocks, Terms, codec
from tables.errors import TableError
from tables.language import FOR_FRIENDS
from tables.models import Seating, Table
from tables.play.opening import open_table
from tables.private_bounds import check_terms
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _, gettext_lazy
from wallet.responsible_gaming import admission

CODE_LENGTH = 8
NO_TABLE = gettext_lazy("No table has this code, or it is closed.")
OPENED = RateLimit("private-tables", 20, 3600)


def new_code() -> str:
    """Return a random code that nobody can guess."""
    return random_code(CODE_LENGTH).upper()


def count_private_table(user: Player) -> None:
    """Count one more private table opened by the player. TableError `rate_limited`."""
    if not rate_limits.count_tries([(OPENED, OPENED.key(user.pk))]):
        raise TableError("rate_limited", _("You have opened many tables. Please wait a while."), status=429)


def open_own_table(*, user: Player, stake: Stake, deals: int | None = None) -> str:
    """Open a table with these terms, for fun chips and without a fee, and return its code. Nobody is seated yet.

    `stake` is not saved: it only carries the terms, which a form has checked. `deals` is the number of deals of a match
    where the book counts them. TableError `rate_limited`, `book_suspended`.
    """
    stake.fee_percent, stake.currency = 0, "FUN"
    terms = replace(stake.terms(), deals=deals if stake.rule_book.deals else None)
    count_private_table(user)
    title = f"{FOR_FRIENDS} · {with_deals(stake.rule_book, terms.deals).title}"
    return host_table(user, terms=terms, title=title, currency=stake.currency).private_code


@transaction.atomic
def host_table(player: Player, **of: Any) -> Table:
    """Open a table of the player's that only a new code leads to. The rest is that of `open_table`.

    TableError `limit_reached` where nobody could sit down there: see `tables.private_bounds`. CareRefusal to whom a
    seat would be refused now: see `check_play`. WalletError `locked` where the account is closed meanwhile.
    """
    admission.lock_player_row(player.pk)
    admission.check_account_open(player)
    admission.check_play(player.pk)
    check_terms(of["terms"], of["currency"])
    table = open_table(private_code=new_code(), **of)
    HostedTable.objects.create(table=table, player=player)
    return table


def host_of(table: Table) -> Player | None:
    """Return the player who has opened the table for friends; None once their account is closed."""
    return Player.objects.filter(hosted_tables__table=table, closed_at=None).first()


def check_welcome(table_id: int, player_id: int) -> None:
    """Refuse whom the player who has opened the table has blocked, unless they sit there, as if there were no table.

    TableError `not_found`.
    """
    if not is_welcome(table_id, player_id):
        raise TableError("not_found", NO_TABLE, status=404)


def is_welcome(table_id: int, player_id: int) -> bool:
    """Return whether `check_welcome` lets the player pass."""
    blocking = HostedTable.objects.filter(table=table_id, player__blocks__blocked=player_id)
    return not blocking.exists() or Seating.objects.filter(table=table_id, user=player_id, left_at=None).exists()


def agreed_terms(table: Table) -> Terms:
    """Return the terms that the table was opened with."""
    return codec.load_terms(table.terms or {})


def terms_as_stake(table: Table) -> Stake:
    """Return the terms of a table as an unsaved stake, for the pages that show stakes."""
    terms = agreed_terms(table)
    book = BOOKS[terms.book]
    return Stake(
        title=table.title,
        book=terms.book,
        seats=terms.seats,
        currency=table.currency,
        point_value=terms.point_value or None,
        entry=None if book.per_point else terms.entry,
        fee_percent=terms.fee_percent,
        minimum=terms.minimum or None,
        maximum=terms.maximum,
        **_seconds_of(terms.clocks),
    )


def deals_of(table: Table) -> int | None:
    """Return the number of deals in a match at the table; None where its book does not count them."""
    terms = agreed_terms(table)
    return terms.deals or BOOKS[terms.book].deals


def _seconds_of(clocks: Clocks) -> dict[str, int]:
    return {f"{name}_seconds": getattr(clocks, name) // 1000 for name in ("turn", "extra", "meld", "result", "prompt")}
