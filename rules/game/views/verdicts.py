"""The verdict on a player's current arrangement, for their own view: the same that a show would get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rules.books import book
from rules.cards import HAND_SIZE, Card, is_joker, points_by_card
from rules.declaration import Judgement, Meld, fault, judge, plain_and_jokers, points_as_lying
from rules.game.legality import why_not
from rules.game.moves import Finish
from rules.game.results import Groups
from rules.game.state import Hand, TableState, loose_cards
from rules.melds import Kind, judge_group


@dataclass(frozen=True, slots=True)
class ArrangementVerdict:
    """What an arrangement is worth, and its cards in no group."""

    judgement: Judgement
    loose: tuple[Card, ...]


def arrangement_verdict(state: TableState, hand: Hand) -> ArrangementVerdict:
    """Return the verdict on the arrangement.

    Of fourteen cards the dearest loose one counts as discarded; the points are those of the best thirteen as they lie,
    so that they do not change when cards that make no meld are laid into groups.
    """
    return _verdict(*_lying(state, hand))


def faults_without(state: TableState, seat: int, hand: Hand) -> dict[Card, str | None] | None:
    """Return the same for each card that the player may put in the finish slot now; None if they may not finish."""
    may_finish = why_not(state, seat, Finish.name) is None and len(hand.cards) > HAND_SIZE
    return dict(_faults_without(*_lying(state, hand))) if may_finish else None


Lying = tuple[str, int, int, tuple[Card, ...], Groups]


def _lying(state: TableState, hand: Hand) -> Lying:
    """Return all values on which a verdict on the arrangement depends."""
    return state.terms.book, state.terms.book_version, state.current.wild, hand.cards, hand.groups


# Cached, since most changes of a table do not touch most arrangements.


@lru_cache(maxsize=2048)
def _verdict(key: str, version: int, wild: int, cards: tuple[Card, ...], groups: Groups) -> ArrangementVerdict:
    rules, loose = book(key, version), loose_cards(cards, groups)
    counted = list(loose)
    if len(cards) > HAND_SIZE and counted:
        counted.remove(max(counted, key=points_by_card(wild).__getitem__))
    judgement = judge(rules, wild, groups, counted)
    if len(cards) > HAND_SIZE:
        judgement = replace(
            judgement, points=min([judgement.points, *_points_without(key, version, wild, loose, groups)])
        )
    return ArrangementVerdict(judgement, loose)


def _points_without(key: str, version: int, wild: int, loose: tuple[Card, ...], groups: Groups) -> Iterator[int]:
    """Yield, for each card in a group, the points without it."""
    rules = book(key, version)
    kinds = [_kind(key, version, wild, group) for group in groups]
    for place, group in enumerate(groups):
        for card in group:
            rest = tuple(one for one in group if one != card)
            kind = _kind(key, version, wild, rest)
            changed = [*groups[:place], rest, *groups[place + 1 :]]
            yield points_as_lying(rules, wild, changed, [*kinds[:place], kind, *kinds[place + 1 :]], loose)


@lru_cache(maxsize=256)
def _faults_without(
    key: str, version: int, wild: int, cards: tuple[Card, ...], groups: Groups
) -> tuple[tuple[Card, str | None], ...]:
    """Return, by card, why the other thirteen are no valid declaration.

    Only the group that loses the card is judged again.
    """
    rules = book(key, version)
    verdict = _verdict(key, version, wild, cards, groups)
    melds, loose = _melds(verdict.judgement, groups), verdict.loose
    plain, jokers = plain_and_jokers(loose, wild)
    # Of a loose card it only matters whether it is a joker.
    without_plain = fault(rules, melds, plain - 1, jokers) if plain else None
    without_joker = fault(rules, melds, plain, jokers - 1) if jokers else None
    faults = [(card, without_joker if is_joker(card, wild) else without_plain) for card in loose]
    for place, group in enumerate(groups):
        for card in group:
            rest = tuple(one for one in group if one != card)
            changed = [(_kind(key, version, wild, rest), len(rest))] if rest else []
            faults.append((card, fault(rules, [*melds[:place], *changed, *melds[place + 1 :]], plain, jokers)))
    return tuple(faults)


@lru_cache(maxsize=4096)
def _kind(key: str, version: int, wild: int, group: tuple[Card, ...]) -> Kind:
    return judge_group(book(key, version), wild, group).kind


def _melds(judgement: Judgement, groups: Groups) -> list[Meld]:
    return [(kind, len(group)) for kind, group in zip(judgement.kinds, groups, strict=True)]
