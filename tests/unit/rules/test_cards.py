"""The text of cards, their points and the shoe they come from. RULES.md, Cards."""

import pytest
from hypothesis import given, strategies as st

from rules import cards
from rules.errors import BadCard


@pytest.mark.parametrize(("packs", "count"), [(1, 53), (2, 106), (3, 159)])
def test_a_shoe_holds_every_pack_once(packs, count):
    shoe = cards.ordered_shoe(packs)
    assert len(shoe) == len(set(shoe)) == count
    assert shoe[0] == "AC1"
    assert shoe[12:14] == ("KC1", "AD1")
    assert shoe[52] == "JR1"


def test_the_toss_pack_has_no_joker():
    assert len(set(cards.TOSS_PACK)) == 52
    assert "JR" not in cards.TOSS_PACK


@pytest.mark.parametrize(
    ("card", "points"),
    [("AS", 10), ("KD", 10), ("QC", 10), ("JH1", 10), ("10D2", 10), ("9S", 9), ("2H3", 2), ("JR", 0), ("JR2", 0)],
)
def test_a_card_counts(card, points):
    assert cards.points(card, wild=5) == points


def test_a_wild_card_counts_nothing():
    assert cards.points("KD", wild=13) == 0
    assert cards.points("KD2", wild=13) == 0


@pytest.mark.parametrize(("cut", "wild"), [("5H", 5), ("KS1", 13), ("10D", 10), ("AC", 1), ("JR", 1), ("JR2", 1)])
def test_the_cut_joker_makes_its_rank_wild_and_a_printed_one_the_aces(cut, wild):
    assert cards.wild_rank(cut) == wild


@given(st.sampled_from(cards.ordered_shoe(3)))
def test_a_physical_card_is_its_face_and_its_pack(card):
    face = cards.face(card)
    assert card in {f"{face}{pack}" for pack in (1, 2, 3)}
    assert cards.face(face) == face
    assert (cards.rank(card), cards.suit(card)) == (cards.rank(face), cards.suit(face))
    assert cards.parse(card) == card
    assert cards.parse(face) == face


@pytest.mark.parametrize(
    "text", ["", "1H", "11H", "7", "H7", "7h", "7H4", "7H0", "JR9", "J", " 7H", "7H\n", "٧H", "XX"]
)
def test_an_unknown_card_is_refused(text):
    with pytest.raises(BadCard, match="is not a card"):
        cards.parse(text)
