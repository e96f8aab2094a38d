"""The rules in two minutes: exercises with cards to touch, judged by the engine itself."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from lobby.help.views import DEFAULT_BOOK, KIND_NAMES
from rules.books import BOOKS
from rules.cards import RANKS
from rules.melds import Kind, judge_group
from tables.language import as_sentence
from wallet.language import gettext as _, gettext_lazy


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise: the player touches the cards that make a meld of that kind. `wild` is the wild rank, or 0."""

    key: str
    title: str
    text: str
    cards: tuple[str, ...]
    kind: Kind
    wild: int = 0


EXERCISES = (
    Exercise(
        "pure",
        gettext_lazy("A pure sequence"),
        gettext_lazy(
            "Three or more cards of one suit in a row, without a joker. Every hand needs one. Touch the three cards."
        ),
        ("7H", "KD", "8H", "9S", "9H"),
        Kind.PURE,
    ),
    Exercise(
        "joker",
        gettext_lazy("A sequence with a joker"),
        gettext_lazy(
            "A joker stands for a card that is missing. Touch three cards that make a sequence with its help."
        ),
        ("4S", "JC", "JR", "6S", "10D"),
        Kind.IMPURE,
    ),
    Exercise(
        "wild",
        gettext_lazy("A wild card"),
        gettext_lazy(
            "One card is turned up before each deal, and all of its rank are jokers, too. Here it was a two. "
            "Make a sequence with its help."
        ),
        ("QD", "3C", "KD", "2S", "5H"),
        Kind.IMPURE,
        wild=2,
    ),
    Exercise(
        "set",
        gettext_lazy("A set"),
        gettext_lazy("Three or four cards of one rank, each of another suit. Mind the twins: two packs are in play."),
        ("5C", "5D", "5C", "QH", "5S"),
        Kind.SET,
    ),
)


@require_GET
def two_minutes(request: HttpRequest) -> HttpResponse:
    """Show all exercises; `exercise` in the query names the one to judge, `card` the positions touched."""
    exercise_key, touched = request.GET.get("exercise", ""), request.GET.getlist("card")
    exercises = [_exercise_context(exercise, touched if exercise.key == exercise_key else []) for exercise in EXERCISES]
    return render(request, "lobby/two_minutes.html", {"exercises": exercises})


def _exercise_context(exercise: Exercise, touched: list[str]) -> dict[str, Any]:
    positions = {int(text) for text in touched if text.isascii() and text.isdigit() and len(text) < 3}
    selected = tuple(card for position, card in enumerate(exercise.cards) if position in positions)
    return {
        "exercise": exercise,
        "wild_name": RANKS[exercise.wild - 1] if exercise.wild else "",
        "cards": [{"face": card, "touched": position in positions} for position, card in enumerate(exercise.cards)],
        **(verdict_on(exercise, selected) if selected else {}),
    }


def verdict_on(exercise: Exercise, selected: tuple[str, ...]) -> dict[str, Any]:
    """Return whether these cards solve the exercise, and if not, why, by the rules of the default book."""
    verdict = judge_group(BOOKS[DEFAULT_BOOK], exercise.wild, selected)
    name = KIND_NAMES[verdict.kind.value]
    if verdict.kind is exercise.kind:
        return {"right": True, "verdict": _("Right. {name}.", name=name)}
    if verdict.reason:
        return {"right": False, "verdict": _("Not yet. {reason}", reason=as_sentence(verdict.reason))}
    return {"right": False, "verdict": _("Nearly. This is another kind of meld: {kind}.", kind=name.lower())}
