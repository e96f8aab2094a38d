"""Puzzles to solve in tests, without playing anything on."""

from typing import Any

from lobby.puzzles.models import Puzzle, PuzzleKind
from lobby.puzzles.questions import Candidate
from lobby.puzzles.stock import add_puzzles

#: A show, and the same with a card exchanged so that group 2 is none, and so that a sequence is missing.
GROUPS = {
    "yes": ["3H1 4H1 5H1", "7C1 8C1 9C1", "KD1 KS1 KC1", "2S1 2D1 2H1 2C1"],
    "2": ["3H1 4H1 5H1", "7C1 8C1 9D1", "KD1 KS1 KC1", "2S1 2D1 2H1 2C1"],
    "lives": ["3H1 4H1 JR1", "7C1 8C1 JR2", "KD1 KS1 KC1", "2S1 2D1 2H1 2C1"],
}
GROUPS["2"] = ["3H1 4H1 5H1", "7C1 8C1 9D1", "9S1 10S1 JS1", "2S1 2D1 2H1 2C1"]
INTERVAL = [6.0, 4.0, 8.0]


def show_question(answer: str = "yes", cut: str = "6D1") -> dict[str, Any]:
    groups = [group.split() for group in GROUPS[answer]]
    return {"book": "standard-points", "version": 1, "cut": cut, "groups": groups}


def show(answer: str = "yes", *, cut: str = "6D1", rating: int = 1000) -> Candidate:
    return Candidate(
        kind=PuzzleKind.SHOW,
        book="standard-points",
        asked=show_question(answer, cut),
        solution=answer,
        proof={"by": "judge"},
        rating=rating,
    )


def position(hand: str, drawn: str | None) -> dict[str, Any]:
    cards = hand.split()
    seat = {"standing": "in", "points": None, "known": []}
    return {
        "book": "standard-points",
        "version": 1,
        "cut": "6D1",
        "turn": 3,
        "seat": 0,
        "hand": cards,
        "drawn": drawn,
        "closed": 75,
        "discards": [
            {"seat": None, "card": "QC2", "picked_by": None},
            {"seat": 0, "card": "JH2", "picked_by": None},
            {"seat": 1, "card": "9H2", "picked_by": None},
        ],
        "seats": [
            {"seat": 0, "cards": len(cards), "draws": 1 + (drawn is not None), **seat},
            {"seat": 1, "cards": 13, "draws": 1, **seat},
        ],
    }


def discard(solution: str = "KD", second: str = "2S") -> Candidate:
    hand = "3H1 4H1 5H1 7C1 8C1 9C1 JS1 QS1 KS1 4S1 5S1 KD1 2D1 2S1"
    left = {"card": solution, "counts": 10, "left": 13, "helps": 20, "completes": 4}
    return Candidate(
        kind=PuzzleKind.DISCARD,
        book="standard-points",
        asked=position(hand, "KD1"),
        solution=solution,
        proof={
            "by": "analysis", "policy": "sharp", "seed": "00", "first": 0, "samples": 80,
            "points": {solution: INTERVAL, second: [0.0, -2.0, 2.0]}, "lead": INTERVAL, "sure": 3.0, "agrees": {},
            "facts": {"unseen": 88, "best": left, "next": {**left, "card": second, "completes": 1}},
        },
        rating=1300,
    )  # fmt: skip


def stored(*candidates: Candidate) -> list[Puzzle]:
    """Store the puzzles; return them in this order."""
    add_puzzles(candidates)
    return [Puzzle.objects.get(key=each.key) for each in candidates]


def some_shows(count: int) -> list[Puzzle]:
    """Store shows that differ in their cut joker and in their rating, the easiest first."""
    cuts = [f"{rank}{suit}{pack}" for pack in (1, 2) for rank in ("10", "A", "Q") for suit in "CDHS"]
    return stored(*(show(cut=cut, rating=800 + 20 * number) for number, cut in enumerate(cuts[:count])))
