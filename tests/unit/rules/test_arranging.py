"""The best arrangement: exact, of the very cards given, and found in time for every hand."""

from functools import partial
from random import Random

import pytest
from hypothesis import given, strategies as st

from rules.books import BOOKS, book
from rules.cards import wild_rank
from rules.declaration import judge
from rules.errors import RulesError
from rules.solver.search import best
from tests.support.effort import calls_of
from tests.support.sampling import one_of_each
from tests.unit.rules.hands import KINDS


def arranged(cards, cut="KS", key="standard-points"):
    return best(book(key), wild_rank(cut), cards.split())


def written(groups):
    return " | ".join(" ".join(group) for group in groups)


def test_a_hand_that_can_be_declared_is():
    hand = arranged("3H 4H 5H 7H 8H JR 10H QD QS QC 9C 9S 9D")
    assert (hand.valid, hand.points, hand.loose) == (True, 2, ())
    assert written(hand.groups) == "3H 4H 5H | 7H 8H JR 10H | QC QD QS | 9C 9D 9S"


def test_a_single_run_of_thirteen_is_cut_into_two_sequences():
    hand = arranged("AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH", cut="5S")
    assert hand.valid
    assert len(hand.groups) > 1


def test_a_held_wild_card_above_the_others_may_be_left_out_of_their_run():
    """Ace, two and three with two jokers in place of cards, though the wild three of that suit is in the hand as
    well."""
    hand = arranged("10S JS QS 4C 5C 6C 8D 9D 10D 2H 3H 3S 3C", cut="3D")
    assert (hand.valid, hand.points, hand.loose) == (True, 2, ())


def test_spare_jokers_join_the_second_sequence():
    hand = arranged("JR JR 5H 5C 5D 5S 5H 5C 5D 5S 7H 8H 9H", cut="5C")
    assert (hand.valid, hand.kinds) == (True, ("pure", "impure"))


def test_spare_jokers_lie_apart_with_lives():
    hand = arranged("3H 4H 5H 6H 7C 8C 9C 2D 2S 2C JR JR KD", key="lives-points")
    assert hand.valid
    assert sorted(hand.loose) == ["JR", "JR", "KD"]


def test_without_a_pure_sequence_nothing_is_worth_grouping():
    hand = arranged("3H 4H JR 6H 7C 8C JR 10C 2D 2S 2C 4S 9D")
    assert (hand.groups, hand.points) == ((), 57)


def test_a_dearer_first_life_alone_beats_cheaper_lives():
    hand = arranged("AS 2S 3S 4S 5S QH 9D 7C 2D 6H 10C JD 8D")
    assert written(hand.groups) == "AS 2S 3S 4S 5S"
    assert hand.points == 62


def test_the_discard_is_the_dearest_card_left_over():
    hand = arranged("3H 4H 5H 7H 8H 9H QD QS QC 9C 9S 2D 10C JD")
    assert (hand.discard, sorted(hand.loose), hand.points) == ("JD", ["10C", "2D", "9C", "9S"], 30)


def test_the_discard_that_allows_a_declaration_is_made():
    hand = arranged("3H 4H 5H 7H 8H 9H QD QS QC 2C 2S 2D 2H 10C")
    assert (hand.valid, hand.discard) == (True, "10C")


def test_fourteen_cards_that_all_fit_still_give_one_up():
    hand = arranged("3H 4H 5H 6H 7H 8H 9H QD QS QC 2C 2S 2D 2H")
    assert hand.valid
    assert hand.discard is not None
    assert sum(map(len, hand.groups)) == 13


def test_the_cards_of_the_hand_keep_their_packs():
    hand = arranged("3H1 4H2 5H1 7H1 8H2 JR2 10H1 QD1 QS1 QC2 9C1 9S1 9D2")
    assert written(hand.groups) == "3H1 4H2 5H1 | 7H1 8H2 JR2 10H1 | QC2 QD1 QS1 | 9C1 9D2 9S1"


@pytest.mark.parametrize("count", [0, 12, 15])
def test_other_numbers_of_cards_are_refused(count):
    with pytest.raises(RulesError, match="13 cards"):
        best(book("standard-points"), 5, ["7H"] * count)


def hands(*sizes):
    return st.builds(
        lambda seed, deal, size, packs: deal(Random(seed), size, packs),
        st.integers(0, 2**32),
        st.sampled_from(KINDS),
        st.sampled_from(sizes),
        st.sampled_from([2, 3]),
    )


@given(st.sampled_from(sorted(BOOKS)), hands(13, 14), st.integers(0, 2**32))
def test_an_arrangement_is_the_hand_and_judged_as_it_says(key, hand, order):
    cards, wild = hand
    arrangement = best(book(key), wild, cards)
    out = [arrangement.discard] if len(cards) == 14 else []
    assert sorted([*sum(arrangement.groups, ()), *arrangement.loose, *out]) == sorted(cards)
    assert len(arrangement.groups) <= book(key).max_groups
    judgement = judge(book(key), wild, arrangement.groups, arrangement.loose)
    assert (arrangement.kinds, arrangement.valid, arrangement.points) == (
        judgement.kinds,
        judgement.valid,
        judgement.points,
    )
    assert "invalid" not in arrangement.kinds
    assert best(book(key), wild, Random(order).sample(cards, len(cards))) == arrangement


@given(st.sampled_from(sorted(BOOKS)), hands(14))
def test_no_other_discard_is_better(key, hand):
    cards, wild = hand
    arrangement = best(book(key), wild, cards)
    others = [best(book(key), wild, cards[:at] + cards[at + 1 :]) for at in range(14)]
    assert arrangement.points == min(other.points for other in others)
    assert arrangement.valid == any(other.valid for other in others)


@pytest.mark.parametrize("deal", KINDS)
@pytest.mark.parametrize("key", one_of_each(["lives-points", "standard-points"]))
def test_no_hand_takes_long(key, deal):
    """The search stays small for each kind of hand: five thousand calls take about a millisecond."""
    chance, calls = Random(20), []
    for size in (13, 14) * 75:
        cards, wild = deal(chance, size, 3)
        calls.append(calls_of(partial(best, book(key), wild, cards)))
    calls.sort()
    assert calls[len(calls) // 2] < 5_000
    assert calls[-2] < 15_000 and calls[-1] < 40_000
