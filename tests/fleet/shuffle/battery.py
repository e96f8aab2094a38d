"""Counts over many orders of the same cards, and how likely those counts are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isqrt
from operator import eq, gt

from tests.fleet.shuffle import chances

_BATCH = 1024
_HAND = 13


@dataclass
class Battery:
    """Counter of orders of cards, which are single characters; `chances()` returns how likely the counts are, by
    measure."""

    cards: str
    #: About so many orders will be counted: pairs are then told apart only as finely as they come up often enough.
    size: int
    count: int = 0
    _waiting: list[str] = field(default_factory=list)
    _places: list[Counter[int]] = field(default_factory=list)
    _pairs: dict[int, Counter[tuple[int, int]]] = field(default_factory=dict)
    _told: dict[str, Counter[object]] = field(default_factory=dict)
    _descents: int = 0
    _before: str = ""
    _seen: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        n = len(self.cards)
        self._places = [Counter() for _ in self.cards]
        self._pairs = {place: Counter() for place in (0, n // 2, n - 2)}
        self._told = {
            name: Counter() for name in ("fixed points", "cycles", "neighbours' gap", "ends' gap", "in a hand")
        }
        self._following: Counter[tuple[int, int]] = Counter()
        classes = max(2, min(n, isqrt(self.size // 20)))
        self._class = {card: place * classes // n for place, card in enumerate(self.cards)}
        self._number = {card: place for place, card in enumerate(self.cards)}
        self._marked = set(self.cards[: n // 4])

    def add(self, order: str) -> None:
        """Count one more shuffle."""
        self.count += 1
        self._seen.add(hash(order))
        for place, counter in self._pairs.items():
            counter[self._class[order[place]], self._class[order[place + 1]]] += 1
        if self._before:
            self._following[self._class[self._before[0]], self._class[order[0]]] += 1
        self._before = order
        self._descents += sum(map(gt, order, order[1:]))
        self._tell(order)
        self._waiting.append(order)
        if len(self._waiting) == _BATCH:
            self._flush()

    def _tell(self, order: str) -> None:
        cards, counts = self.cards, self._told
        counts["fixed points"][sum(map(eq, order, cards))] += 1
        counts["cycles"][self._cycles(order)] += 1
        counts["neighbours' gap"][order.index(cards[1]) - order.index(cards[0])] += 1
        counts["ends' gap"][order.index(cards[-1]) - order.index(cards[0])] += 1
        counts["in a hand"][sum(map(self._marked.__contains__, order[:_HAND]))] += 1

    def _cycles(self, order: str) -> int:
        leads = [self._number[card] for card in order]
        cycles = 0
        for start in range(len(leads)):
            if leads[start] < 0:
                continue
            cycles += 1
            at = start
            while leads[at] >= 0:
                leads[at], at = -1, leads[at]
        return cycles

    def _flush(self) -> None:
        joined, n = "".join(self._waiting).encode("latin-1"), len(self.cards)
        for place, counter in enumerate(self._places):
            counter.update(joined[place::n])
        self._waiting.clear()

    def chances(self) -> dict[str, float]:
        """Return by measure the chance of counts at most as even as these; 0 and 1 are equally suspicious."""
        self._flush()
        n, count = len(self.cards), self.count
        by_measure = {
            "places": self._of_places(),
            "descents": chances.of_mean(self._descents, count, (n - 1) / 2, (n + 1) / 12),
        }
        for place, counts in self._pairs.items():
            by_measure[f"pairs at {place}"] = chances.of_fit(counts, self._expected_pairs(count, apart=True))
        by_measure["first after first"] = chances.of_fit(self._following, self._expected_pairs(count - 1, apart=False))
        gaps = chances.gaps(n)
        laws = {
            "fixed points": chances.fixed_points(n),
            "cycles": chances.cycles(n),
            "neighbours' gap": gaps,
            "ends' gap": gaps,
            "in a hand": chances.drawn(n, len(self._marked), min(_HAND, n)),
        }
        for name, law in laws.items():
            by_measure[name] = chances.of_fit(self._told[name], {kind: count * chance for kind, chance in law.items()})
        by_measure["no order twice"] = 0.5 if len(self._seen) == count else 0.0
        return by_measure

    def _of_places(self) -> float:
        """Test cards by place; each shuffle fills each place and each card once, which the factor accounts for."""
        n = len(self.cards)
        often = self.count / n
        statistic = sum((counts[ord(card)] - often) ** 2 for counts in self._places for card in self.cards) / often
        return chances.chi_squared(statistic * (n - 1) / n, (n - 1) ** 2)

    def _expected_pairs(self, count: int, *, apart: bool) -> dict[object, float]:
        """Return the expected counts of pairs of card classes; `apart` means pairs of two different cards."""
        sizes, n = Counter(self._class.values()), len(self.cards)
        all_pairs = n * (n - 1) if apart else n * n
        return {
            (one, other): count * sizes[one] * (sizes[other] - (apart and one == other)) / all_pairs
            for one in sizes
            for other in sizes
        }


def suspicious(by_measure: dict[str, float], *, of_all: int, sure: float = 0.99) -> list[str]:
    """Return the measures out of an honest shuffle's range, in which all `of_all` measures together lie with 99 %."""
    bar = 1 - sure ** (1 / of_all)
    return [f"{name}: {chance:.2e}" for name, chance in by_measure.items() if 2 * min(chance, 1 - chance) < bar]


def characters(count: int) -> str:
    """Return that many different cards, one character each, that encode as one byte."""
    return "".join(map(chr, range(33, 33 + count)))


def chances_of(cards: str, size: int, orders: Iterable[str]) -> dict[str, float]:
    battery = Battery(cards, size)
    for order in orders:
        battery.add(order)
    return battery.chances()
