"""Seating at the best open table of a family, with one button: one with people, the soonest to play first."""

from lobby.accounts import guests
from lobby.accounts.models import Player
from lobby.stakes import open_tables, services as stakes
from lobby.stakes.models import Stake
from lobby.stakes.selectors import books_of, on_offer
from rules.errors import RulesError
from tables.errors import TableError
from tables.models import Seating
from tables.play.seating import most_to_bring
from wallet.base.errors import Refusal
from wallet.language import gettext as _
from wallet.ledger.selectors import spendable
from wallet.responsible_gaming import services as responsible_gaming

#: The buy-in of a player who leaves the choice of table to the platform is their chips divided by this.
MODEST_PART = 10


def seat_in_family(*, family: str, user: Player) -> Seating:
    """Seat the player at a table of that family for fun chips: where people wait, else where they play, else anywhere.

    The buy-in is a tenth of what the player's balance and own limits allow, within the stake's limits. A stake that
    asks for more is chosen only where it is the cheapest. Called again while the table waits for a deal, it returns the
    same seat. TableError `not_found` where the family has no stake on offer, and every refusal of
    `tables.play.services.sit` that another table would not lift.
    """
    guests.ensure_wallet(user)
    free, room = spendable(user.pk, "FUN"), responsible_gaming.remaining(user.pk, "FUN")
    part = (free if room is None else min(free, room)) // MODEST_PART
    most = most_to_bring(user)
    part = part if most is None else min(part, most)
    offered = _offered_in(family)
    own = Seating.objects.filter(user=user, left_at=None, table__stake_id__in=[stake.pk for stake in offered])
    waiting = own.filter(table__private_code="", table__phase__in=open_tables.BEFORE_A_DEAL).first()
    if waiting is not None:
        return waiting
    affordable = _modest(offered, part)
    stake_ids = [stake.pk for stake in affordable]
    amounts = {stake.pk: max(stake.least, min(part, stake.most or part)) for stake in affordable}
    for table in open_tables.with_people(stake_ids, stakes.ATTEMPTS):
        try:
            return stakes.sit_at(table_id=table.pk, user=user, amount=amounts[table.stake_id or 0])
        except (Refusal, RulesError) as error:
            if error.code not in stakes.TRY_ANOTHER:
                raise
    usual_id = _usual(affordable, user).pk
    return stakes.quick_seat(stake_id=usual_id, user=user, amount=amounts[usual_id])


def _offered_in(family: str) -> list[Stake]:
    stakes = list(on_offer().filter(book__in=books_of(family), currency="FUN"))
    if not stakes:
        raise TableError("not_found", _("No stake of this family is offered."), status=404)
    return sorted(stakes, key=lambda stake: stake.least)


def _modest(stakes: list[Stake], part: int) -> list[Stake]:
    """Return the stakes that ask for no more than `part`; the cheapest one where there is none."""
    return [stake for stake in stakes if stake.least <= part] or stakes[:1]


def _usual(affordable: list[Stake], user: Player) -> Stake:
    """Return the stake at which the player sat last, or the cheapest."""
    last = Seating.objects.filter(user=user, table__stake_id__in=[stake.pk for stake in affordable]).order_by("-pk")
    stake_id = last.values_list("table__stake_id", flat=True).first()
    return next((stake for stake in affordable if stake.pk == stake_id), affordable[0])
