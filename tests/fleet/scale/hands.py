"""The product compared with the slow oracle on very many hands, on two cores.

Every hand is judged in a random arrangement, or in one that is nearly right: the best, with up to two cards in a wrong
place. Exact arranging is compared on fewer hands, since the oracle tries every subset of a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from random import Random

from rules.books import BOOKS, RuleBook, book
from rules.cards import face
from rules.declaration import judge
from rules.solver.search import best
from tests.support.hands import split_at_random
from tests.unit.rules import oracle
from tests.unit.rules.hands import KINDS, cut_for, dealt

_HANDS_A_PART = 500
_DEALS = (dealt, dealt, dealt, *KINDS)


@dataclass(frozen=True, slots=True)
class Part:
    """Hands of one book: `judged` of them in some arrangement, the first `arranged` also arranged exactly."""

    book: str
    seed: int
    judged: int
    arranged: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison: numbers of hands, the kinds of groups met, and every hand with a difference."""

    judged: int
    arranged: int
    valid: int
    kinds: frozenset[str]
    differences: tuple[str, ...]


def parts(judged: int, arranged: int) -> list[Part]:
    """Return parts with at least that many hands in all, spread over all books."""
    many = -(-judged // (_HANDS_A_PART * len(BOOKS)))
    few = -(-arranged // (many * len(BOOKS)))
    keys = [key for _ in range(many) for key in BOOKS]
    return [Part(key, seed, _HANDS_A_PART, few) for seed, key in enumerate(keys)]


def compare_all(work: list[Part], jobs: int = 2) -> list[Comparison]:
    """Compare all parts in `jobs` processes."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(compare, work, chunksize=2))


def compare(part: Part) -> Comparison:
    """Compare product and oracle on the hands of one part."""
    return compare_by(book(part.book), part)


def compare_by(rules: RuleBook, part: Part) -> Comparison:
    """Compare the hands by rules that may differ from the oracle's."""
    chance, differences, kinds, valid = Random(part.seed), list[str](), set[str](), 0
    for number in range(part.judged):
        cards, wild = chance.choice(_DEALS)(chance, 13, rules.packs_for(rules.max_seats))
        faces, cut = [face(card) for card in cards], cut_for(wild)
        groups, loose = _arrangement(chance, rules, wild, faces)
        verdict, expected = judge(rules, wild, groups, loose), oracle.judge(part.book, cut, groups, loose)
        if (list(verdict.kinds), verdict.valid, verdict.points) != expected:
            differences.append(f"judge {part.book} {cut} {groups} {loose}: {expected}")
        kinds.update(verdict.kinds)
        valid += verdict.valid
        if number < part.arranged:
            differences += _arranged_otherwise(rules, part.book, wild, faces)
    oracle.kind.cache_clear()
    return Comparison(part.judged, part.arranged, valid, frozenset(kinds), tuple(differences))


def _arrangement(chance: Random, rules: RuleBook, wild: int, faces: list[str]) -> tuple[list[list[str]], list[str]]:
    """Return a random arrangement, or the best one with up to two cards moved."""
    if chance.random() < 0.8:
        return split_at_random(chance, faces)
    arranged = best(rules, wild, faces)
    places = [*map(list, arranged.groups), list(arranged.loose)]
    for _ in range(chance.randrange(3)):
        source, target = chance.choice(places), chance.choice(places)
        if source:
            target.append(source.pop(chance.randrange(len(source))))
    return [group for group in places[:-1] if group], places[-1]


def _arranged_otherwise(rules: RuleBook, key: str, wild: int, faces: list[str]) -> Iterator[str]:
    arranged, expected = best(rules, wild, faces), oracle.best(key, cut_for(wild), faces)
    if (arranged.points, arranged.valid) != expected:
        yield f"best {key} {cut_for(wild)} {faces}: {expected}"
