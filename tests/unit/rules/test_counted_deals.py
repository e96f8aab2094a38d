"""The sums of deals that were played by hand: each decision counts for whom it concerns, and nothing else does."""

import pytest

from rules.books import book
from rules.collusion import CountedDeal, sums_of_deal
from rules.collusion.deals import arranged, chances_to_go, jokers_due, promise
from rules.game import events as e
from rules.game.events import Event
from tests.unit.rules.game.play import Table, deal, play

#: B has a pure sequence, and waits for 5H or 8H; nothing else in the hand of A helps them.
A = "8H KD QS JC 9C 2C 4S AD 10S JS 3D KC 7C"
B = "2S 3S 4S 6H 7H KH 9D QC 4C 10H JD AH 8S"
C = "2H 3C 5S 6D 8D 9S JH QD KS 4D 6C 7S 10C"


def dealt_by_hand(
    words: str, *, hands: tuple[str, ...] = (A, B, C), cut: str = "5C", key: str = "standard-points"
) -> list[Event]:
    """Return the events of a deal in which these hands were dealt and this was played."""
    table = deal(
        key, list(hands), upcard="QH" if book(key).open_pile else "", cut=cut, closed="2D KS 5D QD 9H 6S JH 3H"
    )
    dealt, begun = table.state.current, len(table.log)
    top = [entry.card for entry in dealt.discards]
    assert dealt.cut is not None and dealt.turn is not None
    first = table.find(e.TurnBegan)
    play(table, words)
    order = dealt.order
    cards = e.CardsDealt(
        deal_id=dealt.deal_id, number=1, order=order, packs=dealt.packs, clients=(),
        hands=tuple(dealt.hand(seat).cards for seat in order), closed=(*top, dealt.cut, *dealt.closed),
    )  # fmt: skip
    shown = [e.UpcardTurned(card=card) for card in top]
    turned = e.CutJokerTurned(card=dealt.cut, wild_rank=dealt.wild)
    began = e.TurnBegan(seat=order[0], number=1, clock=first.clock)
    return [cards, *shown, turned, began, *(event for events in table.log[begun:] for event in events)]


def counted(words: str, key: str = "standard-points", **changes: str) -> CountedDeal:
    found = sums_of_deal(book(key), dealt_by_hand(words, key=key, **changes))
    assert found is not None
    return found


def test_a_discard_that_helps_the_next_one_is_held_against_the_rest_of_the_choice() -> None:
    deal_of_three = counted("draw closed; discard 8H; draw open; discard KH; drop; drop")
    fed = deal_of_three.sums[0, 1]
    assert (fed["choices"], fed["helped"]) == (1, 1)
    due = 1 - fed["beyond"]
    assert 0.4 < due < 0.6, "the eight is the dearest card without a link, and not the only one to let go"
    assert (fed["leeway"], fed["beyond2"]) == pytest.approx((due * (1 - due), (1 - due) ** 2))
    assert "choices" not in deal_of_three.sums[0, 2], "it lay open for the next player alone"
    assert deal_of_three.sums[0, None]["beyond"] == fed["beyond"]
    took = deal_of_three.sums[1, 0]
    assert (took["needed"], took["took_needed"]) == (1, 1)
    assert deal_of_three.winner == 1


def test_a_discard_that_does_not_help_counts_against_it_where_another_would_have() -> None:
    kept = counted("draw closed; discard KD; draw closed; discard KH; drop; drop")
    let_go = counted("draw closed; discard 8H; draw closed; discard KH; drop; drop")
    assert (kept.sums[0, 1]["choices"], kept.sums[0, 1]["helped"]) == (1, 0)
    assert kept.sums[0, 1]["beyond"] == pytest.approx(let_go.sums[0, 1]["beyond"] - 1)
    useless = kept.sums[1, 0]
    assert (useless["useless"], useless["took_useless"]) == (1, 0)


def test_the_chance_to_go_rises_with_points_and_falls_with_links() -> None:
    cards = tuple(
        sorted(["8H1", "KD1", "QS1", "JC1", "9C1", "2C1", "4S1", "AD1", "10S1", "JS1", "3D1", "KC1", "7C1", "2D2"])
    )
    chances = chances_to_go("KD1", arranged(book("standard-points"), 5, cards), 5)
    assert sum(chances.values()) == pytest.approx(1)
    assert chances["8H1"] > chances["4S1"], "neither has a link, and the eight counts more"
    assert chances["8H1"] > chances["KD1"] > chances["JC1"], "they have none, two and three"
    assert "QS1" not in chances, "it lies in a meld"


def test_a_drop_counts_beside_the_hidden_hands_of_those_still_in() -> None:
    dropped = counted("drop; draw closed; discard KH; drop")
    toward = dropped.sums[0, 1]
    assert (toward["seen"], toward["gave_up"]) == (1, 1)
    assert toward["gave_up_promise"] == pytest.approx(toward["promise"])
    assert dropped.sums[1, 2]["seen"] == 1 and "gave_up" not in dropped.sums[1, 2]
    assert (1, 0) not in dropped.sums or "seen" not in dropped.sums[1, 0], "who is out is out"


def test_a_hand_is_held_against_the_jokers_that_its_own_leaves_for_others() -> None:
    table = deal("standard-points", [A, B, C], cut="5C")
    plenty = deal("standard-points", ["5H 5D 5S 5C JR JR " + " ".join(A.split()[6:]), B, C], cut="5H")
    assert jokers_due(table.state.current, 0) > jokers_due(plenty.state.current, 0)
    cards = [f"{each}1" for each in B.split()]
    assert promise(5, cards) == pytest.approx(promise(5, cards[::-1]))


def test_a_wrong_show_counts_for_the_one_who_wins() -> None:
    shown = counted("draw closed; finish KD; 0: submit; draw closed; discard KH; drop")
    assert shown.winner == 1
    assert (shown.sums[0, 1]["faults_won"], shown.sums[0, 2]["faults_won"]) == (1, 0)
    assert shown.sums[0, 1]["faults_due"] == 0.5


def test_each_deal_has_one_winner_and_equal_chances() -> None:
    deal_of_three = counted("draw closed; discard 8H; drop; drop")
    own = {seat: deal_of_three.sums[seat, None] for seat in range(3)}
    assert [own[seat]["wins"] for seat in range(3)] == [1, 0, 0]
    assert sum(sums["fair"] for sums in own.values()) == pytest.approx(1)


def test_in_a_blind_deal_nobody_feeds_anybody() -> None:
    blind = counted("draw closed; discard 8H; draw closed; discard KH; drop; drop", key="standard-blind")
    assert all("choices" not in sums and "needed" not in sums and "useless" not in sums for sums in blind.sums.values())


def test_a_deal_without_a_result_counts_nothing() -> None:
    assert sums_of_deal(book("standard-points"), dealt_by_hand("draw closed; discard 8H")) is None


def test_what_the_platform_discards_is_nobodys_choice() -> None:
    table: Table = deal("standard-points", [A, B, C])
    play(table, "draw closed")
    assert table.state.current.turn is not None
    timed_out = counted("draw closed; timeout; timeout; drop; drop")
    assert "choices" not in timed_out.sums[0, 1]
