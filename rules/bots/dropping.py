"""When to give up a first hand: where playing it on is expected to cost more than the book's drop.

Found by playing whole deals without drops: what first hands won in the end, fitted to a few of their signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Final

from rules.books import FULL_COUNT, WithoutLives
from rules.bots.eye import Eye, Strength, seen_by, unseen_by
from rules.bots.links import hope
from rules.bots.plans import Outlook
from rules.cards import is_joker
from rules.melds import Kind

_TWO, _SIX = 2, 6
#: What a sharp player expects: to begin with, for each joker, with a pure sequence, and for each point of hope.
_SHARP: Final = {WithoutLives.COUNTS: (-31, 16, 13, 0.16), WithoutLives.FULL_COUNT: (-50, 20, 10, 0.4)}
#: What an expert expects at two seats and at six: to begin with, for the weights of a pure sequence and of a show, for
#: ten points that the hand counts, for each joker, for each card that the next player has picked, and if somebody has
#: had a turn; what is 0 was not looked at.
_EXPERT: Final[Mapping[WithoutLives, tuple[Sequence[float], Sequence[float]]]] = {
    WithoutLives.COUNTS: ((9.3, 5.4, 4.0, -1.65, 11.8, -15.1, -5.5), (37, -8.8, 12.5, -11.8, 32.5, 0, 0)),
    WithoutLives.FULL_COUNT: ((18.5, 5.6, 4.2, -3.0, 14.4, 0, 0), (111, 18.9, 8.3, -17.2, 41.2, 0, 0)),
}
#: Weights below these tell of nothing.
_NO_PURE, _NO_SHOW = 0.02, 1e-6
#: Where the winner takes no points, as in pools, a good hand is worth less by so much for each player beyond two.
_NOTHING_WON: Final = 5


def should_drop(eye: Eye) -> bool:
    """Return whether to drop: only at the first chance, and never out of a match."""
    price, limit = eye.me["drop_points"], eye.book.pool_limit
    if "drop" not in eye.me["moves"] or price is None or price != eye.book.first_drop:
        return False
    if limit is not None and (eye.seat["total"] or 0) + price >= limit:
        return False
    return expected_points(eye) < -price


def expected_points(eye: Eye) -> float:
    """Return the points that a first hand is expected to win by playing it on, most often less than none."""
    expected = _expert(eye) if eye.strength is Strength.EXPERT else _sharp(eye)
    wins_points = eye.book.per_point or eye.book.chips_a_deal is not None
    return expected * eye.book.full_count / FULL_COUNT - (0 if wins_points else _NOTHING_WON * (_players(eye) - _TWO))


def _sharp(eye: Eye) -> float:
    hand = eye.me["hand"]
    to_begin_with, a_joker, with_a_pure, a_hope = _SHARP[eye.book.without_lives]
    jokers = sum(is_joker(card, eye.wild) for card in hand)
    hopes = sum(hope(card, hand, eye.wild) for card in hand)
    return to_begin_with + a_joker * jokers + with_a_pure * (Kind.PURE in eye.best().kinds) + a_hope * hopes


def _expert(eye: Eye) -> float:
    hand = eye.me["hand"]
    weights = Outlook(hand, eye.wild, unseen_by(eye, seen_by(eye).cards)).without(None)
    jokers = sum(is_joker(card, eye.wild) for card in hand)
    pure, show = log(min(1, weights.pure) + _NO_PURE), log(weights.show + _NO_SHOW)
    picked, later = len(eye.picked_by_next()), eye.deal["turn_number"] > 1
    signs = (1, pure, show, eye.best().points / 10, jokers, picked, later)
    more = (min(_SIX, _players(eye)) - _TWO) / (_SIX - _TWO)
    two, six = _EXPERT[eye.book.without_lives]
    return sum(sign * (few + more * (many - few)) for sign, few, many in zip(signs, two, six, strict=True))


def _players(eye: Eye) -> int:
    """Return how many players are still in the deal."""
    return sum(seat["status"] == "playing" for seat in eye.view["seats"])
