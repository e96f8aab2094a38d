"""The plans of a hand: their distance against the solver's search, and what is worth keeping and waiting for."""

from random import Random

import pytest

from rules.books import BOOKS
from rules.bots.plans import BIT, RUNS, Outlook, Unseen
from rules.cards import PACK, Card, ordered_shoe, wild_rank
from rules.solver.search import best

ALL = sum(BIT.values())
BOOK = BOOKS["standard-points"]


def unseen(jokers: int = 8, total: int = 92) -> Unseen:
    return Unseen(ALL, ALL, 0, jokers, total)


def cards(text: str) -> list[Card]:
    return [f"{face}1" for face in text.split()]


def test_every_run_of_three_is_there_once_with_what_makes_it_longer() -> None:
    assert len(RUNS) == len({window for window, _ in RUNS}) == 48
    by_window = dict(RUNS)
    assert by_window[BIT["AH"] | BIT["2H"] | BIT["3H"]] == BIT["4H"]
    assert by_window[BIT["QH"] | BIT["KH"] | BIT["AH"]] == BIT["JH"]
    assert by_window[BIT["5C"] | BIT["6C"] | BIT["7C"]] == BIT["4C"] | BIT["8C"]


@pytest.mark.parametrize(
    ("hand", "distance"),
    [
        ("3H 4H 5H 7C 8C 9C 2D 2S 2C KD KS KH KC", 0),
        ("3H 4H 5H 7C 8C JR 2D 2S 2C KD KS KH KC", 0),
        ("3H 4H 7C 8C 9C JR 2D 2S 2C KD KS KH KC", 0),
        ("3H 4H 5H 7C 8C QD 2D 2S 2C KD KS KH KC", 1),
        ("3H 4H 5H 7C 8C QD 2D 2S AC KD KS KH KC", 2),
    ],
)
def test_the_distance_is_the_number_of_cards_still_to_come(hand: str, distance: int) -> None:
    assert Outlook(cards(hand), 6, unseen()).distance == distance


def test_near_hands_are_as_near_as_the_search_finds() -> None:
    """A plan of distance 0 is a show; at distance 1 some card makes one."""
    rng, found = Random(4), 0
    shoe = list(ordered_shoe(2))
    for _ in range(60):
        rng.shuffle(shoe)
        wild, hand = wild_rank(shoe[0]), near_hand(rng, shoe[1:], wild_rank(shoe[0]))
        distance = Outlook(hand, wild, unseen()).distance
        if distance > 1:
            continue
        found += 1
        valid = best(BOOK, wild, hand).valid
        reachable = any(best(BOOK, wild, [*hand, f"{face}9"[:-1] + "1"]).valid for face in PACK)
        assert valid if distance == 0 else reachable, hand
    assert found > 8


def near_hand(rng: Random, shoe: list[Card], wild: int) -> list[Card]:
    """Return a hand to which the best of many cards have come: a few steps from a show."""
    hand, rest = list(shoe[:13]), list(shoe[13:])
    for card in rest[:20]:
        hand = [*hand, card]
        hand.remove(best(BOOK, wild, hand).discard)
    return hand


def test_a_card_of_a_plan_is_missed_and_one_that_is_in_none_is_not() -> None:
    hand = cards("3H 4H 5H 7C 8C 9C 2D 2S QD KD KS KH KC 6S")
    outlook = Outlook(hand, 13, unseen())
    kept, whole = outlook.without("6S1"), outlook.without(None)
    assert kept == whole
    assert outlook.without("8C1").show < whole.show and outlook.without("4H1").pure < whole.pure
