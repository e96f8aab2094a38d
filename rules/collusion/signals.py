"""The signals of a pair of players, by how much more one does for the other than for all others; and one number of all.

A signal compares a player with themselves: what they do toward the other with what they do otherwise, and with what is
usual where they have played little else. It has a deviate, which in honest play is normal or smaller, and its chance:
how rare it is in honest play. Directed signals stand for what `giver` does for the other of the two.

The chances of all signals become one (`chances.combined_chance`), and the evidence is how many zeros stand before it:
3 is one in a thousand pairs that play honestly. What people share besides play (a device, an address, sitting down
together) says who they are and not how they play: it adds at most one, and only where play says something by itself.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import log10, sqrt
from typing import Final

from rules.collusion.chances import chance_above, chance_of_count, combined_chance, deviate
from rules.collusion.sums import RATES, SQUARES, Sequence, Sums, Usual, less

#: The kinds of signals.
FED, TOOK, TOLD, FAULTS, GAVE, WON, BROKE, TURNS = (
    "fed", "took", "told", "faults", "gave", "won", "broke", "turns",
)  # fmt: skip
KINDS: Final = (FED, TOOK, TOLD, FAULTS, GAVE, WON, BROKE, TURNS)

#: What is usual counts like so many observations of the player's own.
_WEIGHT: Final = {"fed": 20, "took": 20, "faults": 60, "broken": 200, "gap": 40, "wins": 20}
#: Below these a signal says nothing yet.
_LEAST_LEEWAY, _LEAST_NEEDED, _LEAST_DROPS, _LEAST_CAUGHT, _LEAST_DEALS, _LEAST_WINS = 2, 5, 4, 8, 10, 10
#: The shape of rates of rare cases among players: their standard deviation is as large as their mean.
_SHAPE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: what was counted, and what would be expected; `giver` is 0 or 1, None for what both do."""

    kind: str
    giver: int | None
    deviate: float
    chance: float
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Way:
    """What one player does: of the other alone, of everybody else, and the other's own of everybody else."""

    toward: Sums
    elsewhere: Sums
    other_elsewhere: Sums
    back: Sums
    usual: Usual


def signals_of(toward: tuple[Sums, Sums], whole: tuple[Sums, Sums], sequence: Sequence, usual: Usual) -> list[Signal]:
    """Return the signals of a pair that have enough deals to say anything.

    `toward` are the sums of each of the two toward the other, `whole` those of all their deals; `sequence` has who of
    them won, one after the other.
    """
    elsewhere = [less(whole[giver], toward[giver]) for giver in (0, 1)]
    found = []
    for giver in (0, 1):
        other = 1 - giver
        way = _Way(toward[giver], elsewhere[giver], elsewhere[other], toward[other], usual)
        found += [Signal(kind, giver, *value) for kind, reckon in _WAYS.items() if (value := reckon(way)) is not None]
    turns = _turns(sequence)
    return [*found, *([Signal(TURNS, None, *turns)] if turns is not None else [])]


_Value = tuple[float, float, dict[str, float]]


def _normal(z: float, **figures: float) -> _Value:
    return z, chance_above(z), figures


def _fed(way: _Way) -> _Value | None:
    """Compare how many more of their discards help the other than chance lets go, with those to anybody.

    The mean is taken by leeway: where a card is nearly sure to stay or to go, little can be seen, and it counts little.
    """
    found = _mean(way, "fed", _LEAST_LEEWAY, _WEIGHT["fed"])
    if found is None:
        return None
    z, chance, means = found
    helped = way.toward["helped"]
    more = (means["mean"] - means["expected"]) * means["count"]
    return z, chance, {"count": way.toward["choices"], "helped": helped, "expected": helped - more}


def _gave(way: _Way) -> _Value | None:
    """Compare what they pay, beside the others caught, when the other wins and when somebody else does."""
    return _mean(way, "gap", _LEAST_CAUGHT, _WEIGHT["gap"])


def _mean(way: _Way, rate: str, least: int, weight: float) -> _Value | None:
    """Compare the mean toward the other with the player's own and the usual one."""
    count, total = RATES[rate]
    number, elsewhere = way.toward.get(count, 0), way.elsewhere.get(count, 0)
    if number < least:
        return None
    expected = (way.elsewhere.get(total, 0) + weight * way.usual.means[rate]) / (elsewhere + weight)
    squares = way.toward.get(SQUARES[rate], 0) + way.elsewhere.get(SQUARES[rate], 0)
    all_of_them = number + elsewhere
    variance = (squares + weight * way.usual.variances[rate]) / (all_of_them + weight)
    spread = variance / number + variance / (elsewhere + weight) + way.usual.between[rate]
    mean = way.toward.get(total, 0) / number
    return _normal((mean - expected) / sqrt(spread), count=number, mean=mean, expected=expected)


def _took(way: _Way) -> _Value | None:
    """Compare how often they take the other's discards and those of anybody, given the same need."""
    if way.toward.get("needed", 0) + way.toward.get("useless", 0) < _LEAST_NEEDED:
        return None
    parts = [_excess(way, rate) for rate in ("took_needed", "took_useless")]
    return _of_parts(parts, count=way.toward.get("needed", 0), taken=way.toward.get("took_needed", 0))


def _excess(way: _Way, rate: str) -> tuple[float, float, float]:
    """Return, in cases: how far the rate exceeds the expected number, the variance of that, and the expected number."""
    (count, total), weight = RATES[rate], _WEIGHT["took"]
    number, elsewhere = way.toward.get(count, 0), way.elsewhere.get(count, 0)
    expected = (way.elsewhere.get(total, 0) + weight * way.usual.means[rate]) / (elsewhere + weight)
    binomial = max(expected * (1 - expected), 0.01)
    # With no deals elsewhere what is usual stands in, and people differ in it as much as `between` says.
    own = way.usual.between[rate] * weight / (elsewhere + weight)
    spread = binomial * (number + number * number / (elsewhere + weight)) + number * number * own
    return way.toward.get(total, 0) - number * expected, spread, number * expected


