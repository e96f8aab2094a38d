"""Puzzles of what to take, what to let go, and whether to play: decisions of finished deals where one answer is clear.

A few samples sort out what is not worth more; those that decide are fresh ones, so that the choice does not flatter
the solution.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from lobby.puzzles.making.candidates import Candidate
from lobby.puzzles.making.facts import facts_of
from lobby.puzzles.making.worth import (
    LEAST_LEAD,
    MAIN,
    POLICIES,
    SECOND,
    Worth,
    as_figures,
    is_clear,
    least_lead,
    moves_of,
    surely,
    weigh,
)
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import DROP, PLAY
from rules.analysis import Known, candidates, likeness, move_of, sampled
from rules.analysis.positions import as_position, can_be_written, known_of
from rules.bots import Strength, choose
from rules.cards import face, is_joker
from rules.game import view_for
from rules.game.moves import Discard, Draw, PlayerMove

#: Samples: to sort out, to decide at the first look and at the last, and of the other strength. The first look decides
#: only where even the low end of the 99 % interval is what the mean must be; the last one comes only where it is near.
SCOUTS: Final = 12
DECIDING: Final = (60, 180)
AGREEING: Final = 30
#: With the first few samples a lead must be so many times what it must be in the end.
_PROMISES: Final = 1.5
#: Where the samples of the two last steps begin, far behind the first ones.
_FRESH: Final = 10_000
#: The rating with which a puzzle begins, and what is added where a computer of that strength answers it wrongly.
_EASY: Final = 950
_FOOLS: Final = {Strength.GENTLE: 150, Strength.SOUND: 250, Strength.SHARP: 300}


def kind_of(seen: Known) -> str | None:
    """Return what could be asked at this decision; None where nothing can."""
    if not can_be_written(seen) or seen.book.first_drop is None:
        return None
    if seen.drawn is not None:
        return PuzzleKind.DISCARD
    own = next(each for each in seen.seats if each.seat == seen.seat)
    if own.draws == 0:
        return PuzzleKind.DROP
    top = next((entry.card for entry in reversed(seen.discards) if entry.lies), None)
    return PuzzleKind.TAKE if top is not None and not is_joker(top, seen.wild) else None


def hand_puzzle(kind: str, seen: Known) -> Candidate | None:
    """Return the puzzle of this decision, or None where no answer is clearly better than all others."""
    asked = as_position(seen)
    seen = known_of(asked)
    seed = hashlib.sha256(f"{kind} {asked}".encode()).digest()
    every = moves_of(kind, seen)
    moves = _promising(kind, seen, every)
    worth = weigh(seen, moves, policy=MAIN, seed=seed, samples=SCOUTS)
    if min(lead.mean for lead in worth.leads) < _PROMISES * least_lead(kind):
        return None
    moves = _still_possible(moves, worth)
    solution = worth.answers[0]
    samples, decided = _decided(kind, seen, moves, seed)
    if decided.answers[0] != solution or not is_clear(kind, decided):
        return None
    if not _beats(seen, solution, {answer: move for answer, move in every.items() if answer not in moves}, seed, every):
        return None
    agreed = weigh(seen, moves, policy=SECOND, seed=seed, samples=AGREEING, first=_FRESH)
    if agreed.answers[0] != solution or agreed.lead.low <= 0:
        return None
    proof = {
        "by": "analysis",
        "policy": MAIN,
        "seed": seed.hex(),
        "first": _FRESH,
        "samples": samples,
        "points": {answer: as_figures(each) for answer, each in zip(decided.answers, decided.points, strict=True)},
        "lead": as_figures(decided.lead),
        "sure": round(surely(decided.lead), 2),
        "agrees": {"policy": SECOND, "samples": AGREEING, "lead": as_figures(agreed.lead)},
        "facts": facts_of(kind, seen, decided.answers),
    }
    rating = _difficulty(kind, seen, solution, decided)
    return Candidate(kind=kind, book=seen.book.key, asked=asked, solution=solution, proof=proof, rating=rating)


def _decided(kind: str, seen: Known, moves: Mapping[str, PlayerMove], seed: bytes) -> tuple[int, Worth]:
    """Return the worth of the answers by fresh samples, and how many of these it took."""
    for samples in DECIDING:
        worth = weigh(seen, moves, policy=MAIN, seed=seed, samples=samples, first=_FRESH)
        if surely(worth.lead) >= least_lead(kind) or worth.lead.mean < _PROMISES * least_lead(kind):
            break
    return samples, worth


def _promising(kind: str, seen: Known, moves: Mapping[str, PlayerMove]) -> dict[str, PlayerMove]:
    """Return the answers among which the best one is sought: of discards those that leave the fewest points."""
    if kind != PuzzleKind.DISCARD:
        return dict(moves)
    likely = {likeness(move) for move in candidates(seen, None, POLICIES[MAIN])}
    return {answer: move for answer, move in moves.items() if likeness(move) in likely}


def _beats(
    seen: Known, solution: str, others: Mapping[str, PlayerMove], seed: bytes, every: Mapping[str, PlayerMove]
) -> bool:
    """Return whether the solution is surely better than each of the others, which nothing spoke for."""
    if not others:
        return True
    worth = weigh(seen, {solution: every[solution], **others}, policy=MAIN, seed=seed, samples=SCOUTS, first=2 * _FRESH)
    return worth.answers[0] == solution and worth.lead.low > 0


def _still_possible(moves: Mapping[str, PlayerMove], worth: Worth) -> dict[str, PlayerMove]:
    """Return the moves without those that are surely worse than the best by far; at least two of them."""
    far = {
        answer
        for place, (answer, lead) in enumerate(zip(worth.answers[1:], worth.leads, strict=True))
        if place > 0 and surely(lead) > 2 * LEAST_LEAD
    }
    return {answer: move for answer, move in moves.items() if answer not in far}


def _difficulty(kind: str, seen: Known, solution: str, worth: Worth) -> int:
    """Return the rating with which the puzzle begins: by which computers answer it wrongly, and how close it is."""
    fooled = sum(more for strength, more in _FOOLS.items() if _answer_of(kind, seen, strength) != solution)
    return round(_EASY + fooled + max(0.0, 200 - 20 * worth.lead.mean))


def _answer_of(kind: str, seen: Known, strength: Strength) -> str | None:
    """Return how a computer player of that strength answers."""
    move = move_of(choose(view_for(sampled(seen, b"", 0), seen.seat, 0), strength), seen.seat)
    match move:
        case Draw():
            return PLAY if kind == PuzzleKind.DROP else move.pile.value
        case Discard():
            return face(move.card)
        case _:
            return DROP if kind == PuzzleKind.DROP else None
