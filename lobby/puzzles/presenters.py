"""Puzzles as pages and programs read them: what is asked, by an allow-list, and after an answer why another is best."""

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from lobby.help.views import KIND_NAMES
from lobby.puzzles.models import Puzzle, PuzzleKind, PuzzleRun
from lobby.puzzles.questions import (
    CLOSED,
    DROP,
    LIVES,
    OPEN,
    PLAY,
    YES,
    answers,
    in_plain_order,
    judgement_of,
    rule_book,
)
from lobby.puzzles.runs import remaining_ms
from lobby.puzzles.services import JudgedAnswer
from lobby.templatetags.lobby_text import card_name
from rules.cards import RANKS, face, wild_rank
from tables.language import as_sentence, translated
from wallet.language import gettext as _, gettext_lazy

TITLES = {
    PuzzleKind.SHOW: gettext_lazy("Is this a show?"),
    PuzzleKind.TAKE: gettext_lazy("What do you take?"),
    PuzzleKind.DISCARD: gettext_lazy("What do you let go?"),
    PuzzleKind.DROP: gettext_lazy("Drop or play?"),
}
#: The same in a word or two, for lists.
SHORT_TITLES = {
    PuzzleKind.SHOW: gettext_lazy("Show or not"),
    PuzzleKind.TAKE: gettext_lazy("Take"),
    PuzzleKind.DISCARD: gettext_lazy("Let go"),
    PuzzleKind.DROP: gettext_lazy("Drop or play"),
}
_ANSWERS = {
    YES: gettext_lazy("It is a show"),
    LIVES: gettext_lazy("No: a sequence is missing"),
    OPEN: gettext_lazy("The open card"),
    CLOSED: gettext_lazy("From the closed deck"),
    DROP: gettext_lazy("Drop"),
    PLAY: gettext_lazy("Play"),
}


class SeenDiscard(TypedDict):
    seat: Annotated[int | None, "Who let it go; null: the upcard."]
    card: str
    picked_by: int | None


class SeenPlayer(TypedDict):
    seat: int
    cards: int
    standing: str
    points: int | None
    draws: int
    known: Annotated[list[str], "Picked up by them, and not let go."]


class PuzzlePosition(TypedDict):
    hand: list[str]
    drawn: str | None
    seat: Annotated[int, "Yours."]
    turn: Annotated[int, "Of the deal, from 1."]
    closed_count: int
    discards: Annotated[list[SeenDiscard], "In their order, the last one on top."]
    seats: Annotated[list[SeenPlayer], "In the order of turns, the first player first."]
    first_drop: Annotated[int | None, "What a drop costs now; null after the first draw."]


class PuzzleAsked(TypedDict):
    id: int
    kind: Annotated[str, PuzzleKind.values]
    book: str
    cut: str
    wild_rank: int
    answers: Annotated[list[str], "Those that may be given."]
    groups: Annotated[
        list[list[str]] | None,
        "Of the kind `show`: answer `yes`, `lives` where a sequence is missing, or the number of the group.",
    ]
    position: Annotated[PuzzlePosition | None, "Of the other kinds."]


def asked(puzzle: Puzzle) -> PuzzleAsked:
    """Return what may be known before the answer. Nothing in it depends on the solution; the rating does."""
    question = puzzle.asked
    wild = wild_rank(question["cut"])
    shows = puzzle.kind == PuzzleKind.SHOW
    return {
        "id": puzzle.pk,
        "kind": puzzle.kind,
        "book": puzzle.book,
        "cut": question["cut"],
        "wild_rank": wild,
        "answers": list(answers(puzzle.kind, question)),
        "groups": question["groups"] if shows else None,
        "position": None if shows else _position(question, wild),
    }


def _position(question: dict[str, Any], wild: int) -> PuzzlePosition:
    own = next(each for each in question["seats"] if each["seat"] == question["seat"])
    return {
        "hand": in_plain_order(question["hand"], wild),
        "drawn": question["drawn"],
        "seat": question["seat"],
        "turn": question["turn"],
        "closed_count": question["closed"],
        "discards": question["discards"],
        "seats": question["seats"],
        "first_drop": rule_book(question).first_drop if own["draws"] == 0 else None,
    }


class PuzzleTold(TypedDict):
    puzzle: int
    answer: str
    solved: bool
    solution: str
    reason: list[str]
    points: Annotated[
        dict[str, list[float]] | None,
        "What each answer is expected to win, in points: mean, and the ends of its 95 % interval.",
    ]
    samples: int | None
    rated: Annotated[bool, "Only the first answer of a player with a name, and none in a run."]
    rating: Annotated[int | None, "Yours afterwards."]
    change: int
    puzzle_rating: int


