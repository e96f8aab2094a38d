"""Reading what the commands are asked: books, cards, groups and numbers, from options or from lines of JSON."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rules.books import RuleBook, book
from rules.cards import Card, Face, face, parse, wild_rank
from rules.commands.base import BadQuestion, Fields
from rules.errors import quoted

#: Of a whole number: what the database can hold.
_DIGITS: Final = 18


def numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """Return the lines that are not blank, numbered from 1 as an editor shows them; `-` is standard input.

    BadQuestion for a file that cannot be read.
    """
    try:
        content = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadQuestion(f"cannot read {quoted(path, 80)}: {reason}") from error
    return ((number, line) for number, line in enumerate(content.split("\n"), start=1) if line.strip())


def read_book(question: Fields) -> RuleBook:
    return book(_read(question, "book", str))


def read_wild(question: Fields) -> int:
    """Return the wild rank that the cut joker makes."""
    return wild_rank(_read_cut(question))


def _read_cut(question: Fields) -> Card | Face:
    return parse(_read(question, "cut", str))


def read_cards(question: Fields, name: str) -> list[Card | Face]:
    """Return the cards of a field: a list of them, or one text with spaces between."""
    return _cards(_read(question, name, (str, list)))


def read_loose(question: Fields) -> list[Card | Face]:
    """Return the cards in no group; an empty list if the field is missing."""
    return [] if question.get("loose") is None else read_cards(question, "loose")


def read_groups(question: Fields) -> list[list[Card | Face]]:
    """Return the groups of an arrangement: a list of lists, or a text with | between. BadQuestion for an empty one."""
    groups = _read(question, "groups", (str, list))
    if isinstance(groups, str):
        groups = groups.split("|") if groups.strip() else []
    groups = [_cards(group) for group in groups]
    if not all(groups):
        raise BadQuestion("a group without cards")
    return groups


def check_hand(question: Fields, cards: Sequence[Card | Face], *sizes: int) -> None:
    """Raise BadQuestion unless the cards can be one hand in the question's book, together with its cut joker."""
    if len(cards) not in sizes:
        raise BadQuestion(f"a hand has {' or '.join(map(str, sizes))} cards, not {len(cards)}")
    rules, cut = read_book(question), _read_cut(question)
    packs, dealt = rules.packs_for(rules.max_seats), [*cards, cut]
    pieces, faces = [card for card in dealt if card != face(card)], [face(card) for card in dealt]
    for card in pieces:
        if int(card[-1]) > packs:
            raise BadQuestion(f"{card} is of pack {card[-1]}, but there are {packs} packs")
    for given, most, there in ((pieces, 1, "there is only one"), (faces, packs, f"there are {packs} packs")):
        for card, count in Counter(given).items():
            if count > most:
                with_cut = " with the cut joker" if card in (cut, face(cut)) else ""
                raise BadQuestion(f"{card} {count} times{with_cut}, but {there}")


def _read(question: Fields, name: str, kind: type | tuple[type, ...]) -> Any:
    value = question.get(name)
    if value is None:
        raise BadQuestion(f"{name} is missing")
    if not isinstance(value, kind):
        raise BadQuestion(f"{name} is not as it should be: {quoted(value)}")
    return value


def _cards(cards: Any) -> list[Card | Face]:
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise BadQuestion(f"no list of cards: {quoted(cards)}")
    return [parse(card) for card in cards]


def amount(text: str) -> int:
    """Return the whole number that an option gives in plain digits, from 0 on. ArgumentTypeError for another text."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{quoted(text)} is not a whole number")
    if len(text) > _DIGITS:
        raise ArgumentTypeError(f"{quoted(text)} has more than {_DIGITS} digits")
    return int(text)


def amounts(text: str) -> list[int]:
    return [amount(part) for part in text.split(",")]
