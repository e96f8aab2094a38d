"""The exact laws of first hands, against every hand of small decks, known values, and simulated deals."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate, combinations
from math import comb, sqrt
from random import Random

import pytest

from rules.books import BOOKS
from rules.cards import HAND_SIZE, ordered_shoe, total_points, wild_rank
from rules.expectations import hands
from rules.expectations.figures import BEYOND, Figure, Measure, all_figures
from rules.expectations.hands import Law, chance_without_runs, law_of, without_runs
from rules.expectations.significance import adjusted, chi_squared, share_interval, two_sided
from rules.expectations.tallies import ALL_SEATS, FirstHands, Holders, SumKey, Tally, tallies
from tests.fleet import planted_bias


def dealt(rng: Random, book: str = "standard-points", players: int = 3, people: int = 1) -> FirstHands:
    """Deal from a fair shoe: the first seats are people's, the others computer players'."""
    packs, cards = BOOKS[book].packs_for(players), players * HAND_SIZE
    shoe, first = rng.sample(ordered_shoe(packs), cards + 1), rng.randrange(players)
    return FirstHands(
        book=book,
        hands={(first + place) % players: tuple(shoe[place:cards:players]) for place in range(players)},
        wild=wild_rank(shoe[-1]),
        computers=frozenset(range(people, players)),
        winner=rng.randrange(players),
        tossed=True,
    )


def cards_of(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def summed_up(deals: list[FirstHands]) -> dict[SumKey, Tally]:
    sums: defaultdict[SumKey, Tally] = defaultdict(Counter)
    for deal in deals:
        for key, tally in tallies(deal):
            sums[key].update(tally)
    return dict(sums)


def figure_of(found: list[Figure], measure: Measure, **wanted: object) -> Figure:
    [figure] = [
        each
        for each in found
        if each.measure is measure and all(getattr(each, name) == value for name, value in wanted.items())
    ]
    return figure


# --- the laws ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packs", [2, 3])
@pytest.mark.parametrize("held", [1, 2, 6])
def test_the_chances_of_each_number_add_up_to_one_and_give_the_known_mean(packs: int, held: int) -> None:
    printed, wild = hands.printed_jokers(packs, held), hands.wild_cards(packs, held)
    assert sum(printed.values()) == sum(wild.values()) == 1
    assert law_of(printed).mean == Fraction(HAND_SIZE * held, 53)
    after_rank = Fraction(HAND_SIZE * held * (4 * packs - 1), 53 * packs - 1)
    after_joker = Fraction(HAND_SIZE * held * 4 * packs, 53 * packs - 1)
    assert law_of(wild).mean == Fraction(52, 53) * after_rank + Fraction(1, 53) * after_joker


def test_jokers_of_a_small_shoe_are_counted_as_every_hand_of_it_has_them() -> None:
    every = Counter(sum(card < 2 for card in hand) for hand in combinations(range(9), 4))
    assert hands.hypergeometric(9, 2, 4) == {number: Fraction(count, comb(9, 4)) for number, count in every.items()}


@pytest.mark.parametrize(("packs", "ranks", "suits", "size"), [(1, 5, 2, 3), (2, 4, 1, 4), (1, 6, 1, 3), (2, 3, 1, 3)])
def test_runs_are_as_many_as_every_hand_and_every_two_hands_of_a_small_shoe_have(
    packs: int, ranks: int, suits: int, size: int
) -> None:
    """Count by hand, the last rank standing in for the king."""
    shoe = [(number, suit) for _ in range(packs) for suit in range(suits) for number in range(ranks)]
    shoe += [(-1, -1)] * packs

    def has_none(hand: tuple[int, ...]) -> bool:
        held = {shoe[card] for card in hand}
        held |= {(ranks, suit) for number, suit in held if number == 0}
        return not any({(number + step, suit) for step in range(3)} <= held for number, suit in held)

    one = Fraction(sum(map(has_none, combinations(range(len(shoe)), size))), comb(len(shoe), size))
    both = every = 0
    for hand in combinations(range(len(shoe)), size):
        rest = [card for card in range(len(shoe)) if card not in hand]
        for other in combinations(rest, size):
            every += 1
            both += has_none(hand) and has_none(other)
    assert without_runs(packs, ranks, suits, size) == (one, Fraction(both, every))


@pytest.mark.parametrize("packs", [2, 3])
def test_points_have_the_moments_of_simulated_hands(packs: int) -> None:
    """Beside the exact mean and variance, those of 20,000 hands lie within four standard errors."""
    rng, shoe, count = Random(5), ordered_shoe(packs), 20_000
    found = []
    for _ in range(count):
        cards = rng.sample(shoe, HAND_SIZE + 1)
        found.append(total_points(cards[:-1], wild_rank(cards[-1])))
    law = hands.points_as_dealt(packs)
    mean = sum(found) / count
    variance = sum((points - mean) ** 2 for points in found) / count
    assert abs(mean - law.mean) < 4 * sqrt(law.variance / count)
    assert abs(variance - law.variance) < 4 * float(law.variance) * sqrt(2 / count)


@pytest.mark.parametrize(("book", "players"), [("standard-points", 2), ("lives-points", 6), ("club-points", 5)])
def test_sums_over_all_hands_of_a_deal_have_the_exact_means_and_variances(book: str, players: int) -> None:
    """The hands of a deal depend on each other: what one has, another cannot have."""
    rng, count, packs = Random(7), 4_000, BOOKS[book].packs_for(players)
    sums: dict[str, list[int]] = {"printed": [], "wild": [], "points": [], "pure": []}
    for _ in range(count):
        for key, tally in tallies(dealt(rng, book, players, people=players)):
            if key.seat == ALL_SEATS:
                for name, numbers in sums.items():
                    numbers.append(tally[name])
    laws = {
        "printed": law_of(hands.printed_jokers(packs, players)),
        "wild": law_of(hands.wild_cards(packs, players)),
        "points": hands.points_as_dealt(packs, players),
        "pure": hands.pure_sequences(packs, players),
    }
    for name, numbers in sums.items():
        law, mean = laws[name], sum(numbers) / count
        variance = sum((number - mean) ** 2 for number in numbers) / count
        assert abs(mean - law.mean) < 4 * sqrt(law.variance / count), name
        assert abs(variance - law.variance) < 6 * float(law.variance) * sqrt(2 / count), name


def test_hands_of_one_deal_share_the_runs_between_them() -> None:
    none, neither = chance_without_runs(2)
    assert 0 < neither - none * none < Fraction(1, 100)
    assert hands.pure_sequences(2, 1).mean == 1 - none


# --- significance -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [(3.841459, 1, 0.05), (6.634897, 1, 0.01), (69.832160, 52, 0.05), (78.615758, 52, 0.01), (26.065, 52, 0.9990)],
)
def test_the_chance_of_a_chi_squared_statistic_is_that_of_the_tables(
    statistic: float, freedom: int, chance: float
) -> None:
    assert chi_squared(statistic, freedom) == pytest.approx(chance, abs=1e-4)


@pytest.mark.parametrize(("count", "chance"), [(100, Fraction(1, 2)), (200, Fraction(1, 6)), (400, Fraction(1, 53))])
def test_the_chance_of_a_sum_is_close_to_the_exact_binomial_one(count: int, chance: Fraction) -> None:
    law = law_of({1: chance, 0: 1 - chance}).times(count)
    weights = [comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)]
    at_most = list(accumulate(weights))
    for number in range(count + 1):
        at_least = 1 - at_most[number] + weights[number]
        exact = min(1.0, 2 * float(min(at_least, at_most[number])))
        if exact > 1e-6:
            assert two_sided(number, law) == pytest.approx(exact, rel=0.2, abs=0.004), number


def test_nothing_left_to_chance_is_never_significant() -> None:
    assert two_sided(5, Law(Fraction(5), Fraction(0))) == 1.0


def test_holm_s_correction_is_that_of_the_worked_example() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([]) == []


def test_wilson_s_interval_is_that_of_the_worked_example() -> None:
    assert share_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert share_interval(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert share_interval(0, 0) == (0.0, 1.0)


# --- what is counted --------------------------------------------------------------------------------------------------


def test_a_deal_is_counted_for_each_seat_and_for_those_who_held_the_hands() -> None:
    ravi = cards_of("AC1 2C1 3C1 9D1 9H1 9S1 KC1 KD1 KH1 JR1 5S1 5D1 5H1")
    bot = cards_of("AH1 AD1 AS1 4C1 6C1 8C1 10C1 QC1 QD1 QH1 JR2 7S1 7D1")
    deal = FirstHands("standard-points", {1: bot, 0: ravi}, 5, frozenset({1}), 1, tossed=True)
    found = {(key.holders, key.seat): tally for key, tally in tallies(deal)}
    assert all(key.players == 2 and key.hands == 1 for key, _ in tallies(deal))
    own = {name: count for name, count in found[Holders.PEOPLE, 0].items() if count}
    assert own == {"deals": 1, "tosses": 1, "printed": 1, "wild": 3, "points": 72, "pure": 1}
    its = {name: count for name, count in found[Holders.COMPUTERS, 1].items() if count}
    assert its == {
        "deals": 1, "tosses": 1, "tosses_won": 1, "firsts": 1, "first_wins": 1, "wins": 1, "printed": 1, "points": 102,
    }  # fmt: skip
    whole = found[Holders.PEOPLE, ALL_SEATS]
    assert (whole["AC"], whole["JR"], whole["AH"], whole["points"]) == (1, 1, 0, 72)


def test_deals_of_several_people_are_one_deal_with_several_hands() -> None:
    [(key, whole)] = [each for each in tallies(dealt(Random(1), players=4, people=4)) if each[0].seat == ALL_SEATS]
    assert (key.hands, whole["deals"], whole["tosses"], whole["tosses_won"]) == (4, 1, 1, 1)
    assert sum(whole[face] for face in {card[:-1] for card in ordered_shoe(1)}) == 4 * HAND_SIZE


# --- figures ----------------------------------------------------------------------------------------------------------


def test_a_fair_shuffle_fits() -> None:
    rng = Random(11)
    deals = [dealt(rng, book, players, people) for book, players, people in 700 * FORMS]
    found = all_figures(summed_up(deals))
    tested = [figure for figure in found if figure.chance is not None]
    assert len(tested) > 100 and not any(figure.beyond for figure in tested)
    assert sum(figure.outside for figure in tested) < len(tested) / 10


FORMS = [("standard-points", 2, 1), ("standard-points", 6, 6), ("club-points", 5, 3), ("lives-points", 3, 0)]


def test_expectations_follow_the_packs_of_each_book_and_the_company_of_each_toss() -> None:
    rng = Random(2)
    found = all_figures(summed_up([dealt(rng, book, players, people) for book, players, people in 20 * FORMS]))
    lives = figure_of(found, Measure.WILD, book="lives-points", holders=Holders.COMPUTERS, seat=ALL_SEATS)
    assert lives.expected == law_of(hands.wild_cards(3)).mean and lives.count == 60
    toss = figure_of(found, Measure.TOSS, book="", holders=Holders.PEOPLE, seat=ALL_SEATS)
    assert toss.expected == (Fraction(1, 2) + Fraction(3, 5)) / 2 and toss.count == 40
    equal = figure_of(found, Measure.EQUAL_WINS, book="lives-points", holders=Holders.COMPUTERS, seat=1)
    assert equal.expected == Fraction(1, 3)
    assert not any(each.measure is Measure.EQUAL_WINS and each.holders is Holders.PEOPLE for each in found)


def test_too_little_is_shown_without_a_verdict_and_void_deals_without_a_figure() -> None:
    rng = Random(2)
    found = all_figures(summed_up([dealt(rng, players=2) for _ in range(29)]))
    assert found and all(figure.chance is None for figure in found)
    assert all_figures({SumKey("standard-points", 2, Holders.VOID, ALL_SEATS, 0): Counter(deals=5)}) == []


@pytest.mark.parametrize(
    ("bias", "often", "most"),
    [
        (planted_bias.joker_for_a_seat, 0.3, 600),
        (planted_bias.better_of_two_hands, 0.8, 600),
        (planted_bias.toss_for_a_seat, 0.3, 600),
        (planted_bias.swaps_left_out, 0.5, 600),
        (planted_bias.shuffle_ends_early, 0.9, 600),
        (planted_bias.words_of_zero, 0.9, 600),
    ],
)
def test_a_large_bias_is_found_soon(bias: planted_bias.Bias, often: float, most: int) -> None:
    assert planted_bias.deals_until_found(bias, often, Random(4), most=most) is not None


def test_a_fair_shuffle_is_not_found() -> None:
    assert planted_bias.deals_until_found(planted_bias.fair, 1.0, Random(4), most=4_000) is None
    assert BEYOND < 0.01
