"""Every meld of the rules, and groups that only look like one. The ids name the source of each example."""

import pytest
from hypothesis import given, strategies as st

from rules.books import BOOKS, book
from rules.cards import is_joker, ordered_shoe, wild_rank
from rules.melds import Kind, has_run, in_reading_order, judge_group
from tests.unit.rules import oracle
from tests.unit.rules.hands import cut_for

STANDARD, LIVES = "standard-points", "lives-points"


def kind(cards, cut, key=STANDARD):
    return judge_group(book(key), wild_rank(cut), cards.split()).kind


@pytest.mark.parametrize(
    ("cards", "cut", "expected"),
    [
        pytest.param("3H 4H 5H", "KS", "pure", id="seed 000 rule 21: a sequence"),
        pytest.param("3H 4H 5H", "4S", "pure", id="seed 000 rule 22: pure even if 4H is the joker"),
        pytest.param("QD JD 10D", "KS", "pure", id="seed 000 rule 22: in any order"),
        pytest.param("7H 8H JR 10H", "KS", "impure", id="seed 000 rule 23: a printed joker for 9H"),
        pytest.param("7H 5C 5H JR 9H", "5S", "impure", id="seed 000 rule 23: three jokers for 8H, 10H and one more"),
        pytest.param("4H 4S 4C", "KS", "set", id="seed 000 rule 24: three of a face"),
        pytest.param("9H 9S 9C 9D", "KS", "set", id="seed 000 rule 24: four of a face"),
        pytest.param("6S 6S 6H", "KS", "invalid", id="seed 000 rule 24: two of one suit are no set"),
        pytest.param("5S 5S 5H", "KS", "invalid", id="seed 003 caution: two decks, the same card twice"),
        pytest.param("AS 2S 3S", "KH", "pure", id="RULES.md: ace low"),
        pytest.param("QS KS AS", "5H", "pure", id="RULES.md: ace high"),
        pytest.param("KS AS 2S", "5H", "invalid", id="RULES.md: never both ways round"),
        pytest.param("AC AD AH", "JR", "impure", id="RULES.md: a printed joker cut makes aces wild; only jokers"),
        pytest.param("JR JR JR", "5H", "impure", id="RULES.md: only jokers, printed"),
        pytest.param("JR JR 5C 5D 5H 5S", "5H", "impure", id="RULES.md: only jokers, more than a set may hold"),
        pytest.param("JR JR", "5H", "invalid", id="RULES.md: two jokers are no meld"),
        pytest.param("7H JR JR", "5H", "impure", id="RULES.md: could be a sequence or a set, so the sequence"),
        pytest.param("7H 7C JR", "5H", "set", id="RULES.md: a joker for a missing suit"),
        pytest.param("7H 7C 7D 7S JR", "5H", "invalid", id="RULES.md: never more than four cards in a set"),
        pytest.param("7H 7C JR JR JR", "5H", "invalid", id="RULES.md: nor with jokers"),
        pytest.param("7H 7H JR", "5H", "invalid", id="RULES.md: the same card twice, with a joker"),
        pytest.param("2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH", "5S", "pure", id="RULES.md: thirteen cards in a run"),
        pytest.param("AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH JR", "5S", "impure", id="RULES.md: thirteen with a joker"),
        pytest.param("8H 9H", "KS", "invalid", id="two cards are no meld"),
        pytest.param("8H", "KS", "invalid", id="nor is one"),
        pytest.param("8H 9H 10C", "KS", "invalid", id="two suits"),
        pytest.param("8H 9H JH", "KS", "invalid", id="a gap"),
        pytest.param("4H 5H 6H 6C", "6S", "impure", id="one wild card in its own place, one standing for another"),
        pytest.param("7H 8H 9H 7H", "KS", "invalid", id="a card twice in a run"),
        pytest.param("QS QS QS", "KH", "invalid", id="tunnela only where the book says so"),
    ],
)
def test_a_group_is(cards, cut, expected):
    assert kind(cards, cut) == expected


@pytest.mark.parametrize(
    ("cards", "cut", "expected"),
    [
        pytest.param("QS QS QS", "KH", "pure", id="seed 002: three of rank and suit are a pure run"),
        pytest.param("QS QS QS", "QH", "pure", id="a tunnela of wild cards"),
        pytest.param("JR JR JR", "QH", "jokers", id="seed 002: except printed jokers"),
        pytest.param("QS QS JR", "KH", "invalid", id="no joker helps a tunnela"),
        pytest.param("7H 8H JR 10H", "KS", "impure", id="seed 002: one joker in a run"),
        pytest.param("7H 8H JR JR", "KS", "invalid", id="seed 002: not two"),
        pytest.param("5H 6H 7H 8H JR", "6S", "impure", id="a wild card in its own place is no joker"),
        pytest.param("7H 7C JR", "KS", "set", id="seed 002: two of a set and a joker"),
        pytest.param("7H JR JR", "KS", "invalid", id="one card and two jokers"),
        pytest.param("QS QH QS", "QC", "set", id="wild cards as themselves, one standing for a suit"),
        pytest.param("JR", "KS", "jokers", id="seed 002: unused jokers apart, one"),
        pytest.param("JR KH KD JR KC", "KS", "jokers", id="seed 002: unused jokers apart, five"),
    ],
)
def test_with_lives_a_group_is(cards, cut, expected):
    assert kind(cards, cut, LIVES) == expected


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("8H 9H", "A meld needs three cards or more"),
        ("6S 6S 6H", "A set needs different suits"),
        ("7H 7C 7D 7S JR", "A set has four cards at most"),
        ("8H 9H JH", "This sequence has a gap"),
        ("8H 9H 9H", "A sequence holds no card twice"),
        ("8H 9H 10C", "These cards share neither suit nor rank"),
    ],
)
def test_an_invalid_group_has_a_reason(cards, reason):
    assert judge_group(book(STANDARD), 2, cards.split()).reason == reason


