"""Simulated colluders stand out from friends who play honestly, and the benchmark's own reckoning."""

from itertools import combinations
from random import Random

import pytest

from lobby.collusion import figures
from rules.collusion import combined
from tests.benchmarks import collusion as benchmark
from tests.benchmarks._people import COLLUDERS


def evidence_of(kind: str, deals: int, seed: int) -> dict[tuple[str, str], float]:
    """Play deals in a hall of that kind; return the evidence of each of its pairs who sit together."""
    rng = Random(seed)
    hall = benchmark.hall_of(seed, kind, 0, deals)
    met = benchmark.meetings(hall, hall.pairs, 1)
    return {each.pair: each.evidence(each.common, rng, figures.usual())[0] for each in met}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["shared hands", "chips passed on"])
def test_pairs_who_help_each_other_stand_out_from_friends_who_do_not(kind: str) -> None:
    found = evidence_of(kind, 120, seed=3)
    friends = found.popitem()[1]
    assert friends < figures.line()
    assert max(found.values()) > max(friends, figures.line())


def test_the_same_seed_plays_the_same_deals() -> None:
    assert evidence_of("fed discards", 6, seed=2) == evidence_of("fed discards", 6, seed=2)


def test_every_kind_of_colluder_has_a_row_and_friends_have_one() -> None:
    told = figures.benchmark()
    kinds = {row["kind"] for row in told["rows"]}
    assert {*COLLUDERS, benchmark.SELDOM, "honest friends", "honest strangers"} == kinds
    assert len(told["rows"]) == len(kinds) * len(told["common"])


def test_a_line_lets_through_its_part_of_the_values() -> None:
    values = [float(number) for number in range(1, 1_001)]
    for rate in benchmark.RATES_OF_ALARMS:
        assert sum(value >= benchmark.line_for(values, rate) for value in values) <= 1 + 1_000 * rate


def test_bundles_of_common_deals_use_none_twice() -> None:
    hall = benchmark.hall_of(1, "", 0, 30)
    [met] = benchmark.meetings(hall, hall.pairs[:1], 1)
    bundles = list(met.bundles(5, Random(1)))
    assert len(bundles) == len(met.common) // 5
    for one, other in combinations(bundles, 2):
        assert not {id(deal) for _, deal in one} & {id(deal) for _, deal in other}
    assert [len(bundle) for bundle in met.bundles(1_000, Random(1))] == [1_000] * benchmark.DRAWS
    assert combined([]).play == 0
