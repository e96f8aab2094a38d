"""Skill as a rating: what one match moves, how much it counts, and the places in it."""

import pytest

from lobby.ratings.skill import NEWCOMER, MatchPart, Skill, places, rated, weight_of


def test_the_rating_that_people_read_begins_at_a_thousand_and_rises_with_skill_that_is_certain() -> None:
    assert (NEWCOMER.shown, NEWCOMER.uncertainty) == (1000, 333)
    assert Skill(30.0, 2.0).shown == 1960 and Skill(30.0, 1.0).shown == 2080


def test_one_call_moves_each_by_their_place_and_equal_places_alike() -> None:
    first, second, third = rated([NEWCOMER] * 3, [1, 2, 3], 1)
    assert first.mu > second.mu > third.mu and max(first.sigma, third.sigma) < NEWCOMER.sigma
    one, other, last = rated([NEWCOMER] * 3, [1, 1, 3], 1)
    assert one == other and one.mu > last.mu


def test_a_weight_goes_so_far_and_no_further() -> None:
    whole, half = rated([NEWCOMER] * 2, [1, 2], 1)[0], rated([NEWCOMER] * 2, [1, 2], 0.5)[0]
    assert half.mu - NEWCOMER.mu == pytest.approx((whole.mu - NEWCOMER.mu) / 2)
    assert NEWCOMER.sigma - half.sigma == pytest.approx((NEWCOMER.sigma - whole.sigma) / 2)


@pytest.mark.parametrize(
    ("meetings", "players", "weight"),
    [(0, 2, 1.0), (10, 2, 0.5), (90, 2, 0.1), (0, 6, 1.0), (150, 6, 0.5), (30, 6, 10 / 12)],
)
def test_what_a_match_counts_falls_with_repeated_company(meetings: int, players: int, weight: float) -> None:
    assert weight_of(meetings, players) == weight


def part(last: int, total: int, *, left: bool = False) -> MatchPart:
    return MatchPart(last_deal=last, left=left, total=total)


@pytest.mark.parametrize(
    ("parts", "winners", "most_wins", "expected"),
    [
        pytest.param({1: part(7, 90), 2: part(7, 104), 3: part(3, 120)}, {1}, False, [1, 2, 3], id="who lasted longer"),
        pytest.param({1: part(7, 90), 2: part(7, 140), 3: part(7, 104)}, {1}, False, [1, 3, 2], id="the lower total"),
        pytest.param({1: part(7, 99), 2: part(7, 80), 3: part(7, 101)}, {1, 2}, False, [1, 1, 3], id="a shared prize"),
        pytest.param({1: part(7, 0), 2: part(5, 60, left=True), 3: part(5, 101)}, {1}, False, [1, 3, 2], id="a leaver"),
        pytest.param({1: part(6, 498), 2: part(6, 486), 3: part(6, 456)}, {1}, True, [1, 2, 3], id="the most chips"),
        pytest.param({1: part(7, 540), 2: part(7, 420), 3: part(6, 519)}, {1}, True, [1, 2, 3], id="a play-off"),
        pytest.param({1: part(1, 0), 2: part(1, 80), 3: part(1, 80)}, {1}, False, [1, 2, 2], id="level"),
    ],
)
def test_the_places_of_a_match(
    parts: dict[int, MatchPart], winners: set[int], most_wins: bool, expected: list[int]
) -> None:
    found = places(parts, frozenset(winners), most_wins=most_wins)
    assert [found[player] for player in sorted(parts)] == expected
