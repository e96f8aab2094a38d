"""The facts in the views of a table that the rules do not know."""

from rules.game.views import MoneyFormat, Names
from tables.language import said_name, title
from tables.models import Deal
from tables.play.computers import practice
from tables.play.seating import connected_seats
from tables.play.store import LockedTable
from wallet.base import money


def names_of(table: LockedTable) -> Names:
    """Return the facts in the views of this table that the rules do not know."""
    row, unit = table.row, money.currency(table.row.currency)
    return Names(
        table=row.pk,
        title=title(row.title),
        currency=MoneyFormat(code=unit.code, digits=unit.decimals, sign=unit.symbol, noun=unit.noun),
        practice=row.practice_for_id is not None,
        guided=row.guided,
        stopped=row.status == row.Status.FROZEN,
        waits=practice.is_patient(table.state.clock),
        private_code=row.private_code or None,
        players={seat: said_name(seating.name) for seat, seating in table.seatings.items()},
        connected=connected_seats(table.seatings.values(), table.now),
        played=_played(table),
    )


def _played(table: LockedTable) -> dict[int, str]:
    """Return the names of the players, by seat, in the deal whose result is shown."""
    if table.state.result is not None and not table.names:
        rows = Deal.objects.filter(pk=int(table.state.result.deal_id)).values_list("result", flat=True).first() or []
        table.names = {line["seat"]: said_name(line["name"]) for line in rows}
    return table.names
