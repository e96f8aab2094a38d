"""Hands cut into groups at random."""

from random import Random


def split_at_random(chance: Random, cards: list[str]) -> tuple[list[list[str]], list[str]]:
    """Return an arrangement as a careless player makes it: sorted, then cut anywhere."""
    cards = sorted(cards, key=chance.choice([str, lambda card: card[-1] + card]))
    cuts = sorted(chance.sample(range(1, 14), chance.randint(1, 5)))
    parts = [cards[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    return [part for part in parts if part], cards[cuts[-1] :]
