"""The moves that are worth a thought at a decision."""

from __future__ import annotations

from typing import Final

from rules.analysis.rollouts import Policy, move_of
from rules.analysis.sampling import sampled
from rules.analysis.seen import Known
from rules.cards import Card, face, is_joker, points
from rules.game.legality import legal_moves, why_not_pick
from rules.game.moves import Discard, Draw, Drop, Finish, Pile, PlayerMove
from rules.game.views import view_for
from rules.solver.search import best

#: The most discards that are compared.
MOST_DISCARDS: Final = 5


def advised(seen: Known, policy: Policy) -> PlayerMove | None:
    """Return what `policy` would do at the decision."""
    return move_of(policy(view_for(sampled(seen, b"", 0), seen.seat, 0)), seen.seat)


def candidates(seen: Known, played: PlayerMove | None, policy: Policy) -> tuple[PlayerMove, ...]:
    """Return the move that was played, the one that `policy` would play, and those beside them that may be as good.

    Of cards alike only one is named, and no joker is let go unless it was played.
    """
    state = sampled(seen, b"", 0)
    own = advised(seen, policy)
    names = legal_moves(state, seen.seat)
    if seen.drawn is None:
        more: list[PlayerMove] = [Draw(seat=seen.seat, pile=Pile.CLOSED)]
        if why_not_pick(state, seen.seat) is None:
            more.append(Draw(seat=seen.seat, pile=Pile.OPEN))
        if Drop.name in names:
            more.append(Drop(seat=seen.seat))
        if Finish.name in names and best(seen.book, seen.wild, seen.hand).valid:
            more.append(Finish(seat=seen.seat))
    else:
        more = _after_draw(seen)
    return _distinct([move for move in (played, own) if move is not None], more)


def _after_draw(seen: Known) -> list[PlayerMove]:
    """Return the finish where there is one, and the discards that leave the fewest points."""
    arranged = best(seen.book, seen.wild, seen.hand)
    finish: list[PlayerMove] = [Finish(seat=seen.seat, card=arranged.discard)] if arranged.valid else []
    by_face = {face(card): card for card in reversed(seen.hand) if not is_joker(card, seen.wild)}

    def left(card: Card) -> tuple[int, int, str]:
        rest = [other for other in seen.hand if other != card]
        return best(seen.book, seen.wild, rest).points, -points(card, seen.wild), card

    discards = sorted(by_face.values(), key=left)[:MOST_DISCARDS]
    return finish + [Discard(seat=seen.seat, card=card) for card in discards]


def _distinct(first: list[PlayerMove], more: list[PlayerMove]) -> tuple[PlayerMove, ...]:
    """Return the moves without those that are alike, and of the discards the first few."""
    moves: dict[object, PlayerMove] = {}
    for move in (*first, *more):
        moves.setdefault(likeness(move), move)
    discards = [move for move in moves.values() if isinstance(move, Discard)]
    left_out = discards[MOST_DISCARDS:]
    return tuple(move for move in moves.values() if move not in left_out)


def likeness(move: PlayerMove) -> object:
    """Return what is the same of moves that come to the same: cards that show the same face are alike."""
    if isinstance(move, Discard | Finish):
        return move.name, move.card and face(move.card)
    return move
