"""How many deals it takes until the figures of fairness find a bias of one per cent that is planted in the shuffle.

`size` is the number of repetitions of each bias, each with a seed of its own. The figures are looked at again whenever
there are a tenth more deals; found is the first time that one is beyond chance after the correction for their number.
A fair shuffle is looked at as often, and should never be found. Deals are of two people with two packs.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Any

from rules.cards import Card, ordered_shoe, rank, total_points, wild_rank
from rules.expectations.figures import all_figures
from rules.expectations.tallies import FirstHands, SumKey, Tally, tallies

#: Repetitions of each bias.
SIZE = 5
#: Deals after which a repetition gives up; the first look.
MOST, FIRST_LOOK = 100_000, 500
BOOK, PLAYERS = "standard-points", 2
_HAND = 13

#: A shoe and the seat that wins the toss.
Dealt = tuple[list[Card], int]
Bias = Callable[[Random, float], Dealt]


def fair(rng: Random, often: float) -> Dealt:
    shoe = list(ordered_shoe(PLAYERS))
    rng.shuffle(shoe)
    return shoe, rng.randrange(PLAYERS)


def joker_for_a_seat(rng: Random, often: float) -> Dealt:
    """Swap a printed joker that lies elsewhere into the hand of seat 0, in so many of the deals."""
    shoe, first = fair(rng, often)
    own = range(0 if first == 0 else 1, PLAYERS * _HAND, PLAYERS)
    elsewhere = [place for place, card in enumerate(shoe) if rank(card) == 0 and place not in own]
    if elsewhere and rng.random() < often:
        one, other = rng.choice(elsewhere), rng.choice(own)
        shoe[one], shoe[other] = shoe[other], shoe[one]
    return shoe, first


def better_of_two_hands(rng: Random, often: float) -> Dealt:
    """Give seat 0 the hand with fewer points, in so many of the deals."""
    shoe, first = fair(rng, often)
    if rng.random() < often:
        wild = wild_rank(shoe[PLAYERS * _HAND + 1])
        own, other = (slice(start, PLAYERS * _HAND, PLAYERS) for start in ((0, 1) if first == 0 else (1, 0)))
        if total_points(shoe[other], wild) < total_points(shoe[own], wild):
            shoe[own], shoe[other] = shoe[other], shoe[own]
    return shoe, first


def toss_for_a_seat(rng: Random, often: float) -> Dealt:
    """Let seat 0 win the toss, in so many of the deals."""
    shoe, first = fair(rng, often)
    return shoe, 0 if rng.random() < often else first


def swaps_left_out(rng: Random, often: float) -> Dealt:
    """Leave out so many of the swaps of the shuffle."""
    shoe = list(ordered_shoe(PLAYERS))
    for last in range(len(shoe) - 1, 0, -1):
        if rng.random() >= often:
            other = int(rng.random() * (last + 1))
            shoe[last], shoe[other] = shoe[other], shoe[last]
    return shoe, rng.randrange(PLAYERS)


def shuffle_ends_early(rng: Random, often: float) -> Dealt:
    """Leave out the last swaps, so many of all: with one per cent the last one."""
    shoe = list(ordered_shoe(PLAYERS))
    for last in range(len(shoe) - 1, max(1, round(often * len(shoe))), -1):
        other = int(rng.random() * (last + 1))
        shoe[last], shoe[other] = shoe[other], shoe[last]
    return shoe, rng.randrange(PLAYERS)


def words_of_zero(rng: Random, often: float) -> Dealt:
    """Let so many of the words be 0, which swaps with the first card."""
    shoe = list(ordered_shoe(PLAYERS))
    for last in range(len(shoe) - 1, 0, -1):
        other = 0 if rng.random() < often else int(rng.random() * (last + 1))
        shoe[last], shoe[other] = shoe[other], shoe[last]
    return shoe, rng.randrange(PLAYERS)


BIASES: dict[str, Bias] = {
    each.__name__: each
    for each in (
        fair, joker_for_a_seat, better_of_two_hands, toss_for_a_seat, swaps_left_out, shuffle_ends_early, words_of_zero,
    )
}  # fmt: skip


def run(*, seed: int, size: int) -> dict[str, Any]:
    """Plant each bias `size` times; a fault is a fair shuffle that was found."""
    needed = {
        name: [deals_until_found(bias, 0.01, Random(f"{seed}/{name}/{number}")) for number in range(size)]
        for name, bias in BIASES.items()
    }
    medians = {
        name: None if (middle := median(each or MOST + 1 for each in found)) > MOST else middle
        for name, found in needed.items()
    }
    faults = [f"a fair shuffle was found after {deals} deals" for deals in needed["fair"] if deals is not None]
    return {"repetitions": size, "most": MOST, "median deals": medians, "deals": needed, "faults": faults}


def deals_until_found(bias: Bias, often: float, rng: Random, *, most: int = MOST) -> int | None:
    """Return after how many deals a figure was beyond chance, None if none ever was."""
    sums: defaultdict[SumKey, Tally] = defaultdict(Counter)
    look = FIRST_LOOK
    for deals in range(1, most + 1):
        for key, tally in tallies(dealt(*bias(rng, often))):
            sums[key].update(tally)
        if deals in (look, most):
            if any(figure.beyond for figure in all_figures(sums)):
                return deals
            look = look * 11 // 10
    return None


def dealt(shoe: list[Card], first: int) -> FirstHands:
    """Return the first hands of two people; nobody knows who will win."""
    hands = {(first + place) % PLAYERS: tuple(shoe[place : PLAYERS * _HAND : PLAYERS]) for place in range(PLAYERS)}
    wild = wild_rank(shoe[PLAYERS * _HAND + 1])
    return FirstHands(BOOK, hands, wild, frozenset(), first, tossed=True)
