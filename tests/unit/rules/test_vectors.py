"""The published answers for hands and best arrangements."""

import json
from itertools import chain

import pytest

from rules.books import book
from rules.cards import wild_rank
from rules.declaration import judge
from rules.solver.search import best
from tests.unit.rules.vectors import VECTORS


def lines(name):
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def test_every_hand_is_judged_as_published():
    for hand in lines("hands.jsonl"):
        judgement = judge(book(hand["book"]), wild_rank(hand["cut"]), hand["groups"], hand["loose"])
        assert (list(judgement.kinds), judgement.valid, judgement.points) == (
            hand["kinds"],
            hand["valid"],
            hand["points"],
        ), hand


def test_every_hand_is_arranged_as_well_as_published():
    for hand in lines("arrange.jsonl"):
        arrangement = best(book(hand["book"]), wild_rank(hand["cut"]), hand["cards"])
        assert (arrangement.points, arrangement.valid, arrangement.discard) == (hand["points"], hand["valid"], None), (
            hand
        )


@pytest.mark.parametrize("key", ["standard-points", "lives-points"])
def test_no_arrangement_published_beats_the_best(key):
    for hand in (hand for hand in lines("hands.jsonl") if hand["book"] == key):
        arrangement = best(book(key), wild_rank(hand["cut"]), [*chain(*hand["groups"]), *hand["loose"]])
        assert arrangement.points <= hand["points"]
        assert arrangement.valid or not hand["valid"]
