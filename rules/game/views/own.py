"""The own part of a view: facts that only the player in the seat may see, with the verdict on their arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rules.books import book
from rules.cards import HAND_SIZE, Card, is_joker, points_by_card
from rules.declaration import Judgement, KindAndSize, fault, judge, plain_and_jokers, points_as_lying
from rules.game.legality import is_seated, legal_moves, why_not, why_not_pick
from rules.game.lookups import hand_of, in_match, price_of_playing
from rules.game.moves import Finish
from rules.game.prices import (
    drop_eliminates,
    drop_spares,
    points_to_save,
    price_of_dropping,
    price_of_leaving,
    price_of_losing,
)
from rules.game.results import Groups
from rules.game.state import IN_DEAL, Hand, Phase, TableState, loose_cards
from rules.game.views.hints import hint_for, is_guided
from rules.game.views.names import Names
from rules.game.views.public import table_view
from rules.game.views.shapes import MeView, OwnView, PublicView
from rules.melds import Kind, judge_group

Lying = tuple[str, int, int, tuple[Card, ...], Groups]
_NO_HAND = Hand(cards=())


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


def _melds(judgement: Judgement, groups: Groups) -> list[KindAndSize]:
    return [(kind, len(group)) for kind, group in zip(judgement.kinds, groups, strict=True)]


def own_facts(state: TableState, viewer: int | None, names: Names) -> object:
    """Return all values on which `own_view` depends: if they are equal, so are the views.

    While cards are drawn and discarded, moves of others change little of it; in all other phases it is the whole state.
    """
    if viewer is None:
        return ()
    deal = state.deal
    if state.phase is not Phase.PLAYING or deal is None or deal.finished is not None:
        return state, names
    on_turn = deal if deal.turn is not None and deal.turn.seat == viewer else None
    of_table = state.terms, state.seats, state.match, state.prepared, names.private_code, names.guided, state.deals
    of_tournament = names.part_of, names.part_of and names.stopped
    return of_table, deal.number, deal.wild, deal.hands[viewer], on_turn, of_tournament


def own_view(state: TableState, viewer: int | None, public: PublicView, names: Names) -> OwnView:
    """Return the view of the player in seat `viewer` beyond `public`; for an onlooker `me` is None."""
    if viewer is None or not is_seated(state, viewer):
        return {"me": None}
    own: OwnView = {"me": _me(state, viewer, names)}
    if names.part_of is not None:
        own["table"] = table_view(state, names, viewer)
    finished = state.deal.finished if state.deal is not None else None
    if finished is not None and finished.seat == viewer and public["deal"] is not None:
        own["deal"] = {**public["deal"], "finish_card": finished.card}
    return own


def _me(state: TableState, seat: int, names: Names) -> MeView:
    hand = hand_of(state, seat) or _NO_HAND
    dealt = bool(hand.cards)
    verdict = arrangement_verdict(state, hand) if dealt else None
    groups = verdict.judgement.verdicts if verdict is not None else ()
    turn = state.deal.turn if state.deal is not None else None
    leave_points, leave_costs = _leaving(state, seat, dealt=dealt)
    hint = hint_for(state, seat, hand) if names.guided else None
    wrong_show_points = state.book.full_count if dealt else None
    drop_points = price_of_dropping(state, seat)
    return {
        "seat": seat,
        "hand": list(hand.cards),
        "drawn": turn.drawn if turn is not None and turn.seat == seat and state.phase is Phase.PLAYING else None,
        "groups": [list(group) for group in hand.groups],
        "kinds": [group.kind for group in groups],
        "reasons": [group.reason for group in groups],
        "loose": list(verdict.loose) if verdict is not None else [],
        "valid": verdict is not None and verdict.judgement.valid,
        "fault": verdict.judgement.fault if verdict is not None else None,
        "fault_without": faults_without(state, seat, hand) if dealt else None,
        "wrong_show_points": wrong_show_points,
        "wrong_show_costs": _worth(state, wrong_show_points),
        "points": _points(state, seat, hand, verdict.judgement) if verdict is not None else None,
        "points_to_save": points_to_save(state, seat),
        "moves": list(legal_moves(state, seat)),
        "pickable_open": why_not_pick(state, seat) is None,
        "sort_used": hand.sort_used,
        "auto_drop": hand.auto_drop,
        "drop_points": drop_points,
        "drop_costs": _worth(state, drop_points),
        "drop_eliminates": drop_eliminates(state, seat),
        "drop_spares": drop_spares(state, seat),
        "leave_points": leave_points,
        "leave_costs": leave_costs,
        "private_code": names.private_code,
        "guided": names.guided and is_guided(state, hand),
        "hint": hint.lesson.text if hint is not None else None,
        "hint_why": hint.lesson.why if hint is not None else None,
        "hint_cards": list(hint.cards) if hint is not None else [],
        "hint_groups": [list(group) for group in hint.groups] if hint is not None else [],
    }


def _points(state: TableState, seat: int, hand: Hand, judgement: Judgement) -> int:
    """Return the player's points: fixed ones, or those of the current arrangement; 0 for the winner.

    Once another has won they are what it costs to submit it, which in some books is less than it counts.
    """
    if state.current.winner == seat:
        return 0
    if hand.points is not None:
        return hand.points
    if state.current.winner is not None:
        return price_of_losing(state, seat, hand.groups, submitted=True)
    return judgement.points


def _leaving(state: TableState, seat: int, *, dealt: bool) -> tuple[int | None, int]:
    """Return the cost of leaving now: points in a running deal, and money (in a match all payments into the pot)."""
    fixed = price_of_leaving(state, seat) if dealt and state.phase in IN_DEAL else None
    if state.book.per_point:
        return fixed, _worth(state, fixed)
    return fixed, price_of_playing(state, seat) if seat in in_match(state) else 0


def _worth(state: TableState, points: int | None) -> int:
    """Return the price of the points in money: 0 in a match with a pot."""
    return (points or 0) * state.terms.point_value if state.book.per_point else 0
