"""The own part of a view: facts that only the player in the seat may see."""

from __future__ import annotations

from rules.declaration import Judgement
from rules.game.legality import is_seated, legal_moves, why_not_pick
from rules.game.lookups import hand_of, in_match, price_of_playing
from rules.game.prices import drop_eliminates, drop_spares, price_of_dropping, price_of_leaving
from rules.game.state import IN_DEAL, Hand, Phase, TableState
from rules.game.views import verdicts
from rules.game.views.hints import hint_for, is_guided
from rules.game.views.names import Names
from rules.game.views.public import table_view
from rules.game.views.shapes import MeView, OwnView, PublicView

_NO_HAND = Hand(cards=())


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
    verdict = verdicts.arrangement_verdict(state, hand) if dealt else None
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
        "fault_without": verdicts.faults_without(state, seat, hand) if dealt else None,
        "wrong_show_points": wrong_show_points,
        "wrong_show_costs": _worth(state, wrong_show_points),
        "points": _points(state, seat, hand, verdict.judgement) if verdict is not None else None,
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
    """Return the player's points: fixed ones, or those of the current arrangement; 0 for the winner."""
    if state.current.winner == seat:
        return 0
    return judgement.points if hand.points is None else hand.points


def _leaving(state: TableState, seat: int, *, dealt: bool) -> tuple[int | None, int]:
    """Return the cost of leaving now: points in a running deal, and money (in a match all payments into the pot)."""
    fixed = price_of_leaving(state, seat) if dealt and state.phase in IN_DEAL else None
    if state.book.per_point:
        return fixed, _worth(state, fixed)
    return fixed, price_of_playing(state, seat) if seat in in_match(state) else 0


def _worth(state: TableState, points: int | None) -> int:
    """Return the price of so many points in money: 0 in a match with a pot."""
    return (points or 0) * state.terms.point_value if state.book.per_point else 0
