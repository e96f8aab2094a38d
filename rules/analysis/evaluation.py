"""The moves that are worth a thought at a decision, and what each is worth: played on from the same deals.

    found = evaluate(decision.seen, candidates(decision), samples=40, policy=choose, seed=b"any")
    found[0].move, found[0].points.mean, lead(found[0], found[1]).low

The deals are drawn from what the player could know. Moves share these samples, so their difference is known better
than each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from rules.analysis.rollouts import Ending, Policy, move_of, play_on
from rules.analysis.sampling import sampled
from rules.analysis.seen import Known
from rules.cards import Card, face, is_joker, points
from rules.errors import RulesError
from rules.expectations.significance import SIDES_95, mean_interval, share_interval
from rules.game.legality import legal_moves, why_not_pick
from rules.game.moves import Discard, Draw, Drop, Finish, Pile, PlayerMove
from rules.game.views import view_for
from rules.solver.search import best
from rules.text import message

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


#: Samples of one evaluation: fewer tell nothing, more take too long.
LEAST_SAMPLES, MOST_SAMPLES = 2, 1_000
#: An interval of 99 % is so much wider than one of 95 %.
_WIDER: Final = 2.576 / SIDES_95


class Interval(NamedTuple):
    """A mean, and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def surely(self) -> float:
        """The low end of the 99 % interval: what is said of somebody's play must be surer."""
        return self.mean - _WIDER * (self.mean - self.low)


@dataclass(frozen=True)
class Evaluation:
    """What a move is worth. `outcomes` has one entry a sample, in the order of the samples, alike for all moves."""

    move: PlayerMove
    outcomes: tuple[Ending, ...]

    @property
    def samples(self) -> int:
        return len(self.outcomes)

    @cached_property
    def points(self) -> Interval:
        """The points that the player is expected to win from the others; below zero those to be paid."""
        return Interval(*mean_interval([outcome.points for outcome in self.outcomes]))

    @cached_property
    def win_chance(self) -> Interval:
        """The chance from 0 to 1 to win the deal, with Wilson's interval."""
        won = sum(outcome.won for outcome in self.outcomes)
        return Interval(won / self.samples, *share_interval(won, self.samples))


def evaluate(
    seen: Known,
    moves: Sequence[PlayerMove],
    *,
    samples: int,
    policy: Policy,
    seed: bytes,
    first: int = 0,
    go_on: Callable[[], bool] = lambda: True,
) -> tuple[Evaluation, ...]:
    """Return the worth of each move that the player may make, best first (by points, then as given).

    `policy` plays all seats on, the player's own too. Samples are numbered from `first`: other numbers are other deals,
    the same seed and numbers the same. With `go_on` somebody may end it early, after a whole sample. Raises RulesError:
    bad_samples; Refused for a move that is not legal.
    """
    if not LEAST_SAMPLES <= samples <= MOST_SAMPLES:
        raise RulesError(
            "bad_samples",
            message("From {least} to {most} samples are possible.", least=LEAST_SAMPLES, most=MOST_SAMPLES),
        )
    outcomes: list[list[Ending]] = [[] for _ in moves]
    for number in range(first, first + samples):
        if number >= first + LEAST_SAMPLES and not go_on():
            break
        state = sampled(seen, seed, number)
        for move, ends in zip(moves, outcomes, strict=True):
            ends.append(play_on(state, move, seen.seat, policy))
    return _best_first([Evaluation(move, tuple(ends)) for move, ends in zip(moves, outcomes, strict=True)])


def together(found: Sequence[Evaluation], more: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    """Return the worth of the same moves by the samples of both, best first."""
    outcomes = {each.move: each.outcomes for each in more}
    return _best_first([Evaluation(each.move, each.outcomes + outcomes[each.move]) for each in found])


def _best_first(found: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    return tuple(sorted(found, key=lambda each: -each.points.mean))


def lead(better: Evaluation, other: Evaluation) -> Interval:
    """Return by how many points one move is better than another, sample by sample."""
    pairs = zip(better.outcomes, other.outcomes, strict=True)
    return Interval(*mean_interval([one.points - two.points for one, two in pairs]))
