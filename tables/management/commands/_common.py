"""What the commands about rules share: no database, text or exact JSON out, one clear line and exit 2 for bad input."""

import json
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rules.books import RuleBook, book
from rules.cards import Card, Face, face, parse, wild_rank
from rules.errors import RulesError

Fields: TypeAlias = Mapping[str, Any]
"""What is asked or answered, under the names of the published JSON."""


class BadInput(CommandError):
    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=2)


class RulesCommand(BaseCommand, ABC):
    """One question in the options, one answer: text for people, JSON with --json."""

    requires_system_checks = []

    @abstractmethod
    def answer(self, question: Fields) -> Fields:
        """The answer as it is published. Raises BadInput or RulesError."""

    @abstractmethod
    def text(self, question: Fields, answer: Fields) -> str:
        """The same answer for people."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)

        def refuse(message: str) -> NoReturn:
            if parser.called_from_command_line:
                parser.exit(2, f"BadInput: {message}\n")
            raise BadInput(message)

        parser.error = refuse  # type: ignore[method-assign]
        return parser

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
    """A question about a hand, or with --file many of them: one JSON object a line, one answer a line, in order."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--book", help="the key of a rule book")
        parser.add_argument("--cut", metavar="CARD", help="the cut joker")
        parser.add_argument("--file", metavar="PATH", help="one JSON object a line; - is standard input")

    def handle(self, **options: Any) -> None:
        if options["file"] is None:
            super().handle(**options)
            return
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
    """The lines that are not blank, numbered from 1 as an editor shows them."""
    try:
        content = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot read {path!r}: {error}") from error
    return ((number, line) for number, line in enumerate(content.split("\n"), start=1) if line.strip())


def read_book(question: Fields) -> RuleBook:
    return book(_read(question, "book", str))


def read_wild(question: Fields) -> int:
    """The wild rank that the cut joker makes."""
    return wild_rank(parse(_read(question, "cut", str)))


def read_cards(question: Fields, name: str) -> list[Card | Face]:
    """The cards of a field: a list of them, or one text with spaces between."""
    return _cards(_read(question, name, (str, list)))


def read_groups(question: Fields) -> list[list[Card | Face]]:
    """The groups of an arrangement: a list of lists, or one text with | between."""
    groups = _read(question, "groups", (str, list))
    if isinstance(groups, str):
        groups = groups.split("|") if groups.strip() else []
    groups = [_cards(group) for group in groups]
    if not all(groups):
        raise BadInput("a group without cards")
    return groups


def check_hand(rules: RuleBook, cards: Sequence[Card | Face], *sizes: int) -> None:
    """Raises BadInput unless these can be the cards of one hand in this book."""
    if len(cards) not in sizes:
        raise BadInput(f"a hand has {' or '.join(map(str, sizes))} cards, not {len(cards)}")
    packs = rules.packs_for(rules.max_seats)
    for shown, count in Counter(face(card) for card in cards).items():
        if count > packs:
            raise BadInput(f"{shown} {count} times, but there are {packs} packs")
    for card, count in Counter(cards).items():
        if count > 1 and card != face(card):
            raise BadInput(f"{card} {count} times, but there is only one")


def _read(question: Fields, name: str, kind: type | tuple[type, ...]) -> Any:
    value = question.get(name)
    if value is None:
        raise BadInput(f"{name} is missing")
    if not isinstance(value, kind):
        raise BadInput(f"{name} is not as it should be: {value!r}")
    return value


def _cards(cards: Any) -> list[Card | Face]:
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise BadInput(f"no list of cards: {cards!r}")
    return [parse(card) for card in cards]


def verdict(answer: Fields) -> str:
    return f"{'A valid' if answer['valid'] else 'Not a valid'} declaration; {answer['points']} points for a loser"


def add_pool_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", required=True, type=amount, help="who reaches it is out")
    parser.add_argument("--drop", required=True, type=amount, help="the points of a first drop")
    parser.add_argument("--started", required=True, type=amount, help="how many players the match started with")
    parser.add_argument("--scores", required=True, type=_amounts, metavar="N,N", help="in seat order")


def amount(text: str) -> int:
    """A whole number, not negative, in plain digits."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _amounts(text: str) -> list[int]:
    return [amount(part) for part in text.split(",")]


def check_scores(question: Fields) -> None:
    """Raises BadInput unless limit and drop are points, and the scores those of players who started."""
    if not question["limit"] or not question["drop"]:
        raise BadInput("limit and drop are at least 1")
    if len(question["scores"]) > question["started"]:
        raise BadInput(f"{len(question['scores'])} scores of {question['started']} players")
