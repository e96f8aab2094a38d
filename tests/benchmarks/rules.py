"""The best arrangement and the judgement of one, for hands as they are dealt and for hands chosen to be hard.

The floor is the least that any answer needs: reading the same cards and adding up their points.
"""

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from rules.books import RuleBook, book
from rules.cards import parse, total_points
from rules.declaration import judge
from rules.solver.search import best
from tests.benchmarks import timed
from tests.unit.rules import hands

Hand: TypeAlias = tuple[RuleBook, int, list[str]]


def measure(count: int = 100_000) -> dict[str, Any]:
    """Return milliseconds per hand, half of them in the books with lives, each figure beside its floor."""
    dealt, drawn = _hands(hands.dealt, 13, count), _hands(hands.dealt, 14, count)
    hard = [hand for deal in hands.KINDS for hand in _hands(deal, 14, -(-count // len(hands.KINDS)))]
    first, *more = (
        _row("best arrangement of 13 cards dealt", _arrange, dealt),
        _row("best arrangement and discard of 14 cards dealt", _arrange, drawn),
        _row("best arrangement and discard of 14 cards chosen to be hard", _arrange, hard),
        _row("verdict on four groups of 13 cards dealt", _judge, dealt),
    )
    return first | {"more": more}


def _row(what: str, call: Callable[[Hand], object], given: list[Hand]) -> dict[str, Any]:
    floor = {"what": "the same cards read and their points added up"} | timed(_floor, given)
    return {"what": what, "unit": "ms", "count": len(given)} | timed(call, given) | {"floor": floor}


def _hands(deal: Callable[[Random, int, int], tuple[list[str], int]], size: int, count: int) -> list[Hand]:
    chance, dealt = Random(size), []
    for number in range(count):
        rules, packs = (book("lives-points"), 3) if number % 2 else (book("standard-points"), 2)
        cards, wild = deal(chance, size, packs)
        dealt.append((rules, wild, cards))
    return dealt


def _arrange(hand: Hand) -> None:
    rules, wild, cards = hand
    best(rules, wild, cards)


def _judge(hand: Hand) -> None:
    rules, wild, cards = hand
    judge(rules, wild, (cards[:3], cards[3:6], cards[6:9], cards[9:]), ())


def _floor(hand: Hand) -> None:
    _, wild, cards = hand
    total_points([parse(card) for card in cards], wild)
