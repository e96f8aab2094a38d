"""The facts behind a solution, of which its reason in words is made: cards that help, and points at risk."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from lobby.puzzles.models import PuzzleKind
from rules.analysis import Known
from rules.cards import JOKER, Card, Face, face, is_joker, points
from rules.melds import Kind
from rules.solver.search import best


def facts_of(kind: str, seen: Known, answers: Sequence[str]) -> dict[str, Any]:
    """Return what the reason says of the best answer and of the next one; all counts are as the player could see."""
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
