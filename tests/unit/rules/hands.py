"""Hands in written form, and hands dealt to be difficult: rich in jokers, in duplicates, in neighbours."""

from random import Random

from rules.cards import ACE, RANKS, SUITS, face, is_joker, ordered_shoe, rank, suit
from tests.unit.rules.oracle import RUNS, SETS


def groups(text):
    """Split "3H 4H 5H | 7H 8H" into lists of cards."""
    return [part.split() for part in text.split("|") if part.strip()]


def dealt(chance: Random, size: int, packs: int) -> tuple[list[str], int]:
    """Return a hand as it comes from the shoe, and a wild rank."""
    shoe = ordered_shoe(packs)
    return chance.sample(shoe, size), chance.randint(1, 13)


def with_jokers(chance: Random, size: int, packs: int) -> tuple[list[str], int]:
    """Return a hand with up to ten jokers."""
    wild = chance.randint(1, 13)
    shoe = chance.sample(ordered_shoe(packs), packs * 53)
    jokers = [card for card in shoe if is_joker(card, wild)][: chance.randint(2, 10)]
    return (jokers + [card for card in shoe if not is_joker(card, wild)])[:size], wild


def crowded(chance: Random, size: int, packs: int) -> tuple[list[str], int]:
    """Return a hand of few suits and a short stretch of ranks, with repeated faces and many ways to make melds."""
    low, suits = chance.randint(1, 10), chance.sample(SUITS, chance.randint(1, 4))
    ranks = range(low, low + chance.randint(4, 7))
    shoe = chance.sample(ordered_shoe(packs), packs * 53)
    near = [card for card in shoe if rank(card) in ranks and suit(card) in suits]
    return (near + [card for card in shoe if card not in near])[:size], chance.randint(1, 13)


def crowded_with_jokers(chance: Random, size: int, packs: int) -> tuple[list[str], int]:
    """Return a crowded hand with jokers, the hardest case of the search."""
    near, wild = crowded(chance, size, packs)
    jokers = [card for card in ordered_shoe(packs) if is_joker(card, wild) and card not in near]
    return (chance.sample(jokers, len(jokers))[: chance.randint(1, 5)] + near)[:size], wild


#: How many cards there are in each meld of a declaration.
_MELDS = ((3, 3, 3, 4), (3, 3, 7), (3, 4, 6), (3, 5, 5), (4, 4, 5), (4, 9), (6, 7), (13,))


def nearly_declarable(chance: Random, size: int, packs: int) -> tuple[list[str], int]:
    """Return a declaration in which jokers, and at times another card, replace cards, and a wild rank.

    Often the wild rank is that of a card in it or the next one, at times the printed jokers come first; runs with an
    ace are as frequent as others.
    """
    shoe, hand = chance.sample(ordered_shoe(packs), packs * 53), list[str]()
    for length in chance.choice(_MELDS):
        shapes = SETS[length] if length in SETS and hand and chance.random() < 0.4 else RUNS[length]
        with_ace = [shape for shape in shapes if any(rank(shown) == ACE for shown in shape)]
        shape = chance.choice(chance.choice((shapes, with_ace)))
        hand += filter(None, [next((card for card in shoe if face(card) == shown), None) for shown in shape])
        shoe = [card for card in shoe if card not in hand]
    near = (rank(chance.choice(hand)) + chance.choice((-1, 0, 0, 1)) - 1) % len(RANKS) + 1
    wild = near if chance.random() < 0.8 else chance.randint(1, 13)
    jokers = [card for card in shoe if is_joker(card, wild)]
    if chance.random() < 0.3:
        jokers.sort(key=rank)
    for other in jokers[: chance.randint(0, 4)] + shoe[: chance.choice((0, 0, 1))]:
        hand[chance.randrange(len(hand))] = other
    hand = list(dict.fromkeys(hand))
    return (hand + [card for card in shoe if card not in hand])[:size], wild


KINDS = (dealt, with_jokers, crowded, crowded_with_jokers, nearly_declarable)


def cut_for(wild: int) -> str:
    """Return a cut joker that makes this rank wild."""
    return RANKS[wild - 1] + "S"
