"""Puzzles whose answer completes the hand: the one card to put down so that the others are a show, or to take for it.

The judge of shows decides them: who can show now wins the deal now.
"""

from collections.abc import Mapping
from typing import Any

from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import OPEN, Candidate
from rules.analysis import Known
from rules.analysis.positions import as_position
from rules.cards import Face, face, is_joker
from rules.solver.search import best

#: The rating with which one begins, and what is added for each joker, which may stand anywhere.
_PLAIN = {PuzzleKind.DISCARD: 900, PuzzleKind.TAKE: 850}
_A_JOKER = 100


def can_be_shown(seen: Known) -> bool:
    """Return whether the hand can be shown now, or with the open card."""
    if seen.drawn is not None:
        return best(seen.book, seen.wild, seen.hand).valid
    top = seen.discards[-1].card
    return not is_joker(top, seen.wild) and best(seen.book, seen.wild, (*seen.hand, top)).valid


def completing_answer(kind: str, seen: Known) -> str | None:
    """Return the answer that completes the hand; None where there is none, or more than one."""
    if kind == PuzzleKind.TAKE:
        return OPEN if can_be_shown(seen) else None
    left_over = {face(card) for card in seen.hand if best(seen.book, seen.wild, _hand_but(seen, card)).valid}
    return left_over.pop() if len(left_over) == 1 else None


def completing_puzzle(kind: PuzzleKind, seen: Known) -> Candidate | None:
    """Return the puzzle of this decision, or None where no single answer completes the hand."""
    solution = completing_answer(kind, seen)
    if solution is None or (kind == PuzzleKind.DISCARD and is_joker(solution, seen.wild)):
        return None
    jokers = sum(is_joker(card, seen.wild) for card in seen.hand)
    return Candidate(
        kind=kind,
        book=seen.book.key,
        asked=as_position(seen),
        solution=solution,
        proof={"by": "judge", "facts": _facts(kind, seen, solution)},
        rating=_PLAIN[kind] + _A_JOKER * jokers,
    )


def _facts(kind: str, seen: Known, solution: str) -> Mapping[str, Any]:
    card: Face = solution if kind == PuzzleKind.DISCARD else face(seen.discards[-1].card)
    return {"card": card, "valid": True}


def _hand_but(seen: Known, card: str) -> list[str]:
    return [other for other in seen.hand if other != card]
