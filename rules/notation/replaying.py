"""A deal in notation, played again by the engine: each line must be allowed, and give what the file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final, NamedTuple

from rules.errors import Refused
from rules.game import events as e, moves as m
from rules.game.engine import apply
from rules.game.events import Event
from rules.game.lookups import hand_of
from rules.game.state import IN_DEAL, Standing, TableState
from rules.game.transitions import Transition
from rules.notation.dealing import dealt
from rules.notation.shape import MOST_SEATS, Action, CutShort, MoveLine, Notation, NotationError
from rules.notation.writing import in_points, noted, written
from rules.text import message

_ENDS: Final = (e.DealEnded, e.DealVoided)


class Replayed(NamedTuple):
    """One event of a deal and the table after it; `line` is the line that made it, 0 while the cards are dealt.

    Behind the last event of a line the engine can go on from the table.
    """

    event: Event
    state: TableState
    line: int


def replay(notation: Notation) -> Iterator[Replayed]:
    """Yield the events of the deal, from its dealing to its end, as the engine makes them from the file.

    Raises NotationError at the first line that cannot be: a seed that was not promised, a cut joker or a card that the
    shoe does not give, a move against the rules, a result with other points.
    """
    moves, place = notation.moves, 0
    for event, state in _events([dealt(notation)]):
        yield Replayed(event, state, 0)
    # Nothing comes of itself with more lines than there are seats: all who have not shown.
    while place < len(moves) and state.phase in IN_DEAL:
        first, made_of = place, _made(state, moves[place : place + MOST_SEATS])
        for event, state in _events(made_of):
            made = noted(event, state.current)
            if made is not None:
                _check(made, moves, place)
                place += 1
            yield Replayed(event, state, moves[max(first, place - 1)].line)
    if place < len(moves):
        raise NotationError(moves[place].line, message("The deal is over before this line."))
    _check_end(notation, event)


def _events(transitions: Sequence[Transition]) -> Iterator[tuple[Event, TableState]]:
    """Yield each event of these transitions with the state after it, up to the end of the deal."""
    for transition in transitions:
        state = transition.before
        for event in transition.events:
            state = event.fold(state)
            is_end = isinstance(event, _ENDS)
            yield event, transition.after if event is transition.events[-1] and not is_end else state
            if is_end:
                return


def _made(state: TableState, moves: Sequence[MoveLine]) -> list[Transition]:
    """Return what the first of these moves does to the table, together with those that come of it by themselves."""
    move = moves[0]
    try:
        return _by_platform(state, moves) if move.auto else _by_player(state, move)
    except Refused as error:
        raise NotationError(move.line, message("{move}: {reason}", move=written(move), reason=error.message)) from error


def _by_player(state: TableState, move: MoveLine) -> list[Transition]:
    match move.action:
        case Action.LEAVE if move.groups:
            arranged = _arranged(state, move)
            after = arranged[-1].after if arranged else state
            return [*arranged, _apply(after, m.Leave(seat=move.seat))]
        case Action.SHOW:
            _check_hand(state, move)
            return [_apply(state, m.Submit(seat=move.seat, groups=move.groups))]
        case Action.DRAW:
            assert move.pile is not None
            return [_apply(state, m.Draw(seat=move.seat, pile=move.pile))]
        case Action.DISCARD:
            assert move.card is not None
            return [_apply(state, m.Discard(seat=move.seat, card=move.card))]
        case Action.FINISH:
            return [_apply(state, m.Finish(seat=move.seat, card=move.card))]
        case Action.DROP:
            return [_apply(state, m.Drop(seat=move.seat))]
        case _:
            return [_apply(state, m.Leave(seat=move.seat))]


def _by_platform(state: TableState, moves: Sequence[MoveLine]) -> list[Transition]:
    """Let the clock run out; what the platform does may depend on whether the player was connected."""
    if moves[0].action is Action.SHOW:
        return _submitted(state, moves)
    outcomes = [_expired(state, offline) for offline in (frozenset[int](), frozenset([moves[0].seat]))]
    return next((each for each in outcomes if _like(_first_move(each), moves[0])), outcomes[0])


def _submitted(state: TableState, moves: Sequence[MoveLine]) -> list[Transition]:
    """Submit for all who have not, with their cards as these lines have them."""
    arranged: list[Transition] = []
    for move in takewhile(lambda each: each.auto and each.action is Action.SHOW, moves):
        arranged += _arranged(arranged[-1].after if arranged else state, move)
    return [*arranged, *_expired(arranged[-1].after if arranged else state, frozenset())]


def _arranged(state: TableState, move: MoveLine) -> list[Transition]:
    """Lay the hand as the line has it, if it lies otherwise."""
    _check_hand(state, move)
    transition = _apply(state, m.Arrange(seat=move.seat, groups=move.groups))
    return [transition] if transition.events else []


def _expired(state: TableState, offline: frozenset[int]) -> list[Transition]:
    """Let the clock run out, and the extra time behind it."""
    assert state.clock is not None
    transition = apply(state, m.Expire(offline=offline), state.clock.deadline)
    if all(isinstance(event, e.ExtraTimeBegan) for event in transition.events):
        return [transition, *_expired(transition.after, offline)]
    return [transition]


def _apply(state: TableState, move: m.PlayerMove) -> Transition:
    """Make the move as soon as the clock runs: the file need not say when."""
    assert state.clock is not None
    return apply(state, move, state.clock.deadline - state.clock.length)


def _first_move(transitions: Sequence[Transition]) -> MoveLine | None:
    made = (noted(event, state.current) for event, state in _events(transitions))
    return next((move for move in made if move is not None), None)


def _check_hand(state: TableState, move: MoveLine) -> None:
    """Check that groups and loose cards are the hand of a player who has still to play it. Raises NotationError."""
    hand = hand_of(state, move.seat)
    said = Counter([*(card for group in move.groups for card in group), *move.loose])
    if hand is not None and hand.standing is Standing.IN and said != Counter(hand.cards):
        wrong = next(iter(said - Counter(hand.cards)), None)
        if wrong is not None:
            raise NotationError(
                move.line, message("{card} is not in the hand of seat {seat}.", card=wrong, seat=move.seat)
            )
        raise NotationError(move.line, message("The hand of seat {seat} has more cards.", seat=move.seat))


def _check(made: MoveLine, moves: Sequence[MoveLine], place: int) -> None:
    """Raise NotationError if the file does not say what the engine made."""
    if place >= len(moves):
        raise CutShort(moves[-1].line, message("Behind this line is missing: {move}", move=written(made)))
    if not _like(made, moves[place]):
        raise NotationError(moves[place].line, message("Here comes: {move}", move=written(made)))


def _like(made: MoveLine | None, said: MoveLine) -> bool:
    """Return whether the two are the same, whatever the order of loose cards; of who leaves the hand may be untold."""
    if made is None:
        return False
    if said.action is Action.LEAVE and not said.groups and not said.loose:
        made = replace(made, groups=(), loose=())
    return _comparable(made) == _comparable(said)


def _comparable(move: MoveLine) -> MoveLine:
    return replace(move, at_ms=None, loose=tuple(sorted(move.loose)))


def _check_end(notation: Notation, last: Event) -> None:
    """Check that the deal ended as the Result says. Raises NotationError."""
    if not isinstance(last, e.DealEnded):
        if notation.result is not None and isinstance(last, e.DealVoided):
            notation.refuse("Result", message("The deal is void: nobody has points."))
        if notation.result is not None:
            raise CutShort(notation.last_line, message("The deal is not over by this line."))
        return
    points = tuple(sorted((row.seat, row.points) for row in last.rows))
    if notation.result != points:
        notation.refuse("Result", message("The points are {points}.", points=in_points(points)))
