"""The order of a shoe: as published, complete, and without bias towards any card."""

import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from rules import shuffling
from rules.cards import TOSS_PACK, ordered_shoe
from tests.unit.rules.vectors import VECTORS

SEED = bytes(range(64))


@pytest.mark.parametrize("vector", json.loads((VECTORS / "fairness.json").read_text()), ids=lambda v: v["deal_id"])
def test_the_published_vectors(vector):
    deal_id, seed = vector["deal_id"], bytes.fromhex(vector["seed"])
    clients = [bytes.fromhex(client) for client in vector["clients"]]
    assert shuffling.commitment(deal_id, seed) == vector["commitment"]
    assert list(shuffling.shoe(deal_id, seed, clients, vector["packs"])) == vector["shoe"]
    assert list(shuffling.toss(deal_id, seed, clients)) == vector["toss"]


def by_hand(cards, material):
    """Shuffle by the published construction, on one digest that is long enough."""
    digest, order, at = hashlib.shake_256(material).digest(10_000), list(cards), 0
    for i in range(len(order) - 1, 0, -1):
        while True:
            word, at = digest[at] * 256 + digest[at + 1], at + 2
            if word < 65536 - 65536 % (i + 1):
                break
        order[i], order[word % (i + 1)] = order[word % (i + 1)], order[i]
    return tuple(order)


BYTES = st.binary(min_size=0, max_size=80)


@given(st.integers(1, 10**9), BYTES, st.lists(BYTES, max_size=6), st.integers(1, 3))
def test_every_shuffle_is_the_one_described_and_loses_no_card(deal_id, seed, clients, packs):
    shoe = shuffling.shoe(deal_id, seed, clients, packs)
    material = b"rummy-deal-v1%d" % deal_id
    assert shoe == by_hand(ordered_shoe(packs), material + seed + b"".join(clients))
    assert Counter(shoe) == Counter(ordered_shoe(packs))
    assert shuffling.toss(deal_id, seed, clients) == by_hand(TOSS_PACK, material + b"/toss" + seed + b"".join(clients))


@given(st.integers(1, 9), st.lists(st.sampled_from(ordered_shoe(2)), unique=True))
def test_each_reshuffle_has_a_stream_of_its_own(k, discards):
    again = shuffling.reshuffle(discards, k, 7, SEED, [b"x"])
    assert again == by_hand(discards, b"rummy-deal-v17/reshuffle-%d" % k + SEED + b"x")


def test_a_stream_longer_than_one_digest_goes_on():
    cards = [str(n) for n in range(3000)]
    assert shuffling.shuffled(cards, "7", SEED, []) == by_hand(cards, b"rummy-deal-v17" + SEED)


def test_one_bit_of_one_players_seed_changes_the_order():
    one, other = (shuffling.shoe(1, SEED, [client], 2) for client in (b"\x00" * 16, b"\x00" * 15 + b"\x01"))
    assert sum(a == b for a, b in zip(one, other, strict=True)) < 12


def lean(shuffle, rounds=4000, cards="ABCDEFGH"):
    """Return chi-square of card by place; of honest shuffles one in ten thousand exceeds 93 (49 degrees of freedom)."""
    counts = Counter((place, card) for n in range(rounds) for place, card in enumerate(shuffle(cards, n)))
    expected = rounds / len(cards)
    return sum((counts[place, card] - expected) ** 2 / expected for place in range(len(cards)) for card in cards)


def honest(cards, n):
    return shuffling.shuffled(cards, str(n), SEED, [])


def with_any_place(cards, n):
    """Make the well-known mistake: swap each card with any other."""
    order, digest = list(cards), hashlib.sha256(b"%d" % n).digest()
    for i in range(len(order)):
        j = digest[i] % len(order)
        order[i], order[j] = order[j], order[i]
    return order


def never_in_place(cards, n):
    """Make the other mistake: off by one, so that no card may stay where it is."""
    order, digest = list(cards), hashlib.sha256(b"%d" % n).digest()
    for i in range(len(order) - 1, 0, -1):
        j = digest[i] % i
        order[i], order[j] = order[j], order[i]
    return order


def test_no_card_leans_to_a_place_and_the_measure_would_show_it():
    assert lean(honest) < 93
    assert lean(with_any_place) > 200
    assert lean(never_in_place) > 200
