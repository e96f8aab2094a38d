"""Valid declarations, and what a loser who stayed to the end pays."""

import pytest

from rules.books import BOOKS, book
from rules.cards import wild_rank
from rules.declaration import fault, judge, plain_and_jokers
from tests.unit.rules.hands import groups


def judged(text, loose="", cut="JR", key="standard-points"):
    return judge(book(key), wild_rank(cut), groups(text), loose.split())


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        pytest.param("3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2H 2C", True, id="seed 000 rule 25: two sequences, sets"),
        pytest.param("3H 4H 5H | 7C JR 9C | KS KD KH | 2S 2D 2H 2C", True, id="the second sequence may be impure"),
        pytest.param("3H JR 5H | 7C JR 9C | KS KD KH | 2S 2D 2H 2C", False, id="one of them must be pure"),
        pytest.param("3H 4H 5H | 7C 7D 7H | KS KD KH | 2S 2D 2H 2C", False, id="one sequence is not enough"),
        pytest.param("3H 4H 5H 6H 7H 8H 9H 10H JH QH | KS KD KH", False, id="however long"),
        pytest.param("3H 4H 5H | JR JR JR | KS KD KH | 2S 2D 2H 2C", True, id="only jokers count as a sequence"),
        pytest.param("3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2S 2C", False, id="every group must be a meld"),
    ],
)
def test_a_declaration_is_valid(text, valid):
    assert judged(text).valid is valid


@pytest.mark.parametrize(
    ("key", "text", "loose", "reasons"),
    [
        ("standard-points", "3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2H 2C", "", None),
        ("standard-points", "3H JR 5H | 7C JR 9C | KS KD KH | 2S 2D 2H 2C", "", "There is no pure sequence."),
        ("standard-points", "3H 4H 5H | 7C 7D 7H | KS KD KH | 2S 2D 2H 2C", "", "There is no second sequence."),
        ("lives-points", "3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2H 2C", "",
         "Neither of the two sequences has 4 cards."),
        ("standard-points", "3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2S 2C", "", "One group is not a meld."),
        ("standard-points", "3H 4H 5H | 7C 8C 9C | KS KD KH", "2S 2D 2H 9D", "4 cards lie in no group."),
        ("standard-points", "7H 8S 9D | 2C 2C 2C", "JR 3S 4S 5S 6S 7S 8S",
         "There is no pure sequence. 2 groups are not melds. 7 cards lie in no group."),
        ("lives-points", "3H 4H 5H 6H | 7C 8C 9C | KS KD KH", "JR JR 2C", "A card lies in no group."),
        ("standard-points", "3H 4H 5H | 7C 8C 9C", "", "These are not 13 cards."),
    ],
)  # fmt: skip
def test_why_it_is_no_declaration(key, text, loose, reasons):
    """Reasons and judgement agree: there is no reason exactly where the declaration is valid."""
    judgement = judged(text, loose, key=key)
    melds = [(kind, len(group)) for kind, group in zip(judgement.kinds, groups(text), strict=True)]
    loose_counts = plain_and_jokers(loose.split(), wild_rank("JR"))
    assert fault(book(key), melds, *loose_counts) == judgement.fault == reasons
    assert judgement.valid is (reasons is None)


def test_loose_cards_make_a_declaration_invalid():
    assert not judged("3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2H", "2C").valid
    assert not judged("3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2H", "JR").valid


def test_a_declaration_has_thirteen_cards():
    assert not judged("3H 4H 5H | 7C 8C 9C | KS KD KH | 2S 2D 2H").valid
    assert not judged("3H 4H 5H 6H | 7C 8C 9C | KS KD KH | 2S 2D 2H 2C").valid


def test_a_declaration_has_six_groups_at_most():
    six = "3H 4H 5H 6H | 7C 8C 9C | 2S 2D 2H | JR | JR | JR"
    assert judged(six, key="lives-points").valid
    assert not judged("3H 4H 5H 6H | 7C 8C 9C | JR | JR | JR | AS | AD AD", key="lives-points").valid


@pytest.mark.parametrize(
    ("text", "loose", "points"),
    [
        pytest.param("9H 9S 9C", "KS QS 8C 7H 4H 2D 2C KD KH JC", 80, id="no pure sequence: all count, 80 at most"),
        pytest.param("9H 9S 9C", "2S 3D 2C 3H 4H 2D 2C 3S 4S AH", 52, id="no pure sequence: sets count, aces do not"),
        pytest.param(
            "9H 10H JH | 9H 9S 9C", "2S 3D 2C 3H 4H 2D 2C", 45, id="rule 28 v: no second sequence, sets count"
        ),
        pytest.param("9H 10H JH | 3S 4S 5S | 9H 9S 9C", "2S 3D 2C 3H", 10, id="rule 28 vii: all melds are free"),
        pytest.param("9H 10H JH | 3S 4S 5S | KS KS QS", "2S 3D 2C 3H", 40, id="rule 28 viii: what is no meld counts"),
        pytest.param("9H 10H JH | 3S 4S 5S | 9H 9S 9C 9D | JR AS AD", "", 2, id="rule 28 xiii: nothing is two"),
        pytest.param("9H JR JH | 3S AS 5S | 9H 9S 9C 9D", "2H 3H 4C", 72, id="impure sequences alone free nothing"),
    ],
)
def test_a_loser_pays(text, loose, points):
    assert judged(text, loose).points == points


@pytest.mark.parametrize(
    ("text", "loose", "valid", "points"),
    [
        pytest.param("3H 4H 5H 6H | 7C 8C 9C | KS KD KH", "JR AS AD", True, 2, id="seed 002: unused jokers loose"),
        pytest.param("3H 4H 5H 6H | 7C 8C 9C | KS KD KH | JR AS AD", "", True, 2, id="or in a group of their own"),
        pytest.param("3H 4H 5H | 7C 8C 9C JR | KS KD KH | AS AD AD", "", True, 2, id="the second life has the four"),
        pytest.param("3H 4H 5H | 7C 8C 9C | KS KD KH 2S", "JR AS AD", False, 80, id="no life of four: 80 flat"),
        pytest.param("QS QS QS | 7C 8C 9C 10C | KS KD KH", "JR AS AD", True, 2, id="a tunnela is a first life"),
        pytest.param("QS QS QS | 2C 2C 2C | 3H 4H 5H", "JR AS AD AD", False, 80, id="three lives of three: 80"),
        pytest.param("7C 8C 9C 10C | KS KD KH | 3H 4H 6S", "JR AS AD", False, 80, id="one life: 80"),
        pytest.param("7C 8C 9C 10C | 3H 4H 5H | KS KS KH", "JR AS AD", False, 30, id="both lives: the rest counts"),
        pytest.param("7C 8C JR 10C | 3H AS 5H", "KS KD KH AD 2D 2D", False, 80, id="no pure sequence: 80"),
    ],
)
def test_with_lives_a_loser_pays(text, loose, valid, points):
    judgement = judged(text, loose, key="lives-points")
    assert (judgement.valid, judgement.points) == (valid, points)


@pytest.mark.parametrize("key", sorted(BOOKS))
def test_an_empty_arrangement_costs_the_whole_hand(key):
    expected = 80 if book(key).four_card_life else 37
    assert judged("", "2S 3S 4S 5S 6S 2D 3D 4D 5D 3H JR AS AD", key=key).points == expected
