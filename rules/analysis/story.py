"""A finished deal of one player as a story: each decision judged, mistakes graded, the figures of the whole.

A decision is judged in two steps: a few samples choose the moves that may be better, and the best of these as the rival
of the move that was played; then fresh ones compare them. So its choice does not flatter the rival.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final, TypedDict

from rules.analysis.evaluation import (
    LEAST_SAMPLES,
    Evaluation,
    Interval,
    advised,
    candidates,
    evaluate,
    lead,
    likeness,
    together,
)
from rules.analysis.rollouts import Policy
from rules.analysis.seen import Decision
from rules.cards import Card
from rules.game.moves import Discard, Draw, Drop, Finish, PlayerMove

#: Samples to choose with, and moves that are compared with the one played.
SCOUTS, COMPARED = 12, 2
#: After this part of the samples no more are tried where the rival leads by less than that part of half the interval,
#: and no drop is judged: if it went on like this, not one in twenty would be blamed in the end. Where the rival is
#: farther ahead all are tried, so that no lucky moment makes a mistake of it.
_FIRST_LOOK, _HARDLY_AHEAD = 0.4, 0.4


class Grade(StrEnum):
    """How much a decision cost, where it surely cost something: by its 99 % interval the difference is above zero."""

    SLIP = "slip"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


#: The least points that a decision of each grade costs, dearest first.
COSTS: Final = {Grade.BLUNDER: 12.0, Grade.MISTAKE: 5.0, Grade.SLIP: 1.5}


class OptionReview(TypedDict):
    """One move of a decision: its frame as at the table; points and win chance as mean, low, high; `lead` is by how
    many points it is better than the move played."""

    move: dict[str, Any]
    points: list[float]
    win: list[float]
    lead: list[float]


class DropReview(TypedDict):
    """A drop for `price` points: `lead` is by how many points it is better than the best other move."""

    price: int
    lead: list[float]


class DecisionReview(TypedDict):
    """One judged decision. `event` is its place among the events of the deal, `turn` the turn's number in the deal.
    `options` are best first, and `rival` is the one that the first samples chose, `advice` the one
    that the adviser would play; `lost` are the points that the move
    played surely cost, 0 where the samples do not tell.
    """

    event: int
    turn: int
    hand: list[Card]
    drawn: Card | None
    played: dict[str, Any]
    rival: dict[str, Any] | None
    advice: dict[str, Any] | None
    options: list[OptionReview]
    samples: int
    lost: float
    grade: str | None
    drop: DropReview | None


class Summary(TypedDict):
    """The figures of a deal: `lost` are points a decision, `dearest` is the event of the discard that cost most."""

    decisions: int
    lost: float
    grades: dict[str, int]
    dearest: int | None


def judge_decision(
    decision: Decision,
    *,
    policy: Policy,
    seed: bytes,
    samples: int,
    adviser: Policy | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> DecisionReview:
    """Return the decision judged by `samples`; by fewer where little speaks against it, or `go_on` ends it.

    `policy` plays all seats on; the move of the `adviser`, a stronger player, is always compared.
    """
    seen, played = decision.seen, decision.played
    moves = candidates(seen, played, adviser or policy)
    advice = advised(seen, adviser or policy)
    alike = [move for move in moves if advice is not None and likeness(move) == likeness(advice)]
    scouted = evaluate(seen, moves, samples=SCOUTS, policy=policy, seed=seed, go_on=go_on)
    drops = [each.move for each in scouted if isinstance(each.move, Drop)]
    others = [each.move for each in scouted if each.move != played]
    rival_move = next(iter(others), played)
    compared = list(dict.fromkeys([played, *others[:COMPARED], *alike, *drops]))
    look = max(LEAST_SAMPLES, round(_FIRST_LOOK * samples))
    found = evaluate(seen, compared, samples=look, policy=policy, seed=seed, first=SCOUTS, go_on=go_on)
    rest, gain = samples - look, _gain(found, rival_move, played)
    if rest >= LEAST_SAMPLES and go_on() and (drops or gain.mean > _HARDLY_AHEAD * (gain.mean - gain.low)):
        more = evaluate(seen, compared, samples=rest, policy=policy, seed=seed, first=SCOUTS + look, go_on=go_on)
        found = together(found, more)
        gain = _gain(found, rival_move, played)
    own, rival = _of(found, played), _of(found, rival_move)
    lost = round(gain.mean, 1) if gain.surely > 0 else 0.0
    return {
        "event": decision.event,
        "turn": seen.turn,
        "hand": list(seen.hand),
        "drawn": seen.drawn,
        "played": as_frame(played),
        "rival": None if rival is own else as_frame(rival.move),
        "advice": as_frame(alike[0]) if alike else None,
        "options": [_option(each, own) for each in found],
        "samples": own.samples,
        "lost": lost,
        "grade": graded(gain),
        "drop": _drop(found),
    }


def _gain(found: Sequence[Evaluation], rival: PlayerMove, played: PlayerMove) -> Interval:
    """Return by how many points the rival is better than the move played."""
    return lead(_of(found, rival), _of(found, played))


def _of(found: Sequence[Evaluation], move: PlayerMove) -> Evaluation:
    return next(each for each in found if each.move == move)


def graded(gain: Interval) -> Grade | None:
    """Return the grade of a move that another beats by `gain` points; None where it is none for certain."""
    if gain.surely <= 0:
        return None
    return next((grade for grade, least in COSTS.items() if gain.mean >= least), None)


def summary(reviews: Sequence[DecisionReview]) -> Summary:
    """Return the figures of a deal from its judged decisions."""
    discards = [each for each in reviews if each["played"]["type"] == Discard.name and each["grade"] is not None]
    dearest = max(discards, key=lambda each: each["lost"], default=None)
    return {
        "decisions": len(reviews),
        "lost": round(sum(each["lost"] for each in reviews) / max(1, len(reviews)), 2),
        "grades": {grade.value: sum(each["grade"] == grade for each in reviews) for grade in Grade},
        "dearest": None if dearest is None else dearest["event"],
    }


def _drop(found: Sequence[Evaluation]) -> DropReview | None:
    """Return what the drop was worth, where it was possible; `found` are the moves, best first."""
    drop = next((each for each in found if isinstance(each.move, Drop)), None)
    other = next((each for each in found if not isinstance(each.move, Drop)), None)
    if drop is None or other is None:
        return None
    return {"price": round(-drop.points.mean), "lead": _figures(lead(drop, other), 1)}


def as_frame(move: PlayerMove) -> dict[str, Any]:
    """Return the move as a frame of the table socket."""
    match move:
        case Draw():
            return {"type": move.name, "pile": move.pile.value}
        case Discard() | Finish():
            return {"type": move.name, "card": move.card}
        case _:
            return {"type": move.name}


def _option(found: Evaluation, own: Evaluation) -> OptionReview:
    return {
        "move": as_frame(found.move),
        "points": _figures(found.points, 1),
        "win": _figures(found.win_chance, 3),
        "lead": _figures(lead(found, own), 1),
    }


def _figures(interval: Interval, digits: int) -> list[float]:
    return [round(each, digits) for each in interval]
