"""The strength of computer players: each against the one below it, playing each shoe twice with seats changed.

An expert is measured at six seats, where fewer deals show that it is better than a sharp player.
"""

from itertools import pairwise
from typing import Any

from rules.bots import Strength
from tables.simulation.ladder import Entered, Ladder, Played, play_contest, results_of, total_of
from tests.fleet.progress import progress
from tests.support.database import Figures

#: Deals of each pair.
SIZE = 2_000
BOOK = "standard-points"


def run(*, seed: int, size: int) -> Figures:
    """Play `size` deals of each pair; it is a fault if the stronger player does not win by more than chance."""
    seats = {stronger: 6 if stronger is Strength.EXPERT else 2 for stronger in Strength}
    duels = {
        f"{stronger}_against_{weaker}": duel(weaker, stronger, size, seed, seats[stronger])
        for weaker, stronger in pairwise(Strength)
    }
    return {
        "deals": size,
        **duels,
        "faults": [f"{name}: no more than chance" for name, figures in duels.items() if not is_certain(figures)],
    }


def duel(weaker: Strength, stronger: Strength, deals: int, seed: int, seats: int = 2) -> dict[str, Any]:
    """Return the stronger player's figures against the weaker one."""
    contest = Ladder((Entered(stronger, stronger), Entered(weaker, weaker)), BOOK, seats, seed)
    parts: list[Played] = []
    for part in play_contest(contest, deals // 2):
        parts.append(part)
        progress(2 * sum(len(each.tallies) for each in parts), deals, f"deals, {stronger} against {weaker}")
    figures: dict[str, Any] = results_of(contest, total_of(parts))["players"][0]
    return figures


def is_certain(figures: dict[str, Any]) -> bool:
    """Return whether a player wins points by more than chance."""
    return bool(figures["points_a_deal"]["low"] > 0)
