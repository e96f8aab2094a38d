"""The state machine of a table: `apply` is the one path of every change, human or not.

    state = start(terms)
    transition = apply(state, Draw(seat=0, pile=Pile.CLOSED), now)

Pure: the time is the argument `now` (milliseconds since the epoch), and randomness is in `PrepareDeal`. Move functions
read the state and emit events; only `Event.fold` makes the next state, so the event log can rebuild every state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rules.game import moves as m
from rules.game.invariants import check_bystander, check_invariants
from rules.game.legality import why_not
from rules.game.phases import dealing, intermission, melding, seating, system, turns
from rules.game.phases.system import overdue
from rules.game.state import TableState
from rules.game.transitions import Progress, Transition, commit_version
from rules.messages import refuse


def apply(state: TableState, move: m.Move, now: int) -> Transition:
    """Return the transition that `move` makes at `now`, to the next version.

    Raises Refused (code and a sentence) if the rules do not allow it; then nothing has changed. A player's move after
    the stored deadline is refused as too_late: the `Expire` of that deadline comes first.

    >>> from rules.game import Terms, moves, start
    >>> table = start(Terms(book="standard-points", book_version=1, seats=2, point_value=1, minimum=80))
    >>> alone = apply(table, moves.Sit(seat=0, stack=100), now=0).after
    >>> alone.version, alone.phase.value
    (1, 'waiting')
    >>> both = apply(alone, moves.Sit(seat=1, stack=80), now=0)
    >>> [event.name for event in both.events]
    ['seat_taken', 'starting_began']
    >>> both.after.clock.deadline
    10000
    >>> apply(both.after, moves.Drop(seat=0), now=0)
    Traceback (most recent call last):
    rules.errors.Refused: This cannot be done now.
    """
    if isinstance(move, m.PlayerMove):
        _check_player(state, move, now)
    p = Progress(state, now)
    _MOVES[type(move)](p, move)
    if not p.events:
        return Transition(before=state, after=state, events=())
    after = commit_version(p.state, p.events)
    check_invariants(after)
    if isinstance(move, m.PlayerMove | m.Sit):
        check_bystander(state, move.seat, after)
    return Transition(before=state, after=after, events=tuple(p.events))


def is_stale(state: TableState, seat: int, version: int) -> bool:
    """Return whether the view of `seat` has changed since `version`, on which a move was decided.

    Private moves of others (arranging, switches) raise the table's version but make no other view stale.
    """
    return not state.view_version[seat] <= version <= state.version


def _check_player(state: TableState, move: m.PlayerMove, now: int) -> None:
    if code := why_not(state, move.seat, move.name):
        refuse(code)
    if overdue(state, now):
        refuse("too_late")


_MOVES: Final[Mapping[type[m.Move], Callable[[Progress, Any], None]]] = {
    m.Sit: seating.sit,
    m.AddChips: seating.add_chips,
    m.Leave: seating.leave,
    m.PrepareDeal: dealing.prepare_deal,
    m.ClientSeed: dealing.client_seed,
    m.Draw: turns.draw,
    m.Discard: turns.discard,
    m.Drop: turns.drop,
    m.AutoDrop: turns.auto_drop,
    m.Arrange: melding.arrange,
    m.Sort: melding.sort,
    m.Finish: melding.place_in_finish_slot,
    m.Submit: melding.submit,
    m.Continue: intermission.continue_,
    m.Rejoin: intermission.rejoin,
    m.OfferSplit: intermission.offer_split,
    m.AnswerSplit: intermission.answer_split,
    m.Expire: system.expire,
    m.Grant: system.grant,
    m.Cancel: system.cancel,
}
