"""Statistics of the shuffle: a short part of `python -m tests.fleet shuffle`, and the biased shuffles it detects."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from math import isclose

import pytest

from rules import shuffling
from tests.fleet import shuffle
from tests.fleet.shuffle import chances
from tests.fleet.shuffle.battery import suspicious

ROUNDS = 3_000
#: So many together pass with 99 %.
MEASURES = 84


def suspicious_in(shuffler: shuffle.Shuffle) -> list[str]:
    """Return the suspicious measures of the first kind of shuffle that has any."""
    kinds = shuffle.measured(shuffler, 1, ROUNDS)
    return next(filter(None, (suspicious(measures, of_all=MEASURES) for _, measures in kinds)), [])


def test_the_shuffle_passes_and_every_number_is_as_likely() -> None:
    assert suspicious_in(shuffling.shuffled) == []
    assert shuffle.uneven((3, 52, 60, 105, 106, 159)) == []


def stream(material: bytes) -> Iterator[int]:
    yield from hashlib.shake_256(material).digest(4_000)


Swap = Callable[[int, int, Iterator[int]], int]


def fisher_yates(number: Swap, last: int = 0) -> shuffle.Shuffle:
    """Return the right shuffle, but with another choice of the card to swap with."""

    def shuffled(cards: Sequence[str], label: str, seed: bytes, clients: Sequence[bytes]) -> Sequence[str]:
        order, words = list(cards), stream(label.encode() + seed + b"".join(clients))
        for place in range(len(order) - 1, last, -1):
            other = number(place, len(order), words)
            order[place], order[other] = order[other], order[place]
        return order

    return shuffled


def even(bound: int, words: Iterator[int]) -> int:
    return next(word for word in words if word < 256 - 256 % bound) % bound


def riffled(cards: Sequence[str], label: str, seed: bytes, clients: Sequence[bytes]) -> Sequence[str]:
    """Riffle six times by hand, which is one too few."""
    order, words = list(cards), stream(label.encode() + seed + b"".join(clients))
    for _ in range(6):
        cut = sum(next(words).bit_count() for _ in range(len(order) // 8))
        left, right = order[:cut], order[cut:]
        order = []
        while left or right:
            left_first = even(len(left) + len(right), words) < len(left)
            order.append((left if left_first else right).pop(0))
    return order


CROOKED: dict[str, shuffle.Shuffle] = {
    "a byte modulo the bound": fisher_yates(lambda place, n, words: next(words) % (place + 1)),
    "no card may stay": fisher_yates(lambda place, n, words: even(place, words)),
    "any place of all": fisher_yates(lambda place, n, words: even(n, words)),
    "the second card stays behind": fisher_yates(lambda place, n, words: even(place + 1, words), last=1),
    "seven bits of a word": fisher_yates(lambda place, n, words: (next(words) & 127) * (place + 1) >> 7),
    "six riffles": riffled,
    "without the label": lambda cards, label, seed, clients: shuffling.shuffled(cards, "", seed, clients),
    "without half of the seed": lambda cards, label, seed, clients: shuffling.shuffled(cards, label[-1:], b"", ()),
}


@pytest.mark.parametrize("name", CROOKED)
def test_a_crooked_shuffle_is_seen(name: str) -> None:
    assert suspicious_in(CROOKED[name])


def test_words_that_favour_small_numbers_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bias of a word modulo the bound is too small for a million shuffles, but a count over every possible word
    shows it."""
    monkeypatch.setattr(shuffling, "_below", lambda bound, words: next(words) % bound)
    assert shuffle.uneven((52, 106)) == ["numbers under 52 are not all alike", "numbers under 106 are not all alike"]


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [(3.841, 1, 0.05), (18.307, 10, 0.05), (6.635, 1, 0.01), (2.558, 10, 0.99), (124.342, 100, 0.05), (0, 5, 1)],
)
def test_chances_are_those_of_the_printed_tables(statistic: float, freedom: int, chance: float) -> None:
    assert isclose(chances.chi_squared(statistic, freedom), chance, rel_tol=2e-3)


@pytest.mark.parametrize(
    "law", [chances.fixed_points(60), chances.cycles(60), chances.gaps(60), chances.drawn(60, 15, 13)]
)
def test_the_chances_of_a_law_are_one_together(law: dict[object, float]) -> None:
    assert isclose(sum(law.values()), 1, rel_tol=1e-9)
