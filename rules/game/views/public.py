"""What everybody may see of a table, those who only watch as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.cards import Card
from rules.game.lookups import hand_of, price_of_playing, prize
from rules.game.results import Row, ShareLine
from rules.game.state import (
    IN_DEAL,
    Clock,
    ClockKind,
    DealState,
    Discarded,
    Place,
    Prepared,
    Standing,
    TableState,
)
from rules.game.views.names import Names
from rules.game.views.shapes import (
    AccountView,
    BareClockView,
    ClockView,
    DealId,
    DealResultView,
    DealView,
    DiscardView,
    NextDealView,
    PublicView,
    RejoinPrompt,
    ResultRowView,
    SeatStatus,
    SeatView,
    ShareView,
    ShownHandView,
    SplitLineView,
    SplitPrompt,
    TableView,
    TossView,
)
from rules.game.views.why import explain_rejoin, explain_row, explain_share
from rules.payouts import drops_left
from rules.said import join

_STATUSES: Final[Mapping[Standing, SeatStatus]] = {
    Standing.IN: "playing",
    Standing.DROPPED: "dropped",
    Standing.WRONG: "wrong",
    Standing.LEFT: "left",
    Standing.SUBMITTED: "submitted",
}


def public_view(state: TableState, now: int, names: Names) -> PublicView:
    """Return what everybody may see at `now`."""
    clock = None if names.waits else state.clock
    return {
        "table": _table(state, names),
        "phase": state.phase,
        "melding_by": state.melding_by,
        "deal": _deal(state),
        "seats": [_seat(state, seat, names) for seat in range(len(state.seats))],
        "clock": _clock(clock, now),
        "prompt": _prompt(state),
        "next_deal": _next_deal(state.prepared),
        "result": _result(state, clock, now, names),
        "accounts": _accounts(state),
    }


def outer_id(deal_id: str) -> DealId:
    """Return the id of a deal as it is known outside: on the platform a number."""
    return int(deal_id) if deal_id.isdecimal() else deal_id


def bare_clock(clock: Clock) -> BareClockView:
    """Return the clock without what is left of it."""
    return {"kind": clock.kind, "seat": clock.seat, "deadline": clock.deadline, "length_ms": clock.length}


def shared(line: ShareLine) -> ShareView:
    """Return one player's part of a split."""
    return {"seat": line.seat, "drops": line.drops, "excess": line.excess, "share": line.share}


def shown_hand(row: Row) -> ShownHandView:
    """Return a line of the result, where all hands are open."""
    return {
        "seat": row.seat,
        "outcome": row.outcome,
        "groups": [list(group) for group in row.groups],
        "kinds": list(row.kinds),
        "loose": list(row.loose),
        "points": row.points,
        "amount": row.amount,
        "total": row.total,
    }


def _table(state: TableState, names: Names) -> TableView:
    terms, money = state.terms, names.currency
    return {
        "id": names.table,
        "title": names.title,
        "book": terms.book,
        "book_title": state.book.title,
        "family": state.book.family,
        "currency": money.code,
        "money": {"digits": money.digits, "sign": money.sign, "noun": money.noun},
        "seats": terms.seats,
        "point_value": terms.point_value if state.book.per_point else None,
        "minimum": state.book.least_stack(terms.point_value) if state.book.per_point else None,
        "entry": None if state.book.per_point else terms.entry,
        "prize": None if state.book.per_point else prize(state),
        "fee_percent": terms.fee_percent,
        "deals": state.book.deals,
        "max_groups": state.book.max_groups,
        "clocks": {
            "start_two": terms.clocks.start_two,
            "start_more": terms.clocks.start_more,
            "start_full": terms.clocks.start_full,
            "turn": terms.clocks.turn,
            "extra": terms.clocks.extra,
            "meld": terms.clocks.meld,
            "result": terms.clocks.result,
            "prompt": terms.clocks.prompt,
        },
        "practice": names.practice,
        "stopped": names.stopped,
    }


def _deal(state: TableState) -> DealView | None:
    """Return the deal on the table; before the first card only what is committed for the next one."""
    deal = state.deal
    if deal is None:
        return None if state.prepared is None else _deal_to_come(state.prepared, state.deals + 1)
    face_down = not state.book.open_pile
    top = None if face_down else deal.open_top
    return {
        "id": outer_id(deal.deal_id),
        "number": deal.number,
        "commitment": deal.commitment,
        "cut_joker": deal.cut,
        "wild_rank": deal.wild,
        "closed_count": len(deal.closed),
        "open_top": top.card if top is not None else None,
        "discards": [_discard_view(entry, face_down=face_down) for entry in deal.discards],
        "first_seat": deal.order[0],
        "dealer_seat": deal.order[-1],
        "turn_seat": deal.turn.seat if deal.turn is not None else None,
        "turn_number": deal.turns,
        "finish_card": _finish_card(state, deal),
        "toss": _toss(state, deal),
    }


