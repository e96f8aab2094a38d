"""An analysis as a page tells it: turn by turn, with words for each move, a curve, and the figures of the deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal

from rules.analysis import DecisionReview, Grade, Summary, summary
from rules.cards import face
from rules.game.events import CutJokerTurned
from tables.history.plots import HEIGHT, WIDTH
from tables.log import reading
from tables.models import Analysis
from wallet.language import gettext_lazy

#: The words for a grade, for one decision and in a count.
GRADES: Final = {
    Grade.BLUNDER: (gettext_lazy("Blunder"), gettext_lazy("Blunders")),
    Grade.MISTAKE: (gettext_lazy("Mistake"), gettext_lazy("Mistakes")),
    Grade.SLIP: (gettext_lazy("Slip"), gettext_lazy("Slips")),
}
_MOVES: Final = {
    "closed": gettext_lazy("Draw from the closed deck"),
    "open": gettext_lazy("Pick from the open pile"),
    "discard": gettext_lazy("Discard"),
    "finish": gettext_lazy("Finish"),
    "drop": gettext_lazy("Drop"),
}


@dataclass(frozen=True, slots=True)
class WinCurve:
    """A curve over the decisions: SVG paths of the line and of its interval, and where graded ones stand."""

    line: str
    band: str
    marks: list[tuple[float, str]]
    first: int
    last: int
    lowest: int
    highest: int


AnalysisState = Literal["none", "working", "done"]


def state_of(analysis: Analysis | None) -> AnalysisState:
    """Return how far it is: none, working or done."""
    if analysis is None:
        return "none"
    return "working" if analysis.done_at is None else "done"


def summary_of(analysis: Analysis) -> Summary:
    """Return the figures of what is judged so far."""
    return summary(_reviews(analysis))


def story_of(analysis: Analysis) -> dict[str, Any]:
    """Return the template context of an analysis that is done."""
    reviews = _reviews(analysis)
    figures = summary(reviews)
    drop = next((each for each in reviews if each["played"]["type"] == "drop"), None)
    drop = drop or next((each for each in reviews if each["drop"] is not None), None)
    return {
        "turns": _turns(reviews, figures["dearest"]),
        "figures": figures,
        "grades": [(grade, GRADES[grade][1], figures["grades"][grade]) for grade in GRADES],
        "drop": None if drop is None else _drop(drop),
        "wins": _line(reviews),
        "wild": _wild(analysis),
        "missing": analysis.decisions - len(reviews),
        "width": WIDTH,
        "height": HEIGHT,
    }


def _reviews(analysis: Analysis) -> list[DecisionReview]:
    return [review for review in analysis.reviews if review is not None]


def _wild(analysis: Analysis) -> int:
    entries = reading.of_kinds(CutJokerTurned.name, table=analysis.deal.match.table, deal=analysis.deal)
    cuts = [event.wild_rank for entry in entries if isinstance(event := entry.event(), CutJokerTurned)]
    return cuts[0] if cuts else 0


def _turns(reviews: Sequence[DecisionReview], dearest: int | None) -> list[dict[str, Any]]:
    by_turn = [list(each) for _, each in groupby(reviews, key=lambda review: review["turn"])]
    return [
        {"number": number, "decisions": [_decision(review, dearest) for review in each]}
        for number, each in enumerate(by_turn, start=1)
    ]


def _decision(review: DecisionReview, dearest: int | None) -> dict[str, Any]:
    options = [_option(each, review) for each in review["options"]]
    grade = Grade(review["grade"]) if review["grade"] else None
    rival = next((each for each in options if each["is_rival"]), None)
    return {
        "event": review["event"],
        "hand": [{"face": face(card), "drawn": card == review["drawn"]} for card in review["hand"]],
        "played": move_words(review["played"]),
        "rival": rival,
        "found": options[0]["played"],
        "grade": grade,
        "grade_word": GRADES[grade][0] if grade else "",
        "options": options,
        "samples": review["samples"],
        "is_dearest": review["event"] == dearest,
    }


def _option(option: Mapping[str, Any], review: DecisionReview) -> dict[str, Any]:
    played, advised = option["move"] == review["played"], option["move"] == review["advice"]
    keys = ("mean", "low", "high")
    return {
        **move_words(option["move"]),
        "played": played,
        "is_rival": option["move"] == review["rival"],
        "advised": advised,
        "points": dict(zip(keys, option["points"], strict=True)),
        "win": dict(zip(keys, (round(100 * each) for each in option["win"]), strict=True)),
        "lead": dict(zip(keys, option["lead"], strict=True)),
    }


def move_words(frame: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words for a move and the face of its card, None where it has none."""
    card = frame.get("card")
    words = _MOVES[frame["pile"] if frame["type"] == "draw" else frame["type"]]
    return {"words": words, "face": face(card) if card else None}


def _drop(review: DecisionReview) -> dict[str, Any]:
    assert review["drop"] is not None
    mean, low, high = review["drop"]["lead"]
    verdict = "drop" if low > 0 else "play" if high < 0 else "even"
    return {
        "price": review["drop"]["price"],
        "dropped": review["played"]["type"] == "drop",
        "verdict": verdict,
        "by": abs(mean),
        "low": min(abs(low), abs(high)),
        "high": max(abs(low), abs(high)),
    }


def _line(reviews: Sequence[DecisionReview]) -> WinCurve | None:
    """Return the curve of the chance to win after what was played, in percent; None for fewer than two decisions."""
    if len(reviews) < 2:
        return None
    wins = [next(each["win"] for each in review["options"] if each["move"] == review["played"]) for review in reviews]
    step = WIDTH / (len(wins) - 1)

    def at(place: int, share: float) -> str:
        return f"{step * place:.2f} {HEIGHT * (1 - share):.2f}"

    line = [at(place, mean) for place, (mean, _, _) in enumerate(wins)]
    upper = [at(place, high) for place, (_, _, high) in enumerate(wins)]
    lower = [at(place, low) for place, (_, low, _) in enumerate(wins)]
    means = [round(100 * mean) for mean, _, _ in wins]
    return WinCurve(
        line="M" + " L".join(line),
        band="M" + " L".join([*upper, *reversed(lower)]) + " Z",
        marks=[(round(step * place, 2), review["grade"]) for place, review in enumerate(reviews) if review["grade"]],
        first=means[0],
        last=means[-1],
        lowest=min(means),
        highest=max(means),
    )
