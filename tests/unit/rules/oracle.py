"""The rules of a hand implemented again, slow and obvious, sharing only the names of the books with the product.

A group is a meld if its cards, with jokers for the missing ones, are exactly the cards of some run or set. The best
arrangement is found by trying every subset of the hand as a meld.
"""

from functools import cache
from itertools import combinations

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
LIVES = {"lives-points", "lives-drop-points"}


def runs(size):
    return [
        [rank + suit for rank in RANKS[start : start + size]]
        for suit in "CDHS"
        for start in range(len(RANKS) - size + 1)
    ]


def sets(size):
    return [[rank + suit for suit in suits] for rank in RANKS[:13] for suits in combinations("CDHS", size)]


RUNS = {size: runs(size) for size in range(3, 14)}
SETS = {3: sets(3), 4: sets(4)}


def is_joker(card, cut):
    wild = "A" if cut == "JR" else cut[:-1]
    return card == "JR" or card[:-1] == wild


def points(card, cut):
    if is_joker(card, cut):
        return 0
    return 10 if card[:-1] in ("A", "J", "Q", "K") else int(card[:-1])


def standing(group, faces, cut):
    """Return how many jokers replace cards when the group is played as these faces, or None if it cannot be."""
    rest = list(group)
    for shown in faces:
        if shown in rest:
            rest.remove(shown)
    return len(rest) if all(is_joker(card, cut) for card in rest) else None


def fewest(group, shapes, cut):
    fixed = {card for card in group if not is_joker(card, cut)}
    fitting = [faces for faces in shapes if fixed <= set(faces)]
    return min((n for n in (standing(group, faces, cut) for faces in fitting) if n is not None), default=99)


@cache
def kind(book, cut, group):
    limit = 1 if book in LIVES else 13
    plain = [card for card in group if not is_joker(card, cut)]
    if len({card[:-1] for card in plain}) > 1 and len({card[-1] for card in plain}) > 1:
        return "invalid"
    as_run = fewest(group, RUNS.get(len(group), []), cut)
    as_set = fewest(group, SETS.get(len(group), []), cut)
    if as_run == 0:
        return "pure"
    if book in LIVES and len(group) == 3 and len(set(group)) == 1 and group[0] != "JR":
        return "pure"
    if as_run <= limit:
        return "impure"
    if as_set <= limit:
        return "set"
    return "jokers" if book in LIVES and not plain else "invalid"


def both_lives(book, sequences):
    """Return whether the sequences, pairs of kind and size, contain both lives."""
    for one, other in combinations(sequences, 2):
        if "pure" in (one[0], other[0]) and (book not in LIVES or max(one[1], other[1]) >= 4):
            return True
    return False


FULL_COUNT = {"standard-pool-61": 60}


def score(book, has_lives, pure_points, meld_points, total):
    """Return what a loser pays: `pure_points` are in pure sequences, `meld_points` in melds of any kind."""
    if not has_lives and book in LIVES:
        return 80
    return min(FULL_COUNT.get(book, 80), max(2, total - (meld_points if has_lives else pure_points)))


def judge(book, cut, groups, loose):
    kinds = [kind(book, cut, tuple(sorted(group))) for group in groups]
    lives = both_lives(book, [(k, len(g)) for k, g in zip(kinds, groups, strict=True) if k in ("pure", "impure")])

    def of(group):
        return sum(points(card, cut) for card in group)

    pure = sum(of(group) for k, group in zip(kinds, groups, strict=True) if k == "pure")
    melded = sum(of(group) for k, group in zip(kinds, groups, strict=True) if k != "invalid")
    total = of(loose) + sum(of(group) for group in groups)
    loose_fine = all(book in LIVES and is_joker(card, cut) for card in loose)
    valid = lives and "invalid" not in kinds and len(groups) <= 6 and loose_fine
    return kinds, valid, score(book, lives, pure, melded, total)


def best(book, cut, cards):
    """Return the least points of any arrangement of 13 cards, or of 14 less any one, and whether one is valid."""
    if len(cards) == 14:
        answers = [best(book, cut, [c for at, c in enumerate(cards) if at != cards.index(card)]) for card in set(cards)]
        return min(least for least, _ in answers), any(valid for _, valid in answers)
    kind.cache_clear()
    values = [points(card, cut) for card in cards]
    melds_from = {at: [] for at in range(len(cards))}
    for size in range(3, len(cards) + 1):
        for places in combinations(range(len(cards)), size):
            found = kind(book, cut, tuple(sorted(cards[at] for at in places)))
            if found in ("pure", "impure", "set"):
                mask = sum(1 << at for at in places)
                melds_from[places[0]].append((mask, found, size, sum(values[at] for at in places)))

    @cache
    def outcomes(left):
        """Return the most points in pure sequences and in melds by (sequences, all melded or rightly apart)."""
        if not left:
            return {((), True): (0, 0)}
        first = (left & -left).bit_length() - 1
        found = {}

        def note(sequences, done, pure, melded):
            previous = found.get((sequences, done), (0, 0))
            found[sequences, done] = max(previous[0], pure), max(previous[1], melded)

        apart = book in LIVES and is_joker(cards[first], cut)
        for (sequences, done), (pure, melded) in outcomes(left & ~(1 << first)).items():
            note(sequences, done and apart, pure, melded)
        for mask, meld_kind, size, worth in melds_from[first]:
            if mask & left == mask:
                for (sequences, done), (pure, melded) in outcomes(left & ~mask).items():
                    more = with_sequence(sequences, meld_kind, size)
                    note(more, done, pure + worth * (meld_kind == "pure"), melded + worth)
        return found

    ends = [
        (both_lives(book, sequences), done, pure, melded)
        for (sequences, done), (pure, melded) in outcomes((1 << len(cards)) - 1).items()
    ]
    least = min(score(book, lives, pure, melded, sum(values)) for lives, _, pure, melded in ends)
    return least, any(lives and done for lives, done, _, _ in ends)


def with_sequence(sequences, meld_kind, size):
    """Add the sequence, keeping no more than two alike and counting sizes up to four: the lives ask for no more."""
    sequence = (meld_kind, min(size, 4))
    if meld_kind == "set" or sequences.count(sequence) == 2:
        return sequences
    return tuple(sorted((*sequences, sequence)))
