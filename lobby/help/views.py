"""How to play: pages made from the rule books and the engine's own verdicts, so that they cannot be out of date.

One has the rules in two minutes: exercises with cards to touch, judged by the engine itself.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from lobby.help import rule_text, time_text
from lobby.stakes import private_tables
from lobby.stakes.models import Stake
from lobby.stakes.presenters import FAMILY_NOTES, FOR_WHOM, GAME_TITLES, facts
from rules.books import BOOKS, Family, RuleBook, with_deals
from rules.cards import RANKS
from rules.declaration import judge
from rules.game import Clocks
from rules.melds import Kind, judge_group
from tables.language import as_sentence
from tables.models import Table
from wallet.language import gettext as _, gettext_lazy

DEFAULT_BOOK = "standard-points"

#: Groups to show: (cards, wild rank or 0, explanation).
GROUPS = (
    ("3H 4H 5H", 0, gettext_lazy("Three or more of one suit in a row, none standing in for another.")),
    ("QS KS AS", 0, gettext_lazy("The ace stands low before the two or high after the king.")),
    ("3D 4D 5D", 4, gettext_lazy("A wild card in its own place is no joker: the sequence stays pure.")),
    ("7H 8H JR 10H", 0, gettext_lazy("A joker stands for the missing nine.")),
    ("9C 9D 9H", 0, gettext_lazy("One rank, every suit once.")),
    ("KC JR KS", 0, gettext_lazy("A joker stands for a missing suit.")),
    ("JR 5C JR", 5, gettext_lazy("Nothing but jokers.")),
    ("8D 8D 8D", 0, gettext_lazy("Three identical cards.")),
    ("KC AC 2C", 0, gettext_lazy("Round the corner.")),
    ("9C 9C 9H", 0, gettext_lazy("The same suit twice.")),
    ("4H JR 5C 7H", 5, gettext_lazy("Two jokers stand for other cards.")),
)

#: Whole hands to show: (title, groups, loose cards, wild rank).
HANDS = (
    (gettext_lazy("A declaration"), ("4S 5S 6S 7S", "9D 10D JR", "QC QD QH", "2H 3H 4H"), "", 8),
    (gettext_lazy("Caught without a pure sequence"), ("7H 8H JR 10H", "2C 2D 2H"), "3S 5D 4C 6S 2S 3C", 9),
    (gettext_lazy("Caught with a pure sequence only"), ("5H 6H 7H", "4C 4D 4S"), "2D 3S 6C 7D 10S KC 2H", 9),
    (gettext_lazy("Caught with both lives"), ("5H 6H 7H 8H", "10D JR QD", "3C 3D 3S"), "2S KC 6D", 9),
)

KIND_NAMES = {
    "pure": gettext_lazy("Pure sequence"),
    "impure": gettext_lazy("Impure sequence"),
    "set": gettext_lazy("Set"),
    "jokers": gettext_lazy("Only jokers"),
    "invalid": gettext_lazy("No meld"),
}


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """A group of cards with the engine's verdict."""

    cards: tuple[str, ...]
    wild: int
    kind: str
    name: str
    text: str


@require_GET
def how_to_play(request: HttpRequest, key: str = "") -> HttpResponse:
    """Show the rules in general, or those of one book; `stake` or `table` in the query names whose terms are shown.

    A table is one for friends; nothing is told of whose it is. 404 for a book that is not played here.
    """
    book = BOOKS.get(key or DEFAULT_BOOK)
    if book is None:
        raise Http404(_("no such rule book"))
    template = "lobby/book.html" if key else "lobby/how_to_play.html"
    if table := Table.objects.filter(_numbered(request, "table", book)).exclude(private_code="").first():
        own = with_deals(book, private_tables.deals_of(table))
        context = page(own, private_tables.terms_as_stake(table), private_tables.agreed_terms(table).clocks)
        return render(request, template, context)
    stake = Stake.objects.filter(_numbered(request, "stake", book)).first()
    return render(request, template, page(book, stake, stake.terms().clocks if stake is not None else None))


def _numbered(request: HttpRequest, name: str, book: RuleBook) -> Q:
    """Return the condition for what the query numbers under this name, if it is played by this book."""
    number = request.GET.get(name, "")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    return Q(pk=int(number) if is_number else None, book=book.key)


def page(book: RuleBook, stake: Stake | None = None, clocks: Clocks | None = None) -> dict[str, Any]:
    """Return the context of a page about this book, with the terms of the stake and these clocks, or the usual ones.

    The stake has no id where it carries the terms of a table for friends.
    """
    clocks = clocks or Clocks()
    return {
        "book": book,
        "note": FAMILY_NOTES[book.family],
        "facts": facts(book),
        "groups": [judged_group(book, *example) for example in GROUPS],
        "hands": [judged_hand(book, *example) for example in HANDS],
        "tables": rule_text.tables(book, stake),
        "pool": rule_text.pool_example(book),
        "stake": stake,
        "clocks": clocks,
        "clock_rows": time_text.clocks(clocks, book),
        "families": [
            {"title": _(GAME_TITLES[family]), "note": FAMILY_NOTES[family], "books": _books_of(family)}
            for family in Family
        ],
    }


def _books_of(family: Family) -> list[dict[str, Any]]:
    return [
        {"key": book.key, "title": book.title, "for_whom": FOR_WHOM[book.key], "facts": facts(book)}
        for book in BOOKS.values()
        if book.family is family
    ]


def judged_group(book: RuleBook, text: str, wild: int, note: str) -> JudgedGroup:
    """Return the group as this book judges it; where it is no meld, the engine's reason follows the note."""
    cards = tuple(text.split())
    verdict = judge_group(book, wild, cards)
    reason = f" {as_sentence(verdict.reason)}" if verdict.reason else ""
    return JudgedGroup(cards, wild, verdict.kind.value, KIND_NAMES[verdict.kind.value], f"{note}{reason}")


def judged_hand(book: RuleBook, title: str, groups: tuple[str, ...], loose: str, wild: int) -> dict[str, Any]:
    """Return the hand as this book judges and counts it."""
    card_groups = [tuple(group.split()) for group in groups]
    judgement = judge(book, wild, card_groups, tuple(loose.split()))
    return {
        "title": title,
        "groups": [
            {"cards": cards, "kind": meld.value, "name": KIND_NAMES[meld.value]}
            for cards, meld in zip(card_groups, judgement.kinds, strict=True)
        ],
        "loose": loose.split(),
        "wild": wild,
        "wild_name": RANKS[wild - 1],
        "valid": judgement.valid,
        "points": judgement.points,
    }


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