def told(judged: JudgedAnswer) -> PuzzleTold:
    """Return what is told once the answer is given."""
    puzzle = judged.puzzle
    return {
        "puzzle": puzzle.pk,
        "answer": judged.answer,
        "solved": judged.solved,
        "solution": puzzle.solution,
        "reason": reason(puzzle),
        "points": puzzle.proof.get("points"),
        "samples": puzzle.proof.get("samples"),
        "rated": judged.rating is not None,
        "rating": judged.rating,
        "change": judged.change,
        "puzzle_rating": round(puzzle.rating),
    }


def question_page(puzzle: Puzzle) -> dict[str, Any]:
    """Return the question for the page: the same facts, as it lays them out."""
    question, wild = puzzle.asked, wild_rank(puzzle.asked["cut"])
    page = {
        "puzzle": puzzle,
        "title": TITLES[PuzzleKind(puzzle.kind)],
        "book": rule_book(question).title,
        "wild": wild,
        "cut": face(question["cut"]),
        "wild_name": RANKS[wild - 1],
        "choices": [{"answer": each, "text": answer_text(puzzle, each)} for each in answers(puzzle.kind, question)],
    }
    if puzzle.kind == PuzzleKind.SHOW:
        return {**page, "groups": [[face(card) for card in group] for group in question["groups"]]}
    return {**page, **_laid_out(question, wild)}


def _laid_out(question: dict[str, Any], wild: int) -> dict[str, Any]:
    hand = in_plain_order(question["hand"], wild)
    lying = [each for each in question["discards"] if each["picked_by"] is None]
    order = [each["seat"] for each in question["seats"]]
    own = order.index(question["seat"])
    # The players as one sees them from one's own seat: who plays next comes first.
    others = [question["seats"][(own + step) % len(order)] for step in range(1, len(order))]
    names = {each["seat"]: _("Player {number}", number=number) for number, each in enumerate(others, start=1)}
    return {
        "hand": [{"face": face(card), "drawn": card == question["drawn"]} for card in hand],
        "drawn": face(question["drawn"]) if question["drawn"] else "",
        "top": face(lying[-1]["card"]) if lying else "",
        "closed": question["closed"],
        "price": rule_book(question).first_drop,
        "others": [_other(names, each, question["discards"], next=place == 0) for place, each in enumerate(others)],
        "own_discards": [face(each["card"]) for each in question["discards"] if each["seat"] == question["seat"]],
        "upcard": next((face(each["card"]) for each in question["discards"] if each["seat"] is None), ""),
    }


def _other(
    names: dict[int, str], seat: dict[str, Any], discards: list[dict[str, Any]], *, next: bool
) -> dict[str, Any]:
    return {
        "name": names[seat["seat"]],
        "next": next,
        "playing": seat["standing"] == "in",
        "let_go": [face(each["card"]) for each in discards if each["seat"] == seat["seat"]],
        "picked": [face(each["card"]) for each in discards if each["picked_by"] == seat["seat"]],
    }


def answer_text(puzzle: Puzzle, answer: str) -> str:
    """Return an answer in words."""
    if puzzle.kind == PuzzleKind.DISCARD:
        return card_name(answer)
    return str(_ANSWERS[answer]) if answer in _ANSWERS else _("Group {number} is wrong", number=answer)


def told_page(judged: JudgedAnswer) -> dict[str, Any]:
    """Return what the page tells once the answer is given."""
    puzzle = judged.puzzle
    points = puzzle.proof.get("points") or {}
    return {
        "judged": judged,
        "rating": round(puzzle.rating),
        "answer": answer_text(puzzle, judged.answer),
        "solution": answer_text(puzzle, puzzle.solution),
        "reason": reason(puzzle),
        "worth": [
            {"text": answer_text(puzzle, answer), "mean": f"{mean:+.1f}", "low": f"{low:+.1f}", "high": f"{high:+.1f}"}
            for answer, (mean, low, high) in sorted(points.items(), key=lambda each: -each[1][0])
        ],
        "proof": puzzle.proof,
    }


class RunNow(TypedDict):
    run: int
    remaining_ms: Annotated[int, "0 once it is over."]
    solved: int
    wrong: int
    last_ms: Annotated[int, "From the start to the last one solved."]
    puzzle: PuzzleAsked | None


