"""Playing together: the sums of hand-made deals, and what the signals make of sums with known answers."""

from random import Random

import pytest

from rules.collusion import Sequence, Sums, Usual, add_sums, combined, signals_of
from rules.collusion.chances import chance_above, chance_of_count, combined_chance, deviate
from rules.collusion.deals import completes, promise
from rules.collusion.signals import Signal
from rules.collusion.sums import RATES, less

USUAL = Usual(
    means={**dict.fromkeys(RATES, 0.1), "fed": 0.0, "gap": 0.0, "took_needed": 0.5, "faults": 0.02, "broken": 0.005},
    variances={**dict.fromkeys(RATES, 0.09), "fed": 1.0, "gap": 600.0},
    between={**dict.fromkeys(RATES, 0.002), "fed": 0.01, "gap": 20.0, "wins": 0.03},
)


def found(
    toward: Sums, back: Sums | None = None, whole: Sums | None = None, sequence: Sequence | None = None
) -> dict[tuple[str, int | None], Signal]:
    """Return the signals by kind and giver; the whole is what is toward the other, where nothing else is given."""
    of_both = {**toward}, {**(back or {})}
    wholes = whole if whole is not None else {**toward}, {**(back or {})}
    signals = signals_of(of_both, wholes, sequence or Sequence(), USUAL)
    return {(signal.kind, signal.giver): signal for signal in signals}


@pytest.mark.parametrize(
    ("card", "cards", "makes"),
    [
        ("5H1", ["6H1", "7H2"], True),
        ("5H1", ["4H1", "6H2"], True),
        ("AH1", ["QH1", "KH2"], True),
        ("AH1", ["2H1", "3H2"], True),
        ("AH1", ["KH1", "2H2"], False),
        ("5H1", ["5S1", "5D2"], True),
        ("5H1", ["5S1", "5S2"], False),
        ("5H1", ["5H2", "5D2"], False),
        ("5H1", ["6H1", "8H1"], False),
        ("5H1", ["6S1", "7S1"], False),
    ],
)
def test_two_cards_make_a_meld_with_a_third_or_not(card: str, cards: list[str], makes: bool) -> None:
    assert completes(card, cards) is makes


def test_a_hand_is_better_by_its_jokers_and_a_pure_sequence() -> None:
    poor, joker = ["2H1", "9S1", "KD1", "5C1"], ["2H1", "9S1", "KD1", "JR1"]
    run = ["2H1", "3H1", "4H1", "JR1"]
    assert promise(7, poor) < promise(7, joker) < promise(7, run)
    assert promise(9, poor) > promise(7, poor), "a wild card is a joker"


def test_sums_add_up_and_leave_a_rest() -> None:
    sums: Sums = {"choices": 2}
    add_sums(sums, {"choices": 3, "beyond": 0.5})
    assert sums == {"choices": 5, "beyond": 0.5}
    assert less(sums, {"choices": 2}) == {"choices": 3, "beyond": 0.5}


def test_wins_one_after_the_other_are_joined_where_they_meet() -> None:
    early, late = Sequence(), Sequence()
    for winner in (1, 2, 2):
        early.won(winner)
    for winner in (1, 1):
        late.won(winner)
    early.then(late)
    assert (early.turns, early.wins, early.first, early.last) == (2, {1: 3, 2: 2}, 1, 1)
    early.then(Sequence())
    assert (early.turns, early.last) == (2, 1)


def test_discards_that_help_one_more_than_everybody_else_are_seen() -> None:
    alike: Sums = {"choices": 200, "helped": 60, "leeway": 20, "beyond": 0, "beyond2": 20}
    seen = found({**alike, "helped": 90, "beyond": 30})["fed", 0]
    assert seen.deviate > 4
    assert (seen.figures["helped"], seen.figures["count"]) == (90, 200)
    assert seen.figures["expected"] == pytest.approx(60), "what chance lets go, for nothing else is known of them"
    assert abs(found(alike)["fed", 0].deviate) < 1


def test_who_helps_everybody_so_helps_nobody_in_particular() -> None:
    toward: Sums = {"choices": 200, "helped": 90, "leeway": 20, "beyond": 30, "beyond2": 25}
    with_all: Sums = {"choices": 2_200, "helped": 990, "leeway": 220, "beyond": 330, "beyond2": 275}
    seen = found(toward, whole=with_all)["fed", 0]
    assert seen.deviate < 1
    assert seen.figures["expected"] == pytest.approx(90, rel=0.05), "a beginner lets helpful cards go to anybody"


def test_takes_are_compared_for_the_same_need() -> None:
    whole: Sums = {"needed": 400, "took_needed": 200, "useless": 400, "took_useless": 40}
    needed_more: Sums = {"needed": 100, "took_needed": 50, "useless": 20, "took_useless": 2}
    takes_more: Sums = {"needed": 50, "took_needed": 49, "useless": 50, "took_useless": 20}
    assert found(needed_more, whole=whole)["took", 0].deviate < 1
    assert found(takes_more, whole=whole)["took", 0].deviate > 3