def _of_parts(parts: list[tuple[float, float, float]], **figures: float) -> _Value:
    excess, variance, expected = (sum(part) for part in zip(*parts, strict=True))
    return _normal(excess / sqrt(max(variance, 0.25)), expected=expected, excess=excess, **figures)


def _told(way: _Way) -> _Value | None:
    """Compare the other's hidden hand when they drop with the same number of drops at any of these turns.

    This needs no expectation: who does not know the hand cannot drop by it.
    """
    seen, drops = way.toward.get("seen", 0), way.toward.get("gave_up", 0)
    if drops < _LEAST_DROPS or seen - drops < _LEAST_DROPS:
        return None
    mean = way.toward["promise"] / seen
    variance = way.toward["promise2"] / seen - mean * mean
    spread = variance / drops * (seen - drops) / (seen - 1)
    there = way.toward["gave_up_promise"] / drops
    return _normal((there - mean) / sqrt(max(spread, 1e-6)), count=drops, mean=there, expected=mean)


def _faults(way: _Way) -> _Value | None:
    """Count the deals in which they show wrongly or leave, and the other wins."""
    return _against_rate(way, "faults", count="faults_won", due="faults_due")


def _broke(way: _Way) -> _Value | None:
    """Count how often they break up, late in a deal, what they have while the other is in it."""
    return _against_rate(way, "broken", count="broken", due="late")


def _against_rate(way: _Way, rate: str, *, count: str, due: str) -> _Value | None:
    """Return how rare the count is among what was due, at their rate elsewhere; None where there are few deals."""
    if way.toward.get("deals", 0) < _LEAST_DEALS:
        return None
    usual = _rate(way, rate, _WEIGHT[rate])
    return _rare(int(way.toward.get(count, 0)), usual * way.toward.get(due, 0))


def _rate(way: _Way, rate: str, weight: float) -> float:
    count, total = RATES[rate]
    usual = weight * way.usual.means[rate]
    return (way.elsewhere.get(total, 0) + usual) / (way.elsewhere.get(count, 0) + weight)


def _rare(count: int, expected: float) -> _Value:
    chance = chance_of_count(count, expected, _SHAPE)
    return deviate(chance), chance, {"count": count, "expected": expected}


def _won(way: _Way) -> _Value | None:
    """Compare how often the other wins with them at the table with the results of both elsewhere."""
    deals, fair = way.toward.get("deals", 0), way.toward.get("fair", 0)
    if deals < _LEAST_DEALS:
        return None
    seats, own, other = deals / fair, _strength(way.elsewhere), _strength(way.other_elsewhere)
    part = other / (own + other + seats - 2)
    won = way.back.get("wins", 0)
    # Strengths are known as well as the deals elsewhere tell.
    unknown = sum(
        _WEIGHT["wins"] / (_WEIGHT["wins"] + each.get("fair", 0)) for each in (way.elsewhere, way.other_elsewhere)
    )
    spread = deals * part * (1 - part) + (deals * part) ** 2 * way.usual.between["wins"] * (1 + 2 * unknown)
    return _normal((won - deals * part) / sqrt(spread), count=won, expected=deals * part)


def _strength(elsewhere: Sums) -> float:
    """Return how often a player wins beside equally strong ones: 1 as often."""
    weight = _WEIGHT["wins"]
    return (elsewhere.get("wins", 0) + weight) / (elsewhere.get("fair", 0) + weight)


def _turns(sequence: Sequence) -> _Value | None:
    """Compare how often the winner of the two changes with chance: runs of wins (Wald and Wolfowitz)."""
    counts = list(sequence.wins.values())
    if len(counts) < 2 or min(counts) < _LEAST_WINS:
        return None
    one, other = counts
    both = one + other
    expected = 2 * one * other / both
    variance = expected * (expected - 1) / (both - 1) if both > 1 else 0
    return _normal((sequence.turns - expected) / sqrt(max(variance, 0.25)), count=sequence.turns, expected=expected)


_WAYS: Final[Mapping[str, Callable[[_Way], _Value | None]]] = {
    FED: _fed,
    TOOK: _took,
    TOLD: _told,
    FAULTS: _faults,
    GAVE: _gave,
    WON: _won,
    BROKE: _broke,
}


#: What each circumstance adds, and the most that all of them do.
OF_A_CIRCUMSTANCE: Final = 0.5
MOST_OF_CIRCUMSTANCES: Final = 1.0
#: Below this evidence of play circumstances add nothing.
LEAST_OF_PLAY: Final = 2.0


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The evidence of play, and with the circumstances."""

    play: float
    whole: float


def combined(signals: Iterable[Signal], circumstances: int = 0) -> PairEvidence:
    """Return the evidence of these signals, and of that number of circumstances beside them.

    Who feed each other are seen by both directions together before either is rare by itself.
    """
    told = list(signals)
    fed = [signal.deviate for signal in told if signal.kind == FED]
    chances = [signal.chance for signal in told] + [chance_above(sum(fed) / sqrt(2))] * (len(fed) == 2)
    play = max(0.0, -log10(combined_chance(chances)))
    more = min(MOST_OF_CIRCUMSTANCES, OF_A_CIRCUMSTANCE * circumstances) if play >= LEAST_OF_PLAY else 0.0
    return PairEvidence(play, play + more)
