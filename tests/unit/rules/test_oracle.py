"""The product against the slow oracle, on difficult hands, and the oracle against planted faults."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from rules.books import BOOKS, RuleBook, book
from rules.cards import face
from rules.declaration import judge
from rules.solver.search import best
from tests.support.hands import split_at_random
from tests.support.sampling import one_of_each
from tests.unit.rules import exact, oracle
from tests.unit.rules.hands import KINDS, crowded, cut_for, dealt, nearly_declarable


def differences(rules: RuleBook, seed: int, hands: int) -> Iterator[str]:
    """Yield every hand on which the product, playing by these rules, and the oracle disagree."""
    chance, packs = Random(seed), rules.packs_for(rules.max_seats)
    for _ in range(hands):
        cards, wild = chance.choice(KINDS)(chance, 13, packs)
        faces, cut = [face(card) for card in cards], cut_for(wild)
        groups, loose = split_at_random(chance, faces)
        judgement = judge(rules, wild, groups, loose)
        if (list(judgement.kinds), judgement.valid, judgement.points) != oracle.judge(rules.key, cut, groups, loose):
            yield f"judge {cut} {groups} {loose}"
        arranged = best(rules, wild, faces)
        if (arranged.points, arranged.valid) != oracle.best(rules.key, cut, faces):
            yield f"best {cut} {faces}"


@pytest.mark.parametrize("luck", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("key", sorted(BOOKS))
def test_hands_are_worth_what_the_oracle_says(key, luck):
    assert list(differences(book(key), seed=sorted(BOOKS).index(key) + 100 * luck, hands=1 + 3 * luck)) == []


@pytest.mark.slow
@pytest.mark.parametrize("key", ["standard-points", "lives-points"])
def test_fourteen_cards_are_worth_what_the_oracle_says(key):
    chance = Random(14)
    for deal in (dealt, crowded, crowded):
        cards, wild = deal(chance, 14, 3)
        faces = [face(card) for card in cards]
        arranged = best(book(key), wild, faces)
        assert (arranged.points, arranged.valid) == oracle.best(key, cut_for(wild), faces)


@pytest.mark.parametrize("key", one_of_each(["standard-points", "lives-points"]))
def test_the_exact_search_and_the_oracle_agree(key):
    chance = Random(3)
    for deal in (*KINDS, *KINDS, nearly_declarable, nearly_declarable):
        cards, wild = deal(chance, 13, 3)
        faces = [face(card) for card in cards]
        assert exact.best(key, cut_for(wild), faces) == oracle.best(key, cut_for(wild), faces)


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("lives-points", {"jokers_per_meld": 2}),
        ("lives-points", {"four_card_life": False}),
        ("lives-points", {"tunnela": False}),
        ("lives-points", {"jokers_apart": False}),
        ("standard-points", {"jokers_per_meld": 1}),
        ("club-points", {"tunnela": True}),
        ("standard-points", {"least_points": 0}),
    ],
    ids=str,
)
def test_a_wrong_field_of_a_book_is_found(key, fault):
    assert any(differences(replace(book(key), **fault), seed=1, hands=60))
