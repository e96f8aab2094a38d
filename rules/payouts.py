"""Fees, prize pools, split and rejoin: whole smallest units of money, sums exact. RULES.md, Pool and Deals."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.text import message


def fee(amount: int, percent: int) -> int:
    """Return the house's fee on an amount, rounded down to the smallest unit."""
    return amount * percent // 100


def prize_pool(entry: int, entries: int, percent: int) -> int:
    """Return the prize of a match: all entries (including rejoins) less the fee."""
    return entry * entries - fee(entry * entries, percent)


def drops_left(score: int, limit: int, drop: int) -> int:
    """Return how many first drops a player with this score can still take and stay below the limit."""
    return max(0, (limit - 1 - score) // drop)


@dataclass(frozen=True, slots=True)
class Split:
    """`manual`: the players may agree on it; `auto`: it happens at once. `shares` sum to the prize exactly."""

    drops: tuple[int, ...]
    manual: bool
    auto: bool
    shares: tuple[int, ...] | None


def split(*, limit: int, drop: int, entry: int, prize: int, started: int, scores: Sequence[int]) -> Split:
    """Compute whether and how the players still in a match, with these scores in seat order, can share its prize.

    Each drop more than the fewest is worth one entry; the rest is shared evenly, its odd units going one each to
    the players with the fewest drops, then by seat. Source: RULES.md, Split and Auto split (seed 000, Pool 32).

    With 60 and 75 points of 101, two drops and one are left: one entry for the drop more, and half of the rest each.

    >>> split(limit=101, drop=20, entry=100, prize=270, started=3, scores=[60, 75])
    Split(drops=(2, 1), manual=True, auto=False, shares=(185, 85))
    """
    drops = tuple(drops_left(score, limit, drop) for score in scores)
    fewest = min(drops)
    extras = [entry * (count - fewest) for count in drops]
    rest = prize - sum(extras)
    few_left = _few_left(started, len(scores))
    manual = few_left and rest >= entry
    auto = few_left and not any(drops)
    if not (manual or auto):
        return Split(drops, manual, auto, None)
    each, odd = divmod(rest, len(scores))
    favoured = sorted(range(len(scores)), key=lambda seat: drops[seat])[:odd]
    shares = tuple(extra + each + (seat in favoured) for seat, extra in enumerate(extras))
    return Split(drops, manual, auto, shares)


def _few_left(started: int, left: int) -> bool:
    return (started > 3 and left in (2, 3)) or (started == 3 and left == 2)


@dataclass(frozen=True, slots=True)
class RejoinRight:
    """`score` is the one the player comes back with, None if they may not; `reason` is a sentence for them."""

    allowed: bool
    score: int | None
    reason: str


def rejoin(*, limit: int, drop: int, started: int, scores: Sequence[int], player: int) -> RejoinRight:
    """Decide whether the player at this place of `scores`, just eliminated, may buy themselves back into the match.

    Players at the limit or above it are out. Source: RULES.md, Rejoin.
    """
    survivors = [score for score in scores if score < limit]
    if scores[player] < limit:
        return RejoinRight(False, None, message("This player is still in the match"))
    if started <= 2:
        return RejoinRight(False, None, message("A match of two players has no rejoin"))
    if len(survivors) < 2:
        return RejoinRight(False, None, message("Fewer than two others are still in the match"))
    highest = max(survivors)
    if highest > limit - 2 - drop:
        return RejoinRight(
            False, None, message("Another player already has more than {limit} points", limit=limit - 2 - drop)
        )
    return RejoinRight(True, highest + 1, message("Back in the match with {highest} points", highest=highest + 1))
