"""Puzzles of what to take, what to let go, and whether to play: decisions of finished deals where one answer is clear.

A few samples sort out what is not worth more, and fresh ones decide. But of many decisions those are chosen that look
clear, and that flatters them: so each puzzle that was chosen is held against samples that have chosen nothing, under
both strengths, and left out where it does not stand. What is told of it are the figures of those. Beside them stand the
facts that its reason is told with: cards that help, and points at risk.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, Final

from lobby.puzzles.making.worth import (
    LEAST_LEAD,
    MAIN,
    POLICIES,
    SECOND,
    Worth,
    as_figures,
    is_clear,
    least_lead,
    least_sure,
    moves_of,
    weigh,
)
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import DROP, PLAY, Candidate
from rules.analysis import Interval, Known, candidates, likeness, move_of, sampled
from rules.analysis.positions import as_position, can_be_written, known_of
from rules.bots import Strength, choose
from rules.cards import JOKER, Card, Face, face, is_joker, points
from rules.game import view_for
from rules.game.moves import Discard, Draw, PlayerMove
from rules.melds import Kind
from rules.solver.search import best

#: Samples: to sort out, then fresh ones in rounds, of the other strength, and those against which it is held.
SCOUTS: Final = 12
ROUNDS: Final = (12, 60, 200)
AGREEING: Final = 60
HELD: Final = 1_000
#: So many of them alone must be enough, for a check of the puzzle looks at no more.
CHECKED: Final = 300
#: The first round only leaves out answers of many. After the others the solution stands at once where the low end of
#: the 99 % interval is what the mean must be.
_LEAST_SAMPLES: Final = ROUNDS[1]
#: Where the samples of the rounds begin, far behind the first ones, and where those that choose nothing begin.
_FRESH: Final = 10_000
_HOLDING: Final = 20_000
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
    moves = moves_of(kind, seen)
    first = weigh(seen, _promising(kind, seen, moves), policy=MAIN, seed=seed, samples=SCOUTS)
    if not _has_hope(kind, first):
        return None
    decided = _decided(kind, seen, moves, first.answers[0], seed)
    if decided is None:
        return None
    left = {answer: moves[answer] for answer in decided.answers}
    agreed = weigh(seen, left, policy=SECOND, seed=seed, samples=AGREEING, first=_FRESH)
    if agreed.answers[0] != decided.answers[0] or agreed.lead.mean < least_lead(kind):
        return None
    held = held_again(kind, seen, left, decided.answers[0], seed)
    if held is None:
        return None
    worth, agreed = held
    proof = {
        "by": "analysis",
        "policy": MAIN,
        "seed": seed.hex(),
        "first": _HOLDING,
        "samples": worth.samples,
        "points": {answer: as_figures(each) for answer, each in zip(worth.answers, worth.points, strict=True)},
        "lead": as_figures(worth.lead),
        "sure": round(Interval(*as_figures(worth.lead)).surely, 2),
        "agrees": {"policy": SECOND, "samples": agreed.samples, "lead": as_figures(agreed.lead)},
        "facts": facts_of(kind, seen, worth.answers),
    }
    rating = _difficulty(kind, seen, worth)
    return Candidate(kind=kind, book=seen.book.key, asked=asked, solution=worth.answers[0], proof=proof, rating=rating)


def _decided(kind: str, seen: Known, moves: Mapping[str, PlayerMove], solution: str, seed: bytes) -> Worth | None:
    """Return the worth of the solution and of what came near it, by fresh samples; None where it is not clearly best.

    All answers begin; after each round those are left out that are surely behind by enough.
    """
    left = dict(moves)
    for samples in ROUNDS if len(moves) > 2 else ROUNDS[1:]:
        worth = weigh(seen, left, policy=MAIN, seed=seed, samples=samples, first=_FRESH)
        if worth.answers[0] != solution or not _has_hope(kind, worth):
            return None
        if samples >= _LEAST_SAMPLES and worth.lead.surely >= least_lead(kind):
            return worth
        left = {answer: moves[answer] for answer in _still_near(worth)}
    return worth if is_clear(kind, worth) else None


def held_again(
    kind: str, seen: Known, moves: Mapping[str, PlayerMove], solution: str, seed: bytes
) -> tuple[Worth, Worth] | None:
    """Return the worth of these answers under each strength over samples that chose nothing; None where the solution
    does not stand: it must lead by enough under both, and surely under that which decided, even with fewer samples."""
    first = weigh(seen, moves, policy=MAIN, seed=seed, samples=HELD, first=_HOLDING)
    if first.answers[0] != solution or _surely(first, CHECKED) < least_lead(kind):
        return None
    second = weigh(seen, moves, policy=SECOND, seed=seed, samples=HELD, first=_HOLDING)
    stands = second.answers[0] == solution and second.lead.mean >= least_lead(kind)
    return (first, second) if stands else None


def _has_hope(kind: str, worth: Worth) -> bool:
    """Return whether the best answer would be clearly best after the last round, if all its samples were like these."""
    return worth.lead.mean >= least_lead(kind) and _surely(worth, ROUNDS[-1]) >= least_sure(kind)


def _surely(worth: Worth, samples: int) -> float:
    """Return by how much the best answer would surely lead over `samples`, if all of them were like these."""
    return worth.lead.mean - (worth.lead.mean - worth.lead.surely) * sqrt(worth.samples / samples)


def _still_near(worth: Worth) -> list[str]:
    """Return the best answer, the one that comes nearest, and all others that are not surely behind by enough."""
    behind = sorted(zip(worth.answers[1:], worth.leads, strict=True), key=lambda each: each[1].surely)
    return [worth.answers[0], behind[0][0], *(answer for answer, lead in behind[1:] if lead.surely < LEAST_LEAD)]


def _promising(kind: str, seen: Known, moves: Mapping[str, PlayerMove]) -> dict[str, PlayerMove]:
    """Return the answers among which the best one is sought: of discards those that leave the fewest points."""
    if kind != PuzzleKind.DISCARD:
        return dict(moves)
    likely = {likeness(move) for move in candidates(seen, None, POLICIES[MAIN])}
    return {answer: move for answer, move in moves.items() if likeness(move) in likely}


def _difficulty(kind: str, seen: Known, worth: Worth) -> int:
    """Return the rating with which the puzzle begins: by which computers answer it wrongly, and how close it is."""
    fooled = sum(more for strength, more in _FOOLS.items() if _answer_of(kind, seen, strength) != worth.answers[0])
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


def facts_of(kind: str, seen: Known, answers: Sequence[str]) -> dict[str, Any]:
    """Return the figures that explain the best answer, by name; they count only what the player could see."""
    if kind == PuzzleKind.DISCARD:
        return {"unseen": len(seen.hidden), "best": _without(seen, answers[0]), "next": _without(seen, answers[1])}
    now = best(seen.book, seen.wild, seen.hand)
    if kind == PuzzleKind.DROP:
        jokers = sum(is_joker(card, seen.wild) for card in seen.hand)
        return {"points": now.points, "pure": Kind.PURE in now.kinds, "jokers": jokers, "price": seen.book.first_drop}
    top = seen.discards[-1].card
    after = best(seen.book, seen.wild, (*seen.hand, top))
    group = next((group for group in after.groups if top in group), ())
    return {
        "card": face(top),
        "before": now.points,
        "after": after.points,
        "valid": after.valid,
        "group": [face(card) for card in group],
        "helps": helping(seen, seen.hand),
        "unseen": len(seen.hidden),
    }


def helping(seen: Known, hand: Sequence[Card]) -> int:
    """Return how many of the cards that the player has not seen would make these 13 cards count less, or a show."""
    now = best(seen.book, seen.wild, hand).points
    return sum(count for shown, count in _faces(seen).items() if _helps(seen, hand, shown, now))


def cards_that_complete(seen: Known, hand: Sequence[Card]) -> int:
    """Return how many of the cards that the player has not seen would make these 13 cards a show."""
    if not best(seen.book, seen.wild, (*hand, JOKER)).valid:
        return 0
    return sum(count for shown, count in _faces(seen).items() if best(seen.book, seen.wild, (*hand, shown)).valid)


def chances(seen: Known) -> dict[Face, int]:
    """Return, by each card that may be let go, how many cards would then complete the hand; jokers are kept."""
    faces = {face(card): card for card in seen.hand if not is_joker(card, seen.wild)}
    return {
        shown: cards_that_complete(seen, [other for other in seen.hand if other != card])
        for shown, card in faces.items()
    }


def _helps(seen: Known, hand: Sequence[Card], shown: Face, now: int) -> bool:
    after = best(seen.book, seen.wild, (*hand, shown))
    return after.valid or after.points < now


def _faces(seen: Known) -> Counter[Face]:
    hidden: Iterable[Card] = (card for card, _ in seen.hidden)
    return Counter(map(face, hidden))


def _without(seen: Known, shown: str) -> dict[str, Any]:
    """Return what is left when the card is let go: the fewest points, and how many cards help."""
    hand = list(seen.hand)
    hand.remove(next(card for card in seen.hand if face(card) == shown))
    return {
        "card": shown,
        "counts": points(shown, seen.wild),
        "left": best(seen.book, seen.wild, hand).points,
        "helps": helping(seen, hand),
        "completes": cards_that_complete(seen, hand),
    }
