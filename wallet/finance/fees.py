"""The fees that each player bears, by the rule of `wallet.ledger.fees`."""

from collections import defaultdict
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db.models import Sum

from wallet.finance.exports import Period
from wallet.ledger.snapshots import snapshot
from wallet.ledger.sums import FEES, stored_and_since

#: The rule, as pages and the API say it.
RULE = (
    "A deal's fee is the winner's. A pot's fee is shared among what was paid into the pot, entries and rejoins, in "
    "whole units; the units left over fall on the entries that were paid first, one on each. So the fees of all "
    "players, of all tables and of all days are the same sum."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFees:
    """The number of fees that a player bears or shares, and what they bear; all computer players are one, None."""

    player: int | None
    name: str
    times: int
    fees: int


def fees_by_player(period: Period, currency: str) -> list[PlayerFees]:
    """Return the fees of each player, most first. Together they are the fees of the tables and of the days."""
    totals: dict[int | None, tuple[int, int]] = defaultdict(lambda: (0, 0))
    with snapshot():
        stored, since = stored_and_since(FEES, currency, period.first, period.last)
        rows = list(stored.values_list("player_id").annotate(Sum("transfers"), Sum("amount")))
        rows += [(player, *sums) for (_, _, player), sums in FEES.add_up(since).items()]
        for player, times, fees in rows:
            totals[player] = (totals[player][0] + times, totals[player][1] + fees)
        people = get_user_model()._default_manager.filter(pk__in=[player for player in totals if player])
        names: dict[int | None, str] = {None: "Computer players", **dict(people.values_list("pk", "username"))}
    lines = [
        PlayerFees(player=player, name=names[player], times=times, fees=fees)
        for player, (times, fees) in totals.items()
    ]
    return sorted(lines, key=lambda line: (-line.fees, line.name))
