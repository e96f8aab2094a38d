"""Why an answer is the best, in sentences made of facts."""

from collections.abc import Mapping
from typing import Any

from lobby.help.views import KIND_NAMES
from lobby.puzzles.models import Puzzle, PuzzleKind
from lobby.puzzles.questions import LIVES, OPEN, YES, judgement_of
from lobby.templatetags.lobby_text import card_name
from tables.language import as_sentence, translated
from wallet.language import gettext as _


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
    names = "; ".join(
        _("group {number}: {kind}", number=number, kind=KIND_NAMES[kind.value])
        for number, kind in enumerate(judgement.kinds, start=1)
    )
    if puzzle.solution == YES:
        return [_("All thirteen cards lie in melds, and two of them are sequences, one pure."), f"{names}."]
    if puzzle.solution == LIVES:
        return [
            _("Every group is a meld, and still it is no show."),
            translated(judgement.fault or ""),
            f"{names}.",
        ]
    verdict = judgement.verdicts[int(puzzle.solution) - 1]
    told = as_sentence(verdict.reason or "")
    return [_("Group {number} is no meld. {why}", number=puzzle.solution, why=told), f"{names}."]


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
