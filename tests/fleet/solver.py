"""The best arrangement against an exact search, in all books, on difficult hands.

Half of the hands are nearly declarable, with wild cards in their own place, beside it and elsewhere; the others are
random, rich in jokers or crowded. Half have 13 cards and half 14; half are from three packs. Two processes run it.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from random import Random

from rules.books import BOOKS, book
from rules.cards import JOKER, face, is_joker, rank, suit
from rules.solver.search import best
from tests.fleet.progress import progress
from tests.support.database import Figures
from tests.unit.rules import exact
from tests.unit.rules.hands import KINDS, cut_for, dealt, nearly_declarable

#: Hands.
SIZE = 200_000
_A_PART = 250
_DEALS = (*KINDS, dealt, *[nearly_declarable] * 4)
_PRINTED = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A number of hands of one book."""

    book: str
    seed: str
    hands: int


def run(*, seed: int, size: int, jobs: int = 2) -> Figures:
    """Compare at least `size` hands, evenly over the books."""
    rounds = -(-size // (_A_PART * len(BOOKS)))
    parts = [Part(key, f"{seed}/{number}/{key}", _A_PART) for number in range(rounds) for key in BOOKS]
    counts, faults = Counter[str](), list[str]()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for part_counts, wrong in pool.map(compare_part, parts):
            counts += part_counts
            faults += wrong
            progress(counts["hands"], len(parts) * _A_PART, "hands")
    return {"books": len(BOOKS), **counts, "differences": len(faults), "faults": faults[:20]}


def compare_part(part: Part) -> tuple[Counter[str], list[str]]:
    """Return the features of the part's hands, counted, and those that the product arranges unlike the exact search."""
    chance, counts, faults = Random(part.seed), Counter[str](), list[str]()
    for number in range(part.hands):
        packs = 2 + chance.randrange(2)
        cards, wild = chance.choice(_DEALS)(chance, 13 + number % 2, packs)
        result, wrong = compare_hand(part.book, wild, cards)
        faults += wrong
        counts.update(["hands", f"of {len(cards)} cards", f"from {packs} packs", *_features(wild, cards, result)])
    return counts, faults


def compare_hand(key: str, wild: int, cards: list[str]) -> tuple[tuple[int, bool], list[str]]:
    """Return points and validity by the exact search, and the command that shows a difference of the product."""
    faces, cut, arrangement = [face(card) for card in cards], cut_for(wild), best(book(key), wild, cards)
    expected = exact.best(key, cut, faces)
    laid = [*sum(arrangement.groups, ()), *arrangement.loose, *([arrangement.discard] if arrangement.discard else [])]
    same = (arrangement.points, arrangement.valid) == expected and sorted(laid) == sorted(cards)
    command = f'arrange --book {key} --cut {cut} "{" ".join(faces)}"'
    return expected, [] if same else [f"{command}: {expected}, but {arrangement.points, arrangement.valid}"]


def _features(wild: int, cards: list[str], result: tuple[int, bool]) -> Iterator[str]:
    """Return the features that make a hand worth comparing."""
    if result[1]:
        yield "that can be declared"
    if sum(face(card) == JOKER for card in cards) >= _PRINTED:
        yield "with two printed jokers or more"
    plain = {(suit(card), rank(card)) for card in cards if not is_joker(card, wild)}
    if any((suit(card), wild + step) in plain for card in cards if rank(card) == wild for step in (-2, -1, 1, 2)):
        yield "with a wild card in or beside its own place"