def _toss(state: TableState, deal: DealState) -> list[TossView]:
    """Return the toss with which the deal began: a match with a pot tosses for its first deal only."""
    if state.match is None or not (state.book.per_point or deal.number == 1):
        return []
    return [{"seat": seat, "card": card} for seat, card in state.match.toss]


def _deal_to_come(prepared: Prepared, number: int) -> DealView:
    return {
        "id": outer_id(prepared.deal_id),
        "number": number,
        "commitment": prepared.commitment,
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


def _next_deal(prepared: Prepared | None) -> NextDealView | None:
    return None if prepared is None else {"id": outer_id(prepared.deal_id), "commitment": prepared.commitment}


def _discard_view(entry: Discarded, *, face_down: bool) -> DiscardView:
    return {
        "seat": entry.seat,
        "card": None if face_down else entry.card,
        "picked_by": entry.picked_by,
        "reshuffled": entry.reshuffled,
    }


def _finish_card(state: TableState, deal: DealState) -> Card | None:
    """Return the card in the finish slot once it lies open: with the result."""
    return deal.finished.card if deal.finished is not None and state.phase not in IN_DEAL else None


def _seat(state: TableState, seat: int, names: Names) -> SeatView:
    taken, hand = state.seats[seat], hand_of(state, seat)
    book = state.book
    counted = taken is not None and not book.per_point
    limit, drop = book.pool_limit, book.first_drop
    return {
        "seat": seat,
        "name": names.players.get(seat),
        "bot": taken is not None and taken.computer,
        "connected": seat in names.connected,
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


def _status(state: TableState, seat: int) -> SeatStatus:
    taken, hand = state.seats[seat], hand_of(state, seat)
    if taken is None:
        return "empty"
    if taken.place is Place.GONE:
        return "left"
    if taken.place is Place.OUT:
        return "out"
    return "waiting" if hand is None else _STATUSES[hand.standing]


def _clock(clock: Clock | None, now: int) -> ClockView | None:
    return None if clock is None else {**bare_clock(clock), "remaining_ms": max(0, clock.deadline - now)}


def _prompt(state: TableState) -> RejoinPrompt | SplitPrompt | None:
    if state.rejoin is not None:
        offer = state.rejoin
        return {"kind": "rejoin", "seats": list(offer.seats), "price": offer.price, "score": offer.score}
    if state.split is None:
        return None
    return {
        "kind": "split",
        "by": state.split.by,
        "lines": [_split_line(line, state.terms.entry) for line in state.split.lines],
        "answers": {str(seat): True for seat in state.split.accepted},
    }


def _split_line(line: ShareLine, entry: int) -> SplitLineView:
    return {**shared(line), "excess_amount": line.excess * entry, "why": explain_share(line.drops, line.excess)}


def _result(state: TableState, clock: Clock | None, now: int, names: Names) -> DealResultView | None:
    if state.result is None:
        return None
    goes_on = clock is not None and clock.kind is ClockKind.RESULT
    return {
        "deal": outer_id(state.result.deal_id),
        "winner": state.result.winner,
        "rows": [_result_row(state, row, names) for row in state.result.rows],
        "next_in": max(0, clock.deadline - now) if goes_on and clock is not None else None,
    }


def _result_row(state: TableState, row: Row, names: Names) -> ResultRowView:
    explanation = explain_row(state.book, state.current, row)
    out = explain_rejoin(state, row)
    return {
        **shown_hand(row),
        "name": names.played.get(row.seat),
        "why": explanation.text if out is None else join([explanation.text, out]),
        "counted": dict(explanation.counted),
    }


def _accounts(state: TableState) -> list[AccountView] | None:
    """Return what each player of a match paid and got once the prize is paid; None before, and without a pot."""
    match = state.match
    if match is None or not match.shares:
        return None
    shares, why = dict(match.shares), _shares_explained(state)
    return [
        {"seat": seat, "paid": price_of_playing(state, seat), "amount": shares.get(seat, 0), "why": why.get(seat)}
        for seat in match.players
    ]


def _shares_explained(state: TableState) -> dict[int, str]:
    """Return by seat how a shared prize came to its shares; nothing where one player has all of it."""
    limit, drop = state.book.pool_limit, state.book.first_drop
    if limit is None or drop is None or state.match is None or len(state.match.shares) < 2:
        return {}
    drops = {seat: drops_left(state.seat(seat).total, limit, drop) for seat, _ in state.match.shares}
    return {seat: explain_share(left, left - min(drops.values())) for seat, left in drops.items()}
