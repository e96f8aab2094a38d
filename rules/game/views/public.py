"""The public part of a view, which everybody may see, including onlookers: the table, the deal, and its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rules.cards import Card
from rules.game.lookups import free_seats, hand_of, price_of_playing, prize
from rules.game.results import Row, ShareLine
from rules.game.state import IN_DEAL, Clock, ClockKind, DealState, Discarded, Place, Prepared, Standing, TableState
from rules.game.views.names import Names, PartOf, outer_id
from rules.game.views.shapes import (
    AccountView,
    BareClockView,
    ClockView,
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
    TournamentView,
)
from rules.game.views.why import explain_rejoin, explain_row, explain_share
from rules.melds import Kind, in_reading_order
from rules.payouts import drops_left
from rules.text import join

_STATUSES: Final[Mapping[Standing, SeatStatus]] = {
    Standing.IN: "playing",
    Standing.DROPPED: "dropped",
    Standing.WRONG: "wrong",
    Standing.LEFT_SHOW: "wrong",
    Standing.LEFT: "left",
    Standing.SUBMITTED: "submitted",
}


def public_view(
    state: TableState, now: int, names: Names, *, table: Any = None, seats: Any = None, discards: Any = None
) -> PublicView:
    """Return the public view at `now`.

    The last arguments are its parts of these names, as made by `table_view`, `seat_view` and `discard_views`, if the
    caller has them already.
    """
    clock = None if names.waits else state.clock
    return {
        "table": table_view(state, names) if table is None else table,
        "phase": state.phase,
        "melding_by": state.melding_by,
        "deal": _deal(state, discards),
        "seats": [seat_view(state, seat, names) for seat in range(len(state.seats))] if seats is None else seats,
        "free_seats": list(free_seats(state)),
        "clock": _clock(clock, now),
        "prompt": _prompt(state),
        "next_deal": _next_deal(state.prepared),
        "result": result_view(state, clock, now, names),
        "accounts": accounts_view(state),
    }


def bare_clock(clock: Clock) -> BareClockView:
    """Return the clock without its remaining time."""
    return {"kind": clock.kind, "seat": clock.seat, "deadline": clock.deadline, "length_ms": clock.length}


def table_facts(state: TableState, names: Names) -> object:
    """Return all values on which `table_view` depends: if they are equal, so are the views."""
    deal = None if names.part_of is None else (state.deals, state.deal and state.deal.number)
    return state.terms, state.match, state.seats, names, deal


def table_view(state: TableState, names: Names, viewer: int | None = None) -> TableView:
    """Return the terms of the table, what it is called, and its tournament as the player in seat `viewer` sees it."""
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
        "chips_a_deal": state.book.chips_a_deal,
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
        "tournament": _tournament(state, names.part_of, viewer),
    }


def _tournament(state: TableState, part_of: PartOf | None, viewer: int | None) -> TournamentView | None:
    if part_of is None:
        return None
    deals = state.book.deals
    return {
        "id": part_of.id,
        "title": part_of.title,
        "round": part_of.round,
        "rounds": part_of.rounds,
        "deal": deals and (state.deal.number if state.deal is not None else max(1, state.deals)),
        "deals": deals,
        "place": None if viewer is None else part_of.place_by_seat.get(viewer),
        "places": part_of.places,
        "ends_at": part_of.ends_at,
        "automatic": viewer in part_of.absent,
        "paused": part_of.paused,
    }


def _deal(state: TableState, discards: Any) -> DealView | None:
    """Return the deal on the table; before the first card only the commitment of the next one."""
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
        "discards": discard_views(state, deal.discards) if discards is None else discards,
        "reshuffled_count": deal.reshuffled_count,
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
        "reshuffled_count": 0,
        "first_seat": None,
        "dealer_seat": None,
        "turn_seat": None,
        "turn_number": 0,
        "finish_card": None,
        "toss": [],
    }


def _next_deal(prepared: Prepared | None) -> NextDealView | None:
    return None if prepared is None else {"id": outer_id(prepared.deal_id), "commitment": prepared.commitment}


def discard_views(state: TableState, entries: Iterable[Discarded]) -> list[DiscardView]:
    """Return these discards of the deal."""
    face_down = not state.book.open_pile
    return [_discard_view(entry, face_down=face_down) for entry in entries]


def _discard_view(entry: Discarded, *, face_down: bool) -> DiscardView:
    view: DiscardView = {"seat": entry.seat, "card": None if face_down else entry.card}
    if entry.picked_by is not None:
        view["picked_by"] = entry.picked_by
    return view


def _finish_card(state: TableState, deal: DealState) -> Card | None:
    """Return the card in the finish slot once it lies open: with the result."""
    return deal.finished.card if deal.finished is not None and state.phase not in IN_DEAL else None


def seat_facts(state: TableState, seat: int, names: Names) -> object:
    """Return all values on which `seat_view` depends: if they are equal, so are the views."""
    return state.terms, state.seats[seat], hand_of(state, seat), names.players.get(seat), seat in names.connected


def seat_view(state: TableState, seat: int, names: Names) -> SeatView:
    """Return the public view of one seat."""
    holder, hand = state.seats[seat], hand_of(state, seat)
    book = state.book
    counted = holder is not None and not book.per_point
    limit, drop = book.pool_limit, book.first_drop
    return {
        "seat": seat,
        "name": names.players.get(seat),
        "bot": holder is not None and holder.computer,
        "connected": seat in names.connected,
        "status": _status(state, seat),
        "stack": holder.stack if holder is not None else 0,
        "total": holder.total if counted and holder is not None else None,
        "drops_left": drops_left(holder.total, limit, drop) if holder is not None and limit and drop else None,
        "rejoins": holder.rejoins if holder is not None else 0,
        "ready": holder is not None and holder.ready,
        "cards": len(hand.cards) if holder is not None and hand is not None else 0,
        "misses": hand.misses if hand is not None else 0,
        "auto": hand.auto if hand is not None else 0,
    }


def _status(state: TableState, seat: int) -> SeatStatus:
    holder, hand = state.seats[seat], hand_of(state, seat)
    if holder is None:
        return "empty"
    if holder.place is Place.GONE:
        return "left"
    if holder.place is Place.OUT:
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


def result_view(state: TableState, clock: Clock | None, now: int, names: Names) -> DealResultView | None:
    """Return the result of the deal, and in how many ms the next one begins; None before its end."""
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
    explanation = explain_row(state.book, state.current, row, gone=_is_gone(state, row.seat))
    out = explain_rejoin(state, row)
    shown, wild = shown_hand(row), state.current.wild
    return {
        **shown,
        "groups": [
            list(in_reading_order(cards, Kind(kind), wild)) for cards, kind in zip(row.groups, row.kinds, strict=True)
        ],
        "loose": list(in_reading_order(row.loose, Kind.INVALID, wild)),
        "name": names.played.get(row.seat),
        "why": explanation.text if out is None else join([explanation.text, out]),
        "counted": dict(explanation.counted),
    }


def _is_gone(state: TableState, seat: int) -> bool:
    """Return whether the player who was dealt the hand of this seat has left the table."""
    holder = state.seats[seat]
    return hand_of(state, seat) is None or (holder is not None and holder.place is Place.GONE)


def accounts_view(state: TableState) -> list[AccountView] | None:
    """Return each player's payments and winnings in a match once the prize is paid; None before, and without a pot."""
    match = state.match
    if match is None or not match.shares:
        return None
    shares, why = dict(match.shares), _shares_explained(state)
    return [
        {"seat": seat, "paid": price_of_playing(state, seat), "amount": shares.get(seat, 0), "why": why.get(seat)}
        for seat in match.players
    ]


def _shares_explained(state: TableState) -> dict[int, str]:
    """Return by seat the explanation of its share of the prize; an empty dict if one player has all of it."""
    limit, drop = state.book.pool_limit, state.book.first_drop
    if limit is None or drop is None or state.match is None or len(state.match.shares) < 2:
        return {}
    drops = {seat: drops_left(state.seat(seat).total, limit, drop) for seat, _ in state.match.shares}
    return {seat: explain_share(left, left - min(drops.values())) for seat, left in drops.items()}


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
