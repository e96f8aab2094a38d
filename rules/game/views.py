"""What a viewer may see: the only way out of a state and of an event.

Views are built from nothing, key by key; a new field of the state is in no view until it is named here. What the
rules do not know (names, connections, the table's id, title and currency) is None, for `tables` to fill in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from rules.cards import Card
from rules.declaration import Judgement
from rules.game import verdicts
from rules.game.events import Event
from rules.game.legality import is_seated, legal_moves, why_not_pick
from rules.game.lookups import hand_of, in_match, prize
from rules.game.prices import price_of_leaving
from rules.game.results import Row, ShareLine
from rules.game.state import IN_DEAL, Clock, ClockKind, DealState, Discarded, Hand, Phase, Place, Standing, TableState
from rules.payouts import drops_left

View = dict[str, Any]

_PLAIN: Final = (str, int, bool)
_CLOCKS: Final = ("start_two", "start_more", "start_full", "turn", "extra", "meld", "result", "prompt")


def view_for(state: TableState, seat: int | None, now: int) -> View:
    """The whole view of the player in `seat`, or of one who watches (None), at `now`; contracts.md, section 3."""
    return views_for(state, (seat,), now)[seat]


def views_for(state: TableState, viewers: Iterable[int | None], now: int) -> dict[int | None, View]:
    """The views of several viewers. What all may see is made once and is the same object in each: to be read only."""
    public = _public(state, now)
    return {viewer: _view(state, viewer, public) for viewer in viewers}


def _public(state: TableState, now: int) -> View:
    """The view of one who watches."""
    return {
        "table": _table(state),
        "phase": state.phase.value,
        "melding_by": state.melding_by,
        "deal": _deal(state),
        "seats": [_seat(state, each) for each in range(len(state.seats))],
        "me": None,
        "clock": _clock(state.clock, now),
        "prompt": _prompt(state),
        "next_deal": _next_deal(state) or None,
        "result": _result(state, now),
        "accounts": _accounts(state),
    }


def _view(state: TableState, viewer: int | None, public: View) -> View:
    if viewer is None or not is_seated(state, viewer):
        return dict(public)
    view = public | {"me": _me(state, viewer)}
    finished = state.deal.finished if state.deal is not None else None
    if finished is not None and finished.seat == viewer:
        view["deal"] = public["deal"] | {"finish_card": finished.card}
    return view


def redact(event: Event, seat: int | None) -> View | None:
    """The event as the player in `seat`, or one who watches (None), may see it; None when it is not for them."""
    fields = event.visible(seat)
    if not fields:
        return None
    return {"type": event.name} | {name: _open(getattr(event, name)) for name in fields}


def _open(value: Any) -> Any:
    """A field that may be seen, as plain types; a value inside it shows what is named here and no more."""
    if value is None or type(value) in _PLAIN:
        return value
    for kind, show in _SHOWN.items():
        if isinstance(value, kind):
            return show(value)
    if isinstance(value, tuple):
        return [_open(item) for item in value]
    assert isinstance(value, Enum), f"{type(value).__name__} is not meant to be seen"
    return value.value


def _table(state: TableState) -> View:
    terms = state.terms
    return {
        "id": None,
        "title": None,
        "book": terms.book,
        "family": state.book.family.value,
        "currency": None,
        "seats": terms.seats,
        "point_value": terms.point_value if state.per_point else None,
        "entry": None if state.per_point else terms.entry,
        "prize": None if state.per_point else prize(state),
        "fee_percent": terms.fee_percent,
        "clocks": {name: getattr(terms.clocks, name) for name in _CLOCKS},
    }


def _deal(state: TableState) -> View | None:
    """The deal on the table; before the first card only what is committed for the next one."""
    deal, prepared = state.deal, state.prepared
    if deal is None:
        return None if prepared is None else {**_NO_DEAL, **_next_deal(state), "number": state.deals + 1}
    pile = deal.open_pile if state.book.open_pile else ()
    return {
        "id": deal.deal_id,
        "number": deal.number,
        "commitment": deal.commitment,
        "cut_joker": deal.cut,
        "wild_rank": deal.wild,
        "closed_count": len(deal.closed),
        "open_top": pile[-1].card if pile else None,
        "discards": [_discarded(entry, face_down=not state.book.open_pile) for entry in deal.discards],
        "first_seat": deal.order[0],
        "dealer_seat": deal.order[-1],
        "turn_seat": deal.turn.seat if deal.turn is not None else None,
        "turn_number": deal.turns,
        "finish_card": _finish_card(state, deal),
        "toss": [{"seat": seat, "card": card} for seat, card in state.match.toss] if state.match is not None else [],
    }


_NO_DEAL: Final[Mapping[str, Any]] = {
    "cut_joker": None,
    "wild_rank": None,
    "closed_count": 0,
    "open_top": None,
    "discards": [],
    "first_seat": None,
    "dealer_seat": None,
    "turn_seat": None,
    "turn_number": 0,
    "finish_card": None,
    "toss": [],
}


def _next_deal(state: TableState) -> View:
    prepared = state.prepared
    return {} if prepared is None else {"id": prepared.deal_id, "commitment": prepared.commitment}


def _discarded(entry: Discarded, *, face_down: bool) -> View:
    return {
        "seat": entry.seat,
        "card": None if face_down else entry.card,
        "picked_by": entry.picked_by,
        "reshuffled": entry.reshuffled,
    }


def _finish_card(state: TableState, deal: DealState) -> Card | None:
    """It lies face down until the result: before, only its owner is shown it."""
    return deal.finished.card if deal.finished is not None and state.phase not in IN_DEAL else None


def _seat(state: TableState, seat: int) -> View:
    taken, hand = state.seats[seat], hand_of(state, seat)
    counted = taken is not None and not state.per_point
    limit, drop = state.book.pool_limit, state.book.first_drop
    return {
        "seat": seat,
        "name": None,
        "bot": taken is not None and taken.computer,
        "connected": None,
        "status": _status(state, seat),
        "stack": taken.stack if taken is not None else 0,
        "total": taken.total if counted and taken is not None else None,
        "drops_left": drops_left(taken.total, limit, drop) if taken is not None and limit and drop else None,
        "rejoins": taken.rejoins if taken is not None else 0,
        "ready": taken is not None and taken.ready,
        "cards": len(hand.cards) if taken is not None and hand is not None else 0,
        "misses": hand.misses if hand is not None else 0,
        "auto": hand.auto if hand is not None else 0,
    }


def _status(state: TableState, seat: int) -> str:
    taken, hand = state.seats[seat], hand_of(state, seat)
    if taken is None:
        return "empty"
    if taken.place is Place.GONE:
        return "left"
    if taken.place is Place.OUT:
        return "out"
    if hand is None:
        return "waiting"
    return "playing" if hand.standing is Standing.IN else hand.standing.value


def _me(state: TableState, seat: int) -> View:
    hand = hand_of(state, seat) or Hand(cards=())
    dealt = bool(hand.cards)
    judgement = verdicts.judged(state, hand) if dealt else None
    groups = judgement.verdicts if judgement is not None else ()
    turn = state.deal.turn if state.deal is not None else None
    return {
        "seat": seat,
        "hand": list(hand.cards),
        "drawn": turn.drawn if turn is not None and turn.seat == seat and state.phase is Phase.PLAYING else None,
        "groups": [list(group) for group in hand.groups],
        "kinds": [verdict.kind.value for verdict in groups],
        "reasons": [verdict.reason for verdict in groups],
        "loose": list(hand.loose),
        "valid": judgement is not None and judgement.valid,
        **verdicts.show(state, seat, hand, dealt=dealt),
        "points": _points(state, seat, hand, judgement) if judgement is not None else None,
        "moves": list(legal_moves(state, seat)),
        "pickable_open": why_not_pick(state, seat) is None,
        "sort_used": hand.sort_used,
        "auto_drop": hand.auto_drop,
        "drop_points": _drop_points(state, hand) if dealt else None,
        **_leaving(state, seat, hand if dealt else None),
    }


def _points(state: TableState, seat: int, hand: Hand, judgement: Judgement) -> int:
    """What the player pays: fixed, or as their cards lie now; the winner nothing."""
    if state.current.winner == seat:
        return 0
    return judgement.points if hand.points is None else hand.points


def _drop_points(state: TableState, hand: Hand) -> int | None:
    if hand.standing is not Standing.IN or state.phase is not Phase.PLAYING:
        return None
    return state.book.first_drop if hand.draws == 0 else state.book.middle_drop


def _leaving(state: TableState, seat: int, hand: Hand | None) -> View:
    """What leaving now would cost: points in a running deal, and money (in a match all that was paid into it)."""
    fixed = price_of_leaving(state, seat) if hand is not None and state.phase in IN_DEAL else None
    if state.per_point:
        costs = (fixed or 0) * state.terms.point_value
    else:
        costs = state.terms.entry * (1 + state.seat(seat).rejoins) if seat in in_match(state) else 0
    return {"leave_points": fixed, "leave_costs": costs}


def _clock(clock: Clock | None, now: int) -> View | None:
    if clock is None:
        return None
    return {**_bare_clock(clock), "remaining_ms": max(0, clock.deadline - now)}


def _prompt(state: TableState) -> View | None:
    if state.rejoin is not None:
        offer = state.rejoin
        return {"kind": "rejoin", "seats": list(offer.seats), "price": offer.price, "score": offer.score}
    if state.split is None:
        return None
    return {
        "kind": "split",
        "by": state.split.by,
        "lines": [_line(line) for line in state.split.lines],
        "answers": {str(seat): True for seat in state.split.accepted},
    }


def _result(state: TableState, now: int) -> View | None:
    if state.result is None:
        return None
    waits = state.clock is not None and state.clock.kind is ClockKind.RESULT
    return {
        "deal": state.result.deal_id,
        "winner": state.result.winner,
        "rows": [_row(row) for row in state.result.rows],
        "next_in": max(0, state.clock.deadline - now) if waits and state.clock is not None else None,
    }


def _accounts(state: TableState) -> list[View] | None:
    """What each player of a match got out of its pot once the prize is paid; None before, and where none was."""
    match = state.match
    if match is None or not match.shares:
        return None
    shares = dict(match.shares)
    return [{"seat": seat, "amount": shares.get(seat, 0)} for seat in match.players]


def _line(line: ShareLine) -> View:
    return {"seat": line.seat, "drops": line.drops, "excess": line.excess, "share": line.share}


def _bare_clock(clock: Clock) -> View:
    return {"kind": clock.kind.value, "seat": clock.seat, "deadline": clock.deadline, "length_ms": clock.length}


def _row(row: Row) -> View:
    """A line of the result, where all hands are open."""
    return {
        "seat": row.seat,
        "outcome": row.outcome.value,
        "groups": [list(group) for group in row.groups],
        "kinds": list(row.kinds),
        "loose": list(row.loose),
        "points": row.points,
        "amount": row.amount,
        "total": row.total,
    }


_SHOWN: Final[Mapping[type, Callable[[Any], View]]] = {Row: _row, ShareLine: _line, Clock: _bare_clock}