def test_drops_by_a_hand_that_nobody_can_know_are_seen() -> None:
    """Of forty turns, ten drops: at the ten best hidden hands, or at ten that are as the others."""
    hands = [2.0] * 10 + [1.0] * 30
    seen: Sums = {"seen": 40, "promise": sum(hands), "promise2": sum(hand * hand for hand in hands), "gave_up": 10}
    assert found({**seen, "gave_up_promise": 20.0})["told", 0].deviate > 5
    assert abs(found({**seen, "gave_up_promise": 12.5})["told", 0].deviate) < 0.5


def test_wrong_shows_for_one_winner_are_seen() -> None:
    toward: Sums = {"deals": 60, "fair": 20, "faults": 12, "faults_due": 30, "faults_won": 12}
    elsewhere_too: Sums = {"deals": 600, "fair": 200, "faults": 120}
    assert found(toward)["faults", 0].chance < 1e-3
    assert found({**toward, "faults_won": 1})["faults", 0].chance > 0.1
    assert found(toward, whole=elsewhere_too)["faults", 0].chance > 0.05, "they are careless everywhere"


def test_points_to_one_winner_are_compared_with_those_to_others() -> None:
    toward: Sums = {"caught": 60, "gap": 60 * 25.0, "gap2": 60 * 1_200.0}
    whole: Sums = {"caught": 260, "gap": 60 * 25.0, "gap2": 260 * 900.0}
    the_same_to_all: Sums = {"caught": 260, "gap": 260 * 25.0, "gap2": 260 * 1_200.0}
    assert found(toward, whole=whole)["gave", 0].deviate > 3
    assert found(toward, whole=the_same_to_all)["gave", 0].deviate < 1


def test_wins_beside_one_player_are_compared_with_wins_elsewhere() -> None:
    """Of sixty deals at tables of three the other wins fifty; elsewhere both win as often as anybody."""
    both: Sums = {"deals": 60, "fair": 20, "wins": 2}
    wholes = [{"deals": 360.0, "fair": 120.0, "wins": 102.0}, {"deals": 360.0, "fair": 120.0, "wins": 150.0}]
    signals = signals_of((both, {**both, "wins": 50}), (wholes[0], wholes[1]), Sequence(), USUAL)
    won = {signal.giver: signal for signal in signals if signal.kind == "won"}
    assert won[0].deviate > 3
    assert won[1].deviate < -1


def test_winning_in_turns_is_seen_and_winning_by_chance_is_not() -> None:
    turns, chance, rng = Sequence(), Sequence(), Random(4)
    for number in range(60):
        turns.won(number % 2)
        chance.won(rng.randrange(2))
    assert found({}, sequence=turns)["turns", None].deviate > 6
    assert abs(found({}, sequence=chance)["turns", None].deviate) < 2


def test_few_deals_say_nothing() -> None:
    assert found({"leeway": 1, "beyond": 5, "deals": 4, "fair": 1, "faults_won": 4, "faults_due": 1}) == {}
    assert combined([]).whole == 0


def test_chances_are_those_of_the_distributions() -> None:
    assert chance_above(0) == pytest.approx(0.5)
    assert deviate(chance_above(2.5)) == pytest.approx(2.5)
    # Poisson, where the shape is large: 1 - e^-2 (1 + 2).
    assert chance_of_count(2, 2.0, 1e9) == pytest.approx(0.594, abs=1e-3)
    # Geometric, where it is one: the chance of k or more is (m / (1 + m)) ** k.
    assert chance_of_count(3, 1.0, 1.0) == pytest.approx(0.125)


def test_one_rare_signal_stands_out_among_usual_ones() -> None:
    assert combined_chance([1e-6, 0.5, 0.5, 0.5]) == pytest.approx(4e-6, rel=0.01)
    assert combined_chance([1e-6, 1 - 1e-9]) < 1e-5, "what points the other way hides nothing"


def test_discards_of_both_count_together() -> None:
    one, other = (Signal("fed", giver, 3.0, chance_above(3.0), {}) for giver in (0, 1))
    assert combined([one, other]).play > combined([one]).play + 1


def test_circumstances_alone_make_no_case_and_add_one_at_most() -> None:
    usual, rare = Signal("fed", 0, 0.0, 0.5, {}), Signal("fed", 0, 4.0, 1e-4, {})
    assert combined([usual], circumstances=5).whole == combined([usual]).play < 1
    assert combined([rare], circumstances=1).whole == pytest.approx(4.5, abs=0.01)
    assert combined([rare], circumstances=9).whole == pytest.approx(5, abs=0.01)
