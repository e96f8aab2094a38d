"""How far chips can go from player to player at tables for friends within a day.

There somebody could lose on purpose to whom they like. So nobody puts in more within a day than came back to them
and a refill gives anybody for nothing: chips passed on are worth no more than waiting a day. And nobody wins more than
five others can lose: nobody sits down where one of the table has won that already, or could win it from what the others
hold at all tables for friends where that one sits. So many accounts cannot feed one at three tables at a time. Friends
who play among themselves, six at most, never meet the second bound.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from rules.game import Terms
from tables.errors import TableError
from tables.models import Match, Seating, Table
from wallet.base.money import display
from wallet.base.report_zone import format_moment, this_day
from wallet.language import gettext as _
from wallet.ledger import selectors as ledger
from wallet.responsible_gaming import admission

#: So many others sit at a table at most.
_OTHERS = 5


def private_room(user_id: int, currency: str) -> int:
    """Return how much the player may still put in today at tables for friends, in the smallest unit."""
    return max(0, _level() + _net(user_id, currency, this_day()[0]))


def check_terms(terms: Terms, currency: str) -> None:
    """Raise TableError `limit_reached` where a seat at a table for friends costs more than anybody may put in."""
    if max(terms.entry, terms.minimum) > _level():
        level = display(_level(), currency)
        message = _("At tables for friends a seat costs {level} at most. Choose smaller terms.", level=level)
        raise TableError("limit_reached", message, status=400)


def check_private(table: Table, user: Any, amount: int) -> None:
    """Raise TableError `limit_reached` where the player may not put the amount in at this table for friends."""
    if not table.private_code:
        return
    lock_company(table, user.pk)
    since, until = this_day()
    if (room := max(0, _level() + _net(user.pk, table.currency, since))) < amount:
        message = _(
            "At tables for friends {level} a day can be lost, so that nobody passes chips on. You can put in {room}"
            " until {until}.",
            level=display(_level(), table.currency), room=display(room, table.currency), until=format_moment(until),
        )  # fmt: skip
        raise TableError("limit_reached", message)
    most = _OTHERS * _level()
    for user_id in {user.pk, *_seated().filter(table=table).values_list("user_id", flat=True)}:
        won, brought = _won(user_id, since), 0 if user_id == user.pk else amount
        if won >= most or won + brought + _within_reach(user_id, table, since) > most:
            message = _(
                "At tables for friends {most} a day can be won, and somebody at this table could win more. Play on from"
                " {until}, or at a table of the lobby.",
                most=display(most, table.currency), until=format_moment(until),
            )  # fmt: skip
            raise TableError("limit_reached", message)


def lock_company(table: Table, user_id: int) -> None:
    """Lock the player's row, and at a table for friends those of all who sit there, in the order of their ids.

    So two who sit down at two tables of one winner do so one after the other, and none finds the same room at both.
    """
    seated = _seated().filter(table=table).values_list("user_id", flat=True) if table.private_code else ()
    for each in sorted({user_id, *seated}):
        admission.lock_player_row(each)


def _level() -> int:
    level: int = settings.REFILL_LEVEL
    return level


def _net(user_id: int, currency: str, since: datetime) -> int:
    tables = list(_seatings(user_id, since).values_list("table_id", flat=True).distinct())
    return ledger.net_at_tables(user_id, currency, tables, since)


def _won(user_id: int, since: datetime) -> int:
    """Return what the player has won at such tables, or less than 0 for lost; not what they won before and kept."""
    return ledger.won_by_stacks(_seatings(user_id, since).values_list("pk", flat=True), since)


def _within_reach(user_id: int, table: Table, since: datetime) -> int:
    """Return what others hold at this and the player's other tables for friends, and what lies in the pots there.

    Of chips that lay there overnight each is counted for a refill at most: those of one evening lock nobody out.
    """
    places = {table.pk, *_seated().filter(user_id=user_id).values_list("table_id", flat=True)}
    others = _seated().filter(table__in=places).exclude(user_id=user_id)
    pots = Match.objects.filter(table__in=places, status=Match.Status.OPEN).values_list("pk", flat=True)
    today = ledger.chips_on_stacks(others.filter(taken_at__gte=since).values_list("pk", flat=True))
    overnight = (ledger.stack(pk) for pk in others.filter(taken_at__lt=since).values_list("pk", flat=True))
    return today + sum(min(chips, _level()) for chips in overnight) + sum(ledger.pot(match) for match in pots)


def _seated() -> QuerySet[Seating]:
    """Return the seatings of people at tables for friends."""
    return Seating.objects.filter(left_at=None, user__isnull=False).exclude(table__private_code="")


def _seatings(user_id: int, since: datetime) -> QuerySet[Seating]:
    """Return the player's seatings at tables for friends since then."""
    lately = Q(freed_at=None) | Q(freed_at__gte=since) | Q(left_at__gte=since)
    return Seating.objects.filter(lately, user_id=user_id).exclude(table__private_code="")
