"""What only the platform may do to a running table: run out a clock, give time back, cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rules.game import events as e
from rules.game.moves import Cancel, Expire, Grant
from rules.game.phases.intermission import expire_rejoin, expire_result, expire_split, expire_start
from rules.game.phases.melding import expire_melding
from rules.game.phases.turns import expire_turn
from rules.game.progress import Progress
from rules.game.state import ClockKind, Phase, TableState
from rules.game.values import replace
from rules.messages import refuse


def overdue(state: TableState, now: int) -> bool:
    """Return whether the stored deadline has come: an `Expire` is due before anything else happens."""
    return state.clock is not None and now >= state.clock.deadline


def expire(p: Progress, move: Expire) -> None:
    """Do what the clock stood for, which has run out. Raises Refused: no_clock, too_early."""
    if p.state.clock is None:
        refuse("no_clock")
    if not overdue(p.state, p.now):
        refuse("too_early")
    _EXPIRIES[p.state.clock.kind](p, move)


def grant(p: Progress, move: Grant) -> None:
    """Give whoever must act at least `ms` milliseconds from now; no clock has more to go than its length.

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

    In points and blind stacks change only when a deal is settled, so that they are those from before the running
    deal; who left during it gets the part back that was kept for the loss (rules.md, Packs and limits).
    """
    if p.state.phase is Phase.OVER:
        refuse("wrong_phase")
    p.emit(e.MatchCancelled(reason=move.reason, refunds=_paid(p.state)))
    for seat, taken in enumerate(p.state.seats):
        if taken is not None and (p.book.per_point or p.state.match is None):
            p.emit(e.SeatLeft(seat=seat, returned=taken.stack))


def _paid(state: TableState) -> tuple[tuple[int, int], ...]:
    """Return what each seat has put into the pot: its entry and its rejoins."""
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