def run_values(run: PuzzleRun, now: int) -> RunNow:
    """Return a run as programs read it, with the puzzle that it asks now."""
    left = remaining_ms(run, now)
    current = Puzzle.objects.get(pk=run.puzzles[run.place]) if left else None
    return {
        "run": run.pk,
        "remaining_ms": left,
        "solved": run.solved,
        "wrong": run.wrong,
        "last_ms": run.last_ms,
        "puzzle": None if current is None else asked(current),
    }


def reason(puzzle: Puzzle) -> list[str]:
    """Return the sentences that explain the solution, in the reader's language."""
    if puzzle.kind == PuzzleKind.SHOW:
        return _of_a_show(puzzle)
    facts = puzzle.proof["facts"]
    if puzzle.proof["by"] == "judge":
        return _of_a_whole_hand(puzzle, card_name(facts["card"]))
    return [*_OF_A_HAND[PuzzleKind(puzzle.kind)](puzzle.solution, facts), _how_sure(puzzle.proof)]


def _of_a_whole_hand(puzzle: Puzzle, card: str) -> list[str]:
    if puzzle.kind == PuzzleKind.TAKE:
        return [_("The {card} completes the hand: it can be shown at once.", card=card)]
    return [_("Without the {card}, and no other card, the thirteen that are left are a show.", card=card)]


def _of_a_show(puzzle: Puzzle) -> list[str]:
    judgement = judgement_of(puzzle.asked)
    names = as_sentence(
        "; ".join(
            _("Group {number}: {kind}", number=number, kind=KIND_NAMES[kind.value])
            for number, kind in enumerate(judgement.kinds, start=1)
        )
    )
    if puzzle.solution == YES:
        return [_("All thirteen cards lie in melds, and two of them are sequences, one pure."), names]
    if puzzle.solution == LIVES:
        return [_("Every group is a meld, and still it is no show."), translated(judgement.fault or ""), names]
    verdict = judgement.verdicts[int(puzzle.solution) - 1]
    told = as_sentence(verdict.reason or "")
    return [_("Group {number} is no meld. {why}", number=puzzle.solution, why=told), names]


def _of_a_discard(_solution: str, facts: Mapping[str, Any]) -> list[str]:
    best, other = facts["best"], facts["next"]
    completes = _(
        "Without the {card}: of the {unseen} cards that you have not seen, {completes} would complete the hand, and "
        "{helps} would help you on.",
        card=card_name(best["card"]), unseen=facts["unseen"], completes=best["completes"], helps=best["helps"],
    )  # fmt: skip
    instead = _(
        "Without the {card}, which comes next: {completes} and {helps}.",
        card=card_name(other["card"]), completes=other["completes"], helps=other["helps"],
    )  # fmt: skip
    risk = _("Points at risk until then: {left} instead of {other}.", left=best["left"], other=other["left"])
    return [completes, instead, risk]


def _of_a_take(solution: str, facts: Mapping[str, Any]) -> list[str]:
    card = card_name(facts["card"])
    helps = _(
        "From the closed deck: of the {unseen} cards that you have not seen, {helps} would help you on.",
        helps=facts["helps"], unseen=facts["unseen"],
    )  # fmt: skip
    if solution == OPEN and facts["valid"]:
        return [_("The {card} completes the hand: it can be shown at once.", card=card)]
    if facts["group"]:
        gains = _(
            "The {card} lies in a meld ({group}); the hand then counts {after} points instead of {before}.",
            card=card, group=", ".join(map(card_name, facts["group"])), after=facts["after"], before=facts["before"],
        )  # fmt: skip
        return [gains, helps]
    return [_("The {card} completes no meld.", card=card), helps]


def _of_a_drop(solution: str, facts: Mapping[str, Any]) -> list[str]:
    pure = _("There is a pure sequence in the hand.") if facts["pure"] else _("There is no pure sequence yet.")
    cost = _(
        "Jokers in the hand: {jokers}. Points at risk now: {points}. A drop costs {price}.",
        jokers=facts["jokers"], points=facts["points"], price=facts["price"],
    )  # fmt: skip
    return [pure, cost]


def _how_sure(proof: Mapping[str, Any]) -> str:
    mean, low, _high = proof["lead"]
    return _(
        "Played on {samples} times from deals as you could expect them, it is better by {lead} points on average, give "
        "or take {margin}.",
        samples=proof["samples"], lead=f"{mean:.1f}", margin=f"{mean - low:.1f}",
    )  # fmt: skip


_OF_A_HAND = {PuzzleKind.DISCARD: _of_a_discard, PuzzleKind.TAKE: _of_a_take, PuzzleKind.DROP: _of_a_drop}
