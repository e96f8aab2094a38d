"""Statistical tests of the shuffle: shoes, tosses, reshuffles, and pairs of these within one deal.

The platform's own `rules.shuffling.shuffled` gets counters instead of random seeds: its stream is a digest, for which a
counter is as good an input as any other. An honest shuffle passes all measures together with 99 %. A finite number of
shuffles cannot show whether the numbers to swap by are even; that is checked for every possible word.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rules import shuffling
from tests.fleet.shuffle.battery import chances_of, characters, suspicious

#: Shuffles of a shoe; a tenth of it of everything else.
SIZE = 1_000_000
_PART = 10
_WORDS = 1 << 16

Shuffle = Callable[[Sequence[str], str, bytes, Sequence[bytes]], Sequence[str]]
KINDS: dict[str, tuple[int, str]] = {
    "shoe": (106, ""),
    "shoe of three packs": (159, ""),
    "toss": (52, "/toss"),
    "reshuffle": (60, "/reshuffle-1"),
    "second reshuffle": (60, "/reshuffle-2"),
}


def run(*, seed: int, size: int) -> dict[str, Any]:
    """Test `size` shuffles; see above."""
    kinds = measured(shuffling.shuffled, seed, size)
    measures = {f"{kind}, {name}": chance for kind, each in kinds for name, chance in each.items()}
    faults = suspicious(measures, of_all=len(measures)) + uneven(range(2, 160))
    least = min(2 * min(chance, 1 - chance) for name, chance in measures.items() if "twice" not in name)
    rounded = {name: round(chance, 4) for name, chance in measures.items()}
    return {"shuffles": size, "measures": len(measures), "least chance": least, "chances": rounded, "faults": faults}


def measured(shuffle: Shuffle, seed: int, size: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each kind of shuffle with the chances of all its measures."""
    for kind, (cards, suffix) in KINDS.items():
        count = size if kind == "shoe" else max(size // _PART, 2_000)
        yield kind, chances_of(characters(cards), count, orders(shuffle, cards, suffix, seed, count))
    yield "beside", _beside(shuffle, seed, max(size // _PART, 2_000))


def orders(shuffle: Shuffle, cards: int, suffix: str, seed: int, count: int) -> Iterator[str]:
    """Yield the orders of deals 1, 2, 3, … with a seed and two players' seeds each."""
    ordered = characters(cards)
    for deal in range(1, count + 1):
        yield "".join(shuffle(ordered, f"{deal}{suffix}", *_seeds(seed, deal)))


def _seeds(seed: int, deal: int) -> tuple[bytes, list[bytes]]:
    return (seed << 64 | deal).to_bytes(64, "big"), [deal.to_bytes(16, "big"), b"\x01" * 16]


def _beside(shuffle: Shuffle, seed: int, count: int) -> dict[str, float]:
    """Test that a deal's shoe and its reshuffle, or two reshuffles, differ as much as those of two deals.

    The places of the first order's cards in the second are an order too, and as likely as any other.
    """
    cards = characters(60)

    def between(one: str, other: str) -> Iterator[str]:
        pairs = zip(orders(shuffle, 60, one, seed, count), orders(shuffle, 60, other, seed, count), strict=True)
        for first, second in pairs:
            yield "".join(cards[first.index(card)] for card in second)

    labels = {"reshuffle": ("", "/reshuffle-1"), "second reshuffle": ("/reshuffle-1", "/reshuffle-2")}
    measures = {}
    for name, (one, other) in labels.items():
        measures |= {
            f"{name}: {measure}": chance for measure, chance in chances_of(cards, count, between(one, other)).items()
        }
    return measures


def uneven(bounds: Iterator[int] | Sequence[int] | range) -> list[str]:
    """Return the bounds under which the numbers do not all come from equally many words."""
    wrong = []
    for bound in bounds:
        # A word that is passed over lets the next one decide, here 0: it is taken out again.
        counts = Counter(shuffling._below(bound, iter((word, 0))) for word in range(_WORDS))
        counts[0] -= _WORDS % bound
        if set(counts.values()) != {_WORDS // bound} or len(counts) != bound:
            wrong.append(f"numbers under {bound} are not all alike")
    return wrong
