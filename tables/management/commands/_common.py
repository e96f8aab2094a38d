"""Base of the rules commands: no database, output as text or exact JSON, one line and exit 2 for bad input."""

import json
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from django.core.management.base import CommandError

from rules.books import BOOKS, RuleBook, book
from rules.cards import Card, Face, face, parse, wild_rank
from rules.errors import RulesError, shown
from wallet.base.commands import BadInput, OneLineCommand

#: What is asked or answered, under the names of the published JSON.
Fields: TypeAlias = Mapping[str, Any]

#: Of a whole number: what the database can hold.
_DIGITS: Final = 18
_MOST_SEATS: Final = max(rules.max_seats for rules in BOOKS.values())


class RulesCommand(OneLineCommand, ABC):
    """A command with one question in its options and one answer: text for people, JSON with --json."""

    requires_system_checks = []

    @abstractmethod
    def answer(self, question: Fields) -> Fields:
        """Return the answer in its published form. Raises BadInput or RulesError."""

    @abstractmethod
    def text(self, question: Fields, answer: Fields) -> str:
        """Return the same answer as text for people."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="answer with exact JSON")

    def handle(self, **options: Any) -> None:
        answer = self.checked(options)
        self.stdout.write(to_json(answer) if options["json"] else self.text(options, answer))

    def checked(self, question: Fields) -> Fields:
        try:
            return self.answer(question)
        except RulesError as error:
            raise BadInput(error.message) from error


class HandCommand(RulesCommand):
    """A command with a question about a hand, or with --file many: a JSON object per line, an answer per line."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--book", help="the key of a rule book")
        parser.add_argument("--cut", metavar="CARD", help="the cut joker")
        parser.add_argument("--file", metavar="PATH", help="one JSON object a line; - is standard input")

    def handle(self, **options: Any) -> None:
        if options["file"] is None:
            super().handle(**options)
            return
        beside = [name for name in ("book", "cut", "groups", "loose", "cards") if options.get(name) is not None]
        if beside:
            raise BadInput(f"{beside[0]} given beside --file, whose lines say all")
        for answer in [self._of_line(number, line) for number, line in _numbered_lines(options["file"])]:
            self.stdout.write(to_json(answer))

    def _of_line(self, number: int, line: str) -> Fields:
        try:
            question = json.loads(line)
            if not isinstance(question, dict):
                raise BadInput("not a JSON object")
            return self.checked(question)
        except CommandError as error:
            raise BadInput(f"line {number}: {error}") from error
        except (ValueError, RecursionError) as error:
            raise BadInput(f"line {number}: not JSON") from error


def to_json(answer: Fields) -> str:
    return json.dumps(answer, separators=(",", ":"))


def _numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """Return the lines that are not blank, numbered from 1 as an editor shows them."""
    try:
        content = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadInput(f"cannot read {shown(path, 80)}: {reason}") from error
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
    """Return the groups of an arrangement: a list of lists, or one text with | between."""
    groups = _read(question, "groups", (str, list))
    if isinstance(groups, str):
        groups = groups.split("|") if groups.strip() else []
    groups = [_cards(group) for group in groups]
    if not all(groups):
        raise BadInput("a group without cards")
    return groups


def check_hand(question: Fields, cards: Sequence[Card | Face], *sizes: int) -> None:
    """Raise BadInput unless the cards can be one hand in the question's book, together with its cut joker."""
    if len(cards) not in sizes:
        raise BadInput(f"a hand has {' or '.join(map(str, sizes))} cards, not {len(cards)}")
    rules, cut = read_book(question), _read_cut(question)
    packs, dealt = rules.packs_for(rules.max_seats), [*cards, cut]
    pieces, faces = [card for card in dealt if card != face(card)], [face(card) for card in dealt]
    for card in pieces:
        if int(card[-1]) > packs:
            raise BadInput(f"{card} is of pack {card[-1]}, but there are {packs} packs")
    for given, most, there in ((pieces, 1, "there is only one"), (faces, packs, f"there are {packs} packs")):
        for card, count in Counter(given).items():
            if count > most:
                with_cut = " with the cut joker" if card in (cut, face(cut)) else ""
                raise BadInput(f"{card} {count} times{with_cut}, but {there}")


def _read(question: Fields, name: str, kind: type | tuple[type, ...]) -> Any:
    value = question.get(name)
    if value is None:
        raise BadInput(f"{name} is missing")
    if not isinstance(value, kind):
        raise BadInput(f"{name} is not as it should be: {shown(value)}")
    return value


def _cards(cards: Any) -> list[Card | Face]:
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise BadInput(f"no list of cards: {shown(cards)}")
    return [parse(card) for card in cards]


def verdict(answer: Fields) -> str:
    return f"{'A valid' if answer['valid'] else 'Not a valid'} declaration; {answer['points']} points for a loser"


def add_pool_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", required=True, type=amount, help="who reaches it is out")
    parser.add_argument("--drop", required=True, type=amount, help="the points of a first drop")
    parser.add_argument("--started", required=True, type=amount, help="how many players the match started with")
    parser.add_argument("--scores", required=True, type=_amounts, metavar="N,N", help="in seat order")


def amount(text: str) -> int:
    """Read a whole number, not negative, in plain digits."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{shown(text)} is not a whole number")
    if len(text) > _DIGITS:
        raise ArgumentTypeError(f"{shown(text)} has more than {_DIGITS} digits")
    return int(text)


def _amounts(text: str) -> list[int]:
    return [amount(part) for part in text.split(",")]


def check_scores(question: Fields) -> None:
    """Raise BadInput unless limit and drop are at least 1, and the scores can be those of players of one table."""
    if not question["limit"] or not question["drop"]:
        raise BadInput("limit and drop are at least 1")
    if question["started"] > _MOST_SEATS:
        raise BadInput(f"{question['started']} players started, but a table has at most {_MOST_SEATS} seats")
    if len(question["scores"]) > question["started"]:
        raise BadInput(f"{len(question['scores'])} scores of {question['started']} players")
