"""A deal played on to its end by computer players, through the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from rules.game.engine import apply
from rules.game.events import DealEnded
from rules.game.moves import Discard, Draw, Drop, Finish, Pile, PlayerMove, Submit
from rules.game.state import Phase, TableState
from rules.game.views import View, view_for
from rules.solver.search import best

#: How a computer player decides: the frame that it sends, from the view of its seat.
Policy = Callable[[View], dict[str, Any] | None]

#: A deal that takes more moves than this counts as nobody's.
MOST_MOVES: Final = 600


class Ending(NamedTuple):
    """The end of a deal for one player: `points` are what they win from the others, below zero what they pay."""

    points: int
    won: bool


def play_on(state: TableState, move: PlayerMove, seat: int, policy: Policy) -> Ending:
    """Make the move, and let `policy` play every seat to the end of the deal. Refused for an illegal move."""
    for _ in range(MOST_MOVES):
        transition = apply(state, move, 0)
        state = transition.after
        ended = next((event for event in transition.events if isinstance(event, DealEnded)), None)
        if ended is not None:
            return _outcome(ended, seat)
        if state.phase not in (Phase.PLAYING, Phase.MELDING):
            break
        move = next_move(state, policy)
    return Ending(0, won=False)


def next_move(state: TableState, policy: Policy) -> PlayerMove:
    """Return what `policy` does for the player who must act. Hands are shown and submitted as they are best."""
    deal = state.current
    if state.phase is Phase.MELDING:
        shower = state.melding_by
        seat = deal.alive[0] if shower is None else shower
        return Submit(seat=seat, groups=best(state.book, deal.wild, deal.hand(seat).cards).groups)
    assert deal.turn is not None
    seat, drawn = deal.turn.seat, deal.turn.drawn
    move = move_of(policy(view_for(state, seat, 0)), seat)
    if move is None:
        return Draw(seat=seat, pile=Pile.CLOSED) if drawn is None else Discard(seat=seat, card=drawn)
    return move


def move_of(frame: dict[str, Any] | None, seat: int) -> PlayerMove | None:
    """Return the frame of a computer player as a move of the turn; None for any other."""
    match frame:
        case {"type": "draw", "pile": pile}:
            return Draw(seat=seat, pile=Pile(pile))
        case {"type": "discard", "card": card}:
            return Discard(seat=seat, card=card)
        case {"type": "drop"}:
            return Drop(seat=seat)
        case {"type": "finish", "card": card}:
            return Finish(seat=seat, card=card)
        case {"type": "finish"}:
            return Finish(seat=seat)
        case _:
            return None


def _outcome(ended: DealEnded, seat: int) -> Ending:
    points = {row.seat: row.points for row in ended.rows}
    won = ended.winner == seat
    return Ending(sum(points.values()) if won else -points[seat], won)
