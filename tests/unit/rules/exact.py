"""The best arrangement by an exact search that shares neither code nor method with the product.

Every subset of the hand is tried as a meld. Then, meld after meld, all sets of cards are kept that disjoint melds
can cover: one whole number holds such a family, bit `m` of it standing for the set of cards `m`, so that one shift
lays a meld beside every set that leaves it room. Nothing is left out as needless, and nothing is guessed.
"""

from collections import defaultdict
from functools import cache, reduce
from itertools import combinations
from operator import or_

from tests.unit.rules.oracle import LIVES, RANKS, RUNS, SETS, both_lives, is_joker, points, score, with_sequence

BITS = {face: 1 << at for at, face in enumerate(rank + suit for rank in RANKS[:13] for suit in "CDHS")} | {"JR": 0}
SHAPES = [(name, shape) for name, some in (("run", RUNS), ("set", SETS)) for size in some for shape in some[size]]
SHAPES = [(name, shape, sum(BITS[face] for face in shape)) for name, shape in SHAPES]
LEAST_RUNS = [faces for name, shape, faces in SHAPES if name == "run" and len(shape) == 3]
BOTH = "both lives"


def best(book, cut, cards):
    """Return the least points of any arrangement of 13 faces, or 14 less any one, and whether one is a declaration."""
    values = [points(card, cut) for card in cards]
    low, high = sums(values[:7]), sums(values[7:])
    apart = [1 << at for at, card in enumerate(cards) if book in LIVES and is_joker(card, cut)]
    whole = (1 << len(cards)) - 1
    least, valid = 80, False
    all_melds = melds(book, cut, cards) if may_be_pure(cards) else []
    for lives, family in enumerate(coverable(book, all_melds)):
        families = one_more(family) if len(cards) == 14 else family
        if families:
            freed = max(low[some & 127] + high[some >> 7] for some in members(families))
            least = min(least, score(book, lives, 0, 0, sum(values) - freed))
            valid = lives == 1 and any(families >> (whole - jokers) & 1 for jokers in sums(apart))
    return least, valid


def may_be_pure(cards):
    """Return whether three cards form a run or share a face: without them there is no pure sequence."""
    bits = reduce(or_, [BITS[card] for card in cards])
    return any(bits & run == run for run in LEAST_RUNS) or any(cards.count(card) > 2 for card in cards)


def melds(book, cut, cards):
    """Return all melds of the hand as runs or sets, each with its places as bits, its kind and its size."""
    limit = 1 if book in LIVES else 13
    plain, jokers = defaultdict(list), []
    for at, card in enumerate(cards):
        (jokers if is_joker(card, cut) else plain[card]).append(at)
    fillings = [[some for some in subsets(cards, jokers) if some[0] == gaps] for gaps in range(len(jokers) + 1)]
    bits = sum(BITS[card] for card in plain)
    fewest, alone = {"run": {}, "set": {}}, set()
    for name, shape, faces in SHAPES:
        if (faces & ~bits).bit_count() > len(jokers):
            continue
        for places, gaps in layings(shape, plain, len(jokers)):
            if not places and limit > 1:
                # Where all may stand for others, jokers alone are as good in any run of their size.
                if gaps in alone:
                    continue
                alone.add(gaps)
            for _, others, wild in fillings[gaps]:
                standing = gaps - (wild & faces).bit_count()
                if standing <= limit:
                    known = fewest[name].get(places | others, limit)
                    fewest[name][places | others] = min(known, standing)
    if book in LIVES:
        fewest["run"] |= dict.fromkeys(tunnelas(cards), 0)
    runs = {meld: "impure" if standing else "pure" for meld, standing in fewest["run"].items()}
    return [(meld, kind, meld.bit_count()) for meld, kind in (dict.fromkeys(fewest["set"], "set") | runs).items()]


def layings(shape, plain, jokers):
    """Yield the ways to lay plain cards as this shape: their places, and the number of gaps; `plain` has places by
    face."""
    ways = [(0, 0)]
    for face in shape:
        gaps = [(places, gaps + 1) for places, gaps in ways if gaps < jokers]
        ways = gaps + [(places | 1 << at, gaps) for places, gaps in ways for at in plain.get(face, ())]
    return ways


def subsets(cards, places):
    """Yield every choice of some of these places: their number, the places as bits, their faces as bits."""
    choices = [(0, 0, 0)]
    for at in places:
        choices += [(count + 1, some | 1 << at, faces | BITS[cards[at]]) for count, some, faces in choices]
    return choices


def tunnelas(cards):
    """Yield the places of three identical cards, none a printed joker."""
    for some in combinations(range(len(cards)), 3):
        if len({cards[at] for at in some}) == 1 and cards[some[0]] != "JR":
            yield sum(1 << at for at in some)


def sums(numbers):
    """Return the sums of every choice of these pairs; the first number decides which second number is kept."""
    results = [0]
    for number in numbers:
        results += [total + number for total in results]
    return results


def coverable(book, melds):
    """Return the sets of cards that pure sequences can cover, and those that melds with both lives can.

    Pure sequences are laid first and sets last: what has no pure sequence before, or no lives, will have none then.
    """
    by_kind = {name: [meld for meld in melds if meld[1] == name] for name in ("pure", "impure", "set")}
    if not by_kind["pure"]:
        return 1, 0
    families = {(): 1}
    laid(families, book, by_kind["pure"])
    pure = reduce(or_, families.values())
    del families[()]
    laid(families, book, by_kind["impure"])
    families = {BOTH: families.get(BOTH, 0)}
    laid(families, book, by_kind["set"])
    return pure, families[BOTH]


def laid(families, book, melds):
    """Add to the families, by their sequences, the results of laying one of these melds beside their sets."""
    for places, name, size in melds:
        for sequences, family in [*families.items()]:
            more = following(book, sequences, name, size)
            families[more] = families.get(more, 0) | beside(family, places)


def beside(family, places):
    """Return the sets that do not use these places, each with them added."""
    return (family & without(places)) << places


def one_more(family):
    """Return the sets with any one card more, which is the discard."""
    return reduce(or_, [beside(family, 1 << at) for at in range(14)])


@cache
def following(book, sequences, kind, size):
    """Return the sequences after this meld is laid, counted as far as the lives require."""
    if sequences == BOTH:
        return BOTH
    more = with_sequence(sequences, kind, size)
    return BOTH if both_lives(book, more) else more


@cache
def without(places):
    """Return the family of all sets of cards without any of these."""
    family = 1
    for at in range(14):
        if not places >> at & 1:
            family |= family << (1 << at)
    return family


def members(family):
    """Return the sets in a family."""
    digits = f"{family:b}"[::-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)
