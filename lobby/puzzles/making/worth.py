"""The check of a puzzle: how much better its solution is than the next best answer, by playing on.

A puzzle stands only where the best answer leads by at least LEAST_LEAD points on average over fresh samples, by more
than its 99 % interval, and where computers of another strength playing on come to the same answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from lobby.puzzles.making.judged import completing_answer
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import CLOSED, DROP, OPEN, PLAY, Candidate, show_answer
from rules import bots
from rules.analysis import Ending, Evaluation, Interval, Known, Policy, evaluate, lead, move_of, sampled
from rules.analysis.positions import known_of
from rules.bots import Strength
from rules.cards import face, is_joker
from rules.game import view_for
from rules.game.moves import Discard, Draw, Drop, Pile, PlayerMove

#: What a solution must be better by, in points, on average and at the low end of its interval.
LEAST_LEAD: Final = 1.5
LEAST_SURE: Final = 0.5
#: The same for drop or play, where the price of a drop is fixed and a whole deal is at stake.
LEAST_LEAD_OF_DROP: Final = 6.0
LEAST_SURE_OF_DROP: Final = 2.0

POLICIES: Final[Mapping[str, Policy]] = {
    strength.value: partial(bots.choose, strength=strength) for strength in (Strength.SHARP, Strength.SOUND)
}
#: By whom the deals are played on that decide; those of the other strength must agree.
MAIN: Final = Strength.SHARP.value
SECOND: Final = Strength.SOUND.value


@dataclass(frozen=True, slots=True)
class Worth:
    """The answers of a puzzle, best first, with the points that each is expected to win, over `samples`.

    `leads` says by how many points the first is better than each of the others.
    """

    samples: int
    answers: tuple[str, ...]
    points: tuple[Interval, ...]
    leads: tuple[Interval, ...]

    @property
    def lead(self) -> Interval:
        """The lead over the answer that comes nearest."""
        return min(self.leads, key=lambda lead: lead.surely)


def moves_of(kind: str, seen: Known) -> dict[str, PlayerMove]:
    """Return the answers that may be right, each with the move that it stands for: to play is to draw as MAIN does."""
    seat = seen.seat
    if kind == PuzzleKind.DISCARD:
        cards = {face(card): card for card in sorted(seen.hand) if not is_joker(card, seen.wild)}
        return {shown: Discard(seat=seat, card=card) for shown, card in cards.items()}
    closed, top = Draw(seat=seat, pile=Pile.CLOSED), Draw(seat=seat, pile=Pile.OPEN)
    if kind == PuzzleKind.TAKE:
        return {CLOSED: closed, OPEN: top}
    own = move_of(POLICIES[MAIN](view_for(sampled(seen, b"", 0), seat, 0)), seat)
    return {DROP: Drop(seat=seat), PLAY: own if isinstance(own, Draw) else closed}


def weigh(
    seen: Known, moves: Mapping[str, PlayerMove], *, policy: str, seed: bytes, samples: int, first: int = 0
) -> Worth:
    """Return the worth of these answers over `samples`, numbered from `first`. A drop costs its price in each."""
    played = {move: answer for answer, move in moves.items() if answer != DROP}
    found = evaluate(seen, tuple(played), samples=samples, policy=POLICIES[policy], seed=seed, first=first)
    ranked = [(played[each.move], each) for each in found]
    if DROP in moves:
        price = seen.book.first_drop
        assert price is not None
        ranked.append((DROP, Evaluation(moves[DROP], (Ending(-price, won=False),) * samples)))
        ranked.sort(key=lambda each: -each[1].points.mean)
    (_, first_of_all), *others = ranked
    return Worth(
        samples,
        tuple(answer for answer, _ in ranked),
        tuple(each.points for _, each in ranked),
        tuple(lead(first_of_all, each) for _, each in others),
    )


def least_lead(kind: str) -> float:
    """Return by how many points the solution of such a puzzle must be better on average."""
    return LEAST_LEAD_OF_DROP if kind == PuzzleKind.DROP else LEAST_LEAD


def least_sure(kind: str) -> float:
    """Return by how many points at the low end of the 99 % interval."""
    return LEAST_SURE_OF_DROP if kind == PuzzleKind.DROP else LEAST_SURE


def is_clear(kind: str, worth: Worth) -> bool:
    """Return whether the best answer leads by as much as a puzzle of this kind needs."""
    return worth.lead.mean >= least_lead(kind) and worth.lead.surely >= least_sure(kind)


def as_figures(interval: Interval) -> list[float]:
    """Return the interval as it is stored: mean, and the ends of 95 %."""
    return [round(each, 2) for each in interval]


def why_refused(candidate: Candidate, *, seed: bytes, samples: int) -> str:
    """Return why the puzzle does not stand after fresh `samples` of every answer; empty where it does."""
    if candidate.kind == PuzzleKind.SHOW:
        right = show_answer(candidate.asked)
        return "" if right == candidate.solution else f"the judge says {right}, not {candidate.solution}"
    seen = known_of(candidate.asked)
    if candidate.proof["by"] == "judge":
        only = completing_answer(candidate.kind, seen)
        return "" if only == candidate.solution else f"{only} completes the hand, not {candidate.solution}"
    for policy in POLICIES:
        worth = weigh(seen, moves_of(candidate.kind, seen), policy=policy, seed=seed, samples=samples)
        if worth.answers[0] != candidate.solution:
            return f"{worth.answers[0]} is better than {candidate.solution} by {worth.lead.mean:.1f} ({policy})"
        if policy == MAIN and not is_clear(candidate.kind, worth):
            return f"{candidate.solution} leads by {worth.lead.mean:.1f} only, surely {worth.lead.surely:.1f}"
    return ""