def test_too_many_jokers_are_said_to_be_too_many():
    assert judge_group(book(LIVES), 2, ["7H", "8H", "JR", "JR"]).reason == "Too many jokers in one meld"


GROUPS = st.lists(st.sampled_from(ordered_shoe(3)), min_size=1, max_size=13, unique=True)


@given(st.sampled_from(sorted(BOOKS)), st.integers(1, 13), GROUPS, st.randoms())
def test_a_verdict_depends_on_neither_order_nor_pack(key, wild, cards, chance):
    verdict = judge_group(book(key), wild, cards)
    faces = [card[:-1] for card in chance.sample(cards, len(cards))]
    assert judge_group(book(key), wild, faces) == verdict
    assert (verdict.reason is None) == (verdict.kind is not Kind.INVALID)


@given(st.sampled_from(sorted(BOOKS)), st.integers(1, 13), GROUPS)
def test_a_group_without_jokers_is_pure_a_set_or_nothing(key, wild, cards):
    plain = [card for card in cards if not is_joker(card, wild)]
    assert judge_group(book(key), wild, plain).kind in (Kind.PURE, Kind.SET, Kind.INVALID)


@given(
    st.sampled_from(sorted(BOOKS)),
    st.integers(1, 13),
    st.sampled_from("CDHS"),
    st.lists(st.integers(1, 13), min_size=3, max_size=8, unique=True),
    st.integers(0, 3),
)
def test_near_runs_are_judged_as_by_the_oracle(key, wild, letter, ranks, jokers):
    cards = [oracle.RANKS[rank - 1] + letter for rank in ranks] + ["JR"] * jokers
    cut = cut_for(wild)
    assert judge_group(book(key), wild, cards).kind == oracle.kind(key, cut, tuple(sorted(cards)))


@pytest.mark.parametrize(
    ("cards", "kind", "wild", "read"),
    [
        ("6H1 4H1 5H1", Kind.PURE, 9, "4H1 5H1 6H1"),
        ("AS1 QS1 KS1", Kind.PURE, 9, "QS1 KS1 AS1"),
        ("3S1 AS1 2S1", Kind.PURE, 2, "AS1 2S1 3S1"),
        ("10H1 JR1 8H1 7H1", Kind.IMPURE, 5, "7H1 8H1 JR1 10H1"),
        ("5C1 9H1 JR1 7H1 5H1", Kind.IMPURE, 5, "5H1 JR1 7H1 5C1 9H1"),
        ("AD1 JR1 QD1", Kind.IMPURE, 5, "QD1 JR1 AD1"),
        ("KS1 JR1 AS1 QS1", Kind.IMPURE, 5, "JR1 QS1 KS1 AS1"),
        ("KS1 JR1 QS1 JS1 JR2", Kind.IMPURE, 5, "JR2 JS1 QS1 KS1 JR1"),
        ("KS1 QS1 JS1 10S1 JR1", Kind.IMPURE, 10, "10S1 JS1 QS1 KS1 JR1"),
        ("QS1 AS1 JR1 KS1", Kind.IMPURE, 1, "JR1 QS1 KS1 AS1"),
        ("3S1 2S1 4S1 JR1", Kind.IMPURE, 2, "2S1 3S1 4S1 JR1"),
        ("7H3 7H1 7H2", Kind.PURE, 9, "7H1 7H2 7H3"),
        ("KS1 JR1 KC1", Kind.SET, 5, "KC1 KS1 JR1"),
        ("9S1 3D1 5H1 2D1 JR1", Kind.INVALID, 5, "2D1 3D1 9S1 JR1 5H1"),
        ("JR1 5C1 JR2", Kind.JOKERS, 5, "JR1 JR2 5C1"),
    ],
)
def test_cards_of_a_result_lie_as_one_reads_them(cards: str, kind: Kind, wild: int, read: str) -> None:
    assert in_reading_order(cards.split(), kind, wild) == tuple(read.split())


@given(
    st.integers(1, 13),
    st.sampled_from("CDHS"),
    st.lists(st.integers(1, 13), min_size=1, max_size=8, unique=True),
    st.integers(0, 3),
)
def test_a_sequence_is_read_as_the_run_that_it_is_judged_to_be(wild, letter, ranks, jokers):
    cards = [oracle.RANKS[rank - 1] + letter + "1" for rank in ranks] + [f"JR{number + 1}" for number in range(jokers)]
    plain = [card for card in cards if not is_joker(card, wild)]
    if not plain or not judge_group(book(STANDARD), wild, cards).kind.is_sequence:
        return
    read = in_reading_order(cards, judge_group(book(STANDARD), wild, cards).kind, wild)
    assert sorted(read) == sorted(cards)
    row = [*oracle.RANKS, "A"]
    runs = [row[start : start + len(cards)] for start in range(15 - len(cards))]
    assert any(all(run[read.index(card)] == card[:-2] for card in plain) for run in runs)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("AH1 2H1 3H1", True),
        ("AH1 2H1 3H2", True),
        ("QS1 KS2 AS1", True),
        ("KD1 AD1 2D1", False),
        ("4C1 5C1 6D1", False),
        ("4C1 4C2 5C1 6C2", True),
        ("JR1 7H1 8H1", False),
    ],
)
def test_a_run_is_three_of_a_suit_in_their_own_places(hand: str, expected: bool) -> None:
    assert has_run(hand.split()) is expected
