"""Moves that only the platform may make: end a clock, give time back, cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rules.game import events as e
from rules.game.moves import Cancel, Expire, Grant
from rules.game.phases.intermission import expire_rejoin, expire_result, expire_split, expire_start
from rules.game.phases.melding import expire_melding
from rules.game.phases.turns import expire_turn
from rules.game.state import ClockKind, Phase, TableState, replace
from rules.game.transitions import Progress
from rules.messages import refuse


def overdue(state: TableState, now: int) -> bool:
    """Return whether the stored deadline has passed, so that an `Expire` must come before any other move."""
    return state.clock is not None and now >= state.clock.deadline


def expire(p: Progress, move: Expire) -> None:
    """Act on the end of the running clock. Raises Refused: no_clock, too_early."""
    if p.state.clock is None:
        refuse("no_clock")
    if not overdue(p.state, p.now):
        refuse("too_early")
    _EXPIRIES[p.state.clock.kind](p, move)


def grant(p: Progress, move: Grant) -> None:
    """Give the player who must act at least `ms` milliseconds from now; no clock ever has more left than its length.

    Raises Refused: no_clock, bad_amount.
    """
    if p.state.clock is None:
        refuse("no_clock")
    if move.ms <= 0:
        refuse("bad_amount")
    deadline = max(min(p.state.clock.deadline, p.now + p.state.clock.length), p.now + move.ms)
    length = max(p.state.clock.length, move.ms)
    p.emit(e.ClockCredited(clock=replace(p.state.clock, deadline=deadline, length=length)))


def cancel(p: Progress, move: Cancel) -> None:
    """Stop the table: a pot goes back to those who paid it, without fee, and every stack to its owner.

    In points and blind, stacks change only when a deal is settled, so they are still those from before the running
    deal; players who left during it get back the part that was kept for their loss (RULES.md, Packs and limits).
    """
    if p.state.phase is Phase.OVER:
        refuse("wrong_phase")
    p.emit(e.MatchCancelled(reason=move.reason, refunds=_paid(p.state)))
    for seat, holder in enumerate(p.state.seats):
        if holder is not None and (p.book.per_point or p.state.match is None):
            p.emit(e.SeatLeft(seat=seat, returned=holder.stack))


def _paid(state: TableState) -> tuple[tuple[int, int], ...]:
    """Return each seat's payments into the pot: its entry and its rejoins."""
    if state.match is None or state.match.pot == 0:
        return ()
    entry = state.terms.entry
    return tuple((seat, entry * (1 + state.seat(seat).rejoins)) for seat in state.match.players)


_EXPIRIES: Final[Mapping[ClockKind, Callable[[Progress, Expire], None]]] = {
    ClockKind.START: expire_start,
    ClockKind.TURN: expire_turn,
    ClockKind.EXTRA: expire_turn,
    ClockKind.MELD: expire_melding,
    ClockKind.RESULT: expire_result,
    ClockKind.REJOIN: expire_rejoin,
    ClockKind.SPLIT: expire_split,
}
