"""A deal in notation that is played on against computer players: the text is the whole state.

    here = cut_to(read(text), 12)                     # after the first twelve moves
    there = play_on_from(here, move, seat, policy)    # the move, and the answers to it
    write(there)

Nothing is remembered: whoever has the text can go on with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rules.analysis.rollouts import Policy, next_move
from rules.cards import Card, ordered_shoe
from rules.errors import RulesError
from rules.game import events as e
from rules.game.engine import apply
from rules.game.moves import PlayerMove
from rules.game.state import IN_DEAL, Phase, TableState
from rules.game.transitions import Transition
from rules.messages import refuse
from rules.notation import MOST_MOVES, Action, Notation, replay
from rules.notation.shape import MoveLine
from rules.notation.writing import noted
from rules.shuffling import shuffled
from rules.text import message

_FILL: Final = b"rummy-board-v1"


def cut_to(notation: Notation, moves: int) -> Notation:
    """Return the deal after its first `moves`; one that is cut has no result.

    Where the platform did several moves in one go and some are kept, the player counts as having made these, and may go
    on as they like.
    """
    moves = max(0, moves)
    if moves >= len(notation.moves):
        return notation
    kept, following = list(notation.moves[:moves]), notation.moves[moves]
    for place in reversed(range(moves)):
        if not _in_one_go(kept[place], following):
            break
        kept[place] = replace(kept[place], auto=False)
    return replace(notation, moves=tuple(kept), result=None)


def _in_one_go(move: MoveLine, following: MoveLine) -> bool:
    """Return whether the platform did both when the time of one player, or of all who had not shown, was over."""
    shows = move.action is following.action is Action.SHOW
    return move.auto and following.auto and (shows or move.seat == following.seat)


def acting_seat(state: TableState) -> int | None:
    """Return the seat whose move is awaited, None once the deal is over."""
    if state.phase not in IN_DEAL:
        return None
    if state.phase is Phase.MELDING:
        return state.melding_by if state.melding_by is not None else state.current.alive[0]
    assert state.current.turn is not None
    return state.current.turn.seat


def play_on_from(notation: Notation, move: PlayerMove | None, seat: int, policy: Policy) -> Notation:
    """Return the deal after the move of the player in `seat` (None: none is made) and the moves of all others until
    that player must decide again, or the deal is over.

    Hands are shown and submitted as they are best, the player's own too. Raises Refused for a move that is not legal,
    RulesError `bad_seat`, `too_many_moves`, and NotationError where the deal so far cannot be.
    """
    state = list(replay(notation))[-1].state
    if seat not in notation.dealt:
        raise RulesError("bad_seat", message("Nobody sits there."))
    if move is not None:
        if acting_seat(state) is None:
            refuse("wrong_phase")
        notation, state = _made(notation, state, move)
    while (acts := acting_seat(state)) is not None:
        if acts == seat and state.phase is not Phase.MELDING:
            break
        if len(notation.moves) >= MOST_MOVES:
            raise RulesError("too_many_moves", message("A deal has {most} moves at most.", most=MOST_MOVES))
        notation, state = _made(notation, state, next_move(state, policy))
    return notation


def _made(notation: Notation, state: TableState, move: PlayerMove) -> tuple[Notation, TableState]:
    assert state.clock is not None
    transition = apply(state, move, state.clock.deadline - state.clock.length)
    return _with(notation, transition), transition.after


def _with(notation: Notation, transition: Transition) -> Notation:
    """Return the deal with the lines of what has happened, and its result once it has one."""
    state, lines = transition.before, list(notation.moves)
    for event in transition.events:
        state = event.fold(state)
        if isinstance(event, e.DealEnded):
            points = tuple(sorted((row.seat, row.points) for row in event.rows))
            return replace(notation, moves=tuple(lines), result=points)
        if state.deal is not None and (line := noted(event, state.deal)) is not None:
            lines.append(line)
    return replace(notation, moves=tuple(lines))


# --- positions --------------------------------------------------------------------------------------------------------


def with_open_cards(notation: Notation) -> Notation:
    """Return the deal at its beginning with the cards themselves in place of seeds, so that they can be changed."""
    dealt = next(step.event for step in replay(cut_to(notation, 0)) if isinstance(step.event, e.CardsDealt))
    hands = tuple(sorted(zip(dealt.order, dealt.hands, strict=True)))
    return replace(
        notation,
        seed=None,
        commitment=None,
        clients=(),
        hands=hands,
        stock=dealt.closed,
        moves=(),
        result=None,
        order=dealt.order if notation.order is None and dealt.order != _in_seat_order(dealt.order) else notation.order,
    )


def _in_seat_order(order: Sequence[int]) -> tuple[int, ...]:
    seats = sorted(order)
    place = seats.index(order[0])
    return (*seats[place:], *seats[:place])


def filled_up(
    places: Sequence[Sequence[Card]], stock: Sequence[Card], packs: int, seed: bytes, sizes: Sequence[int]
) -> tuple[list[tuple[Card, ...]], tuple[Card, ...]]:
    """Return the places with as many cards each as `sizes` says, and a stock with all others: what is missing comes
    shuffled.

    Cards without a pack (7H) are the first of those alike that nobody names. The stock begins as it is given. Raises
    RulesError: bad_card, too_many_cards.
    """
    left = list(ordered_shoe(packs))
    named = [[_taken(left, card) for card in cards] for cards in (*places, stock)]
    rest = list(shuffled(left, "fill", seed, (), _FILL))
    full = []
    for cards, size in zip(named[:-1], sizes, strict=True):
        if len(cards) > size:
            raise RulesError("too_many_cards", message("There are {count} cards where {size} belong.", count=len(cards),
                                                   size=size))  # fmt: skip
        missing = size - len(cards)
        full.append((*cards, *rest[:missing]))
        rest = rest[missing:]
    return full, (*named[-1], *rest)


def _taken(left: list[Card], named: Card) -> Card:
    """Take the card out of what is left of the shoe. Raises RulesError `bad_card`."""
    card = next((each for each in left if named in (each, each[:-1])), None)
    if card is None:
        raise RulesError("bad_card", message("There is no {given} left for this place.", given=named))
    left.remove(card)
    return card
