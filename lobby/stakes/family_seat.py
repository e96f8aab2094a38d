"""Seating at the best open table of a family, with one button: one with people, the soonest to play first."""

from lobby.accounts import guests
from lobby.accounts.models import Player
from lobby.stakes import services as stakes
from lobby.stakes.models import Stake, StakeCurrency
from lobby.stakes.selectors import books_of, free_balance, on_offer
from rules.errors import RulesError
from tables.errors import TableError
from tables.history import open_tables
from tables.models import Seating
from wallet.base.errors import Refusal
from wallet.language import worded
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
    free, room = free_balance(user, "FUN"), responsible_gaming.remaining(user.pk, "FUN")
    part = (free if room is None else min(free, room)) // MODEST_PART
    offered = _offered_in(family)
    own = Seating.objects.filter(user=user, left_at=None, table__stake_id__in=[stake.pk for stake in offered])
    waiting = own.filter(table__private_code="", table__phase__in=open_tables.BEFORE_A_DEAL).first()
    if waiting is not None:
        return waiting
    chosen = _modest(offered, part)
    numbers = [stake.pk for stake in chosen]
    amounts = {stake.pk: max(stake.least, min(part, stake.most or part)) for stake in chosen}
    for table in open_tables.with_people(numbers, stakes.ATTEMPTS):
        try:
            return stakes.sit_at(table_id=table.pk, user=user, amount=amounts[table.stake_id or 0])
        except (Refusal, RulesError) as error:
            if error.code not in stakes.TRY_ANOTHER:
                raise
    usual = _usual(chosen, user).pk
    return stakes.quick_seat(stake_id=usual, user=user, amount=amounts[usual])


def _offered_in(family: str) -> list[Stake]:
    offered = list(on_offer().filter(book__in=books_of(family), currency=StakeCurrency.FUN))
    if not offered:
        raise TableError("not_found", worded("No stake of this family is offered."), status=404)
    return sorted(offered, key=lambda stake: stake.least)


def _modest(offered: list[Stake], part: int) -> list[Stake]:
    """Return the stakes that ask for no more than `part`; the cheapest one where there is none."""
    return [stake for stake in offered if stake.least <= part] or offered[:1]


def _usual(chosen: list[Stake], user: Player) -> Stake:
    """Return the stake at which the player sat last, or the cheapest."""
    last = Seating.objects.filter(user=user, table__stake_id__in=[stake.pk for stake in chosen]).order_by("-pk")
    number = last.values_list("table__stake_id", flat=True).first()
    return next((stake for stake in chosen if stake.pk == number), chosen[0])
