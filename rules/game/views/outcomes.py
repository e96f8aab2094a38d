"""The public views of the result of a deal, and of the accounts of a match."""

from __future__ import annotations

from rules.game.lookups import hand_of, price_of_playing
from rules.game.results import Row, ShareLine
from rules.game.state import Clock, ClockKind, Place, TableState
from rules.game.views.names import Names, outer_id
from rules.game.views.shapes import AccountView, DealResultView, ResultRowView, ShareView, ShownHandView
from rules.game.views.why import explain_rejoin, explain_row, explain_share
from rules.melds import Kind, in_reading_order
from rules.payouts import drops_left
from rules.text import join


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
