"""Fees, split and rejoin: the checked figures of the rules, and sums that are exact for any pot."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from rules.payouts import drops_left, fee, prize_pool, rejoin, split

POOLS = st.sampled_from([(101, 20), (201, 25)])


@pytest.mark.parametrize(
    ("amount", "percent", "expected"), [(100, 10, 10), (99, 10, 9), (9, 10, 0), (0, 10, 0), (7, 0, 0)]
)
def test_a_fee_is_rounded_down(amount, percent, expected):
    assert fee(amount, percent) == expected


@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(0, 100))
def test_prize_and_fee_are_all_the_entries(entry, entries, percent):
    pot = entry * entries
    assert prize_pool(entry, entries, percent) + fee(pot, percent) == pot
    assert 0 <= fee(pot, percent) <= pot


@pytest.mark.parametrize(
    ("score", "limit", "drop", "drops"),
    [
        pytest.param(0, 201, 25, 8, id="eight drops of 25 are 200: still in"),
        pytest.param(0, 101, 20, 5, id="five drops of 20 are 100: still in"),
        (25, 201, 25, 7),
        (26, 201, 25, 6),
        (175, 201, 25, 1),
        (176, 201, 25, 0),
        (200, 201, 25, 0),
        pytest.param(0, 61, 15, 4, id="four drops of 15 are 60: still in"),
        (81, 101, 20, 0),
        (80, 101, 20, 1),
        pytest.param(280, 201, 25, 0, id="never below none"),
    ],
)
def test_a_player_has_drops_left(score, limit, drop, drops):
    assert drops_left(score, limit, drop) == drops


def scores_for(drops):
    """Return scores in a pool of 201 that leave that many drops."""
    return [200 - 25 * count for count in drops]


def shares(drops, *, prize, entry, started):
    return split(limit=201, drop=25, entry=entry, prize=prize, started=started, scores=scores_for(drops)).shares


def test_the_checked_figure_of_three_players():
    assert shares([3, 1, 0], prize=15000, entry=2500, started=6) == (9166, 4167, 1667)


@pytest.mark.parametrize("difference", range(5))
def test_the_checked_figures_of_two_players(difference):
    expected = (400 + 50 * difference, 400 - 50 * difference)
    assert shares([difference + 1, 1], prize=800, entry=100, started=8) == expected


@pytest.mark.parametrize(
    ("started", "left", "possible"),
    [(2, 2, False), (3, 2, True), (3, 3, False), (4, 3, True), (4, 2, True), (6, 3, True), (6, 4, False), (6, 2, True)],
)
def test_a_split_needs_few_players_left_of_enough(started, left, possible):
    answer = split(limit=201, drop=25, entry=100, prize=600, started=started, scores=scores_for([1] * left))
    assert answer.manual is possible
    assert (answer.shares is not None) is possible


def test_no_split_when_the_drops_are_worth_more_than_the_prize_less_one_entry():
    assert shares([3, 0], prize=400, entry=100, started=3) == (350, 50)
    assert shares([4, 0], prize=400, entry=100, started=3) is None


def test_without_drops_the_prize_is_split_at_once():
    answer = split(limit=101, drop=20, entry=100, prize=500, started=5, scores=[90, 100, 81])
    assert (answer.auto, answer.shares) == (True, (167, 167, 166))
    assert not split(limit=101, drop=20, entry=100, prize=500, started=5, scores=[90, 100, 80]).auto


def test_odd_units_go_to_the_fewest_drops_then_by_seat():
    assert shares([1, 0, 0], prize=1001, entry=100, started=6) == (400, 301, 300)
    assert shares([0, 1, 0], prize=1001, entry=100, started=6) == (301, 400, 300)


@given(POOLS, st.integers(1, 10**6), st.integers(0, 10**6), st.integers(2, 6), st.data())
def test_shares_are_the_prize_exactly_and_fair_to_the_unit(pool, prize, entry, started, data):
    limit, drop = pool
    scores = data.draw(st.lists(st.integers(0, limit - 1), min_size=1, max_size=started))
    answer = split(limit=limit, drop=drop, entry=entry, prize=prize, started=started, scores=scores)
    assert (answer.shares is None) == (not answer.manual and not answer.auto)
    if answer.shares is None:
        return
    assert sum(answer.shares) == prize
    fewest = min(answer.drops)
    rest = prize - entry * sum(drops - fewest for drops in answer.drops)
    for drops, share in zip(answer.drops, answer.shares, strict=True):
        exact = (drops - fewest) * entry + Fraction(rest, len(scores))
        assert abs(share - exact) < 1
    assert answer.auto == (set(answer.drops) == {0})


@pytest.mark.parametrize(
    ("players", "step"),
    [(2, 701), (3, 100), pytest.param(2, 7, marks=pytest.mark.slow), pytest.param(3, 1, marks=pytest.mark.slow)],
)
def test_every_pot_up_to_a_million_are_shared_to_the_last_unit(players, step):
    """Shares are equal, but for the units that remain of the division, which go one each to the first."""
    scores = [100] * players
    for pot in range(1, 10**6 + 1, step):
        shared = split(limit=101, drop=20, entry=0, prize=pot, started=6, scores=scores).shares
        each, odd = divmod(pot, players)
        if shared != (each + 1,) * odd + (each,) * (players - odd):
            pytest.fail(f"a pot of {pot} is shared as {shared}")


@pytest.mark.parametrize("started", range(2, 7))
def test_every_pot_with_unequal_drops_is_shared_to_the_last_unit(started):
    """Whoever started and whoever is left: two or three share, more play on for the whole pot."""
    for left in range(2, started + 1):
        for pot in (*range(1, 400), *range(400, 10**6, 997), 10**6):
            answer = split(
                limit=101, drop=20, entry=7, prize=pot, started=started, scores=[100, 70, 40, 10, 0, 0][:left]
            )
            few = (started > 3 and left in (2, 3)) or (started == 3 and left == 2)
            rest = pot - 7 * sum(count - min(answer.drops) for count in answer.drops)
            assert answer.manual is (few and rest >= 7) and not answer.auto
            assert sum(answer.shares) == pot if answer.manual else answer.shares is None


def may(scores, *, started=4, player=0, limit=201, drop=25):
    return rejoin(limit=limit, drop=drop, started=started, scores=scores, player=player)


def test_a_player_comes_back_one_above_the_highest():
    answer = may([210, 120, 90])
    assert (answer.allowed, answer.score) == (True, 121)


@pytest.mark.parametrize(
    ("limit", "drop", "highest", "allowed"),
    [
        *((201, 25, 174, True), (201, 25, 175, False), (101, 20, 79, True), (101, 20, 80, False)),
        *((61, 15, 44, True), (61, 15, 45, False)),
    ],
)
def test_nobody_comes_back_above_the_published_score(limit, drop, highest, allowed):
    answer = may([limit, highest, 0], limit=limit, drop=drop)
    assert (answer.allowed, answer.score) == (allowed, highest + 1 if allowed else None)


@pytest.mark.parametrize(
    ("scores", "started", "player", "reason"),
    [
        pytest.param([210, 120], 2, 0, "two players", id="a match of two"),
        pytest.param([210, 120, 205], 3, 0, "Fewer than two", id="only one other still in"),
        pytest.param([210, 205, 203], 3, 0, "Fewer than two", id="nobody still in"),
        pytest.param([200, 120, 90], 3, 0, "still in", id="not out"),
        pytest.param([210, 190, 90], 3, 0, "more than 174", id="another too high"),
    ],
)
def test_a_rejoin_is_refused_with_its_reason(scores, started, player, reason):
    answer = may(scores, started=started, player=player)
    assert (answer.allowed, answer.score) == (False, None)
    assert reason in answer.reason


@given(POOLS, st.lists(st.integers(0, 280), min_size=2, max_size=6), st.data())
def test_a_player_who_rejoins_can_drop_once_and_stay(pool, scores, data):
    limit, drop = pool
    player = data.draw(st.integers(0, len(scores) - 1))
    answer = may(scores, started=len(scores), player=player, limit=limit, drop=drop)
    if answer.score is not None:
        assert all(score < answer.score for score in scores if score < limit)
        assert drops_left(answer.score, limit, drop) >= 1
