"""Base of the commands of the rules: one question, one answer; for hands also many, as lines of JSON.

And the whole numbers that options give, here and in the commands of tables.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NoReturn, TypeAlias

from rules.errors import RulesError, is_text, quoted

#: What is asked or answered, under the names of the published JSON.
Fields: TypeAlias = Mapping[str, Any]

#: The most characters that a refused option repeats of what was given, with argparse's own words before it.
_LONGEST: Final = 90
#: Of a whole number: what the database can hold.
_DIGITS: Final = 18


class BadQuestion(Exception):
    """Wrong input, described in one line, which alone is shown; exit code 2."""


class _OneLineParser(ArgumentParser):
    """A parser that refuses wrong options in one line, without the usage page."""

    def error(self, message: str) -> NoReturn:
        raise BadQuestion(_brief(message))


class RulesCommand(ABC):
    """A command with one question in its options and one answer: text for people, JSON with --json."""

    help: ClassVar[str]

    def run(self, name: str, arguments: Sequence[str]) -> Iterator[str]:
        """Yield the lines of the answer. Raises BadQuestion; SystemExit after --help."""
        parser = _OneLineParser(prog=f"manage.py {name}", description=self.help)
        parser.add_argument("--json", action="store_true", help="answer with exact JSON")
        self.add_arguments(parser)
        options = vars(parser.parse_args(arguments))
        for option, value in options.items():
            if isinstance(value, str) and not is_text(value):
                raise BadQuestion(f"{option} is no text in UTF-8")
        return self.lines(options)

    @abstractmethod
    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options that the question is made of."""

    @abstractmethod
    def answer(self, question: Fields) -> Fields:
        """Return the answer in its published form. Raises BadQuestion or RulesError."""

    @abstractmethod
    def text(self, question: Fields, answer: Fields) -> str:
        """Return the same answer as text for people."""

    def lines(self, options: Fields) -> Iterator[str]:
        """Yield the answer to the question in the options."""
        answer = self.checked(options)
        yield to_json(answer) if options["json"] else self.text(options, answer)

    def checked(self, question: Fields) -> Fields:
        try:
            return self.answer(question)
        except RulesError as error:
            raise BadQuestion(error.message) from error


def to_json(answer: Fields) -> str:
    return json.dumps(answer, separators=(",", ":"))


def amount(text: str) -> int:
    """Return the whole number that an option gives in plain digits, from 0 on. ArgumentTypeError for another text."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{quoted(text)} is not a whole number")
    if len(text) > _DIGITS:
        raise ArgumentTypeError(f"{quoted(text)} has more than {_DIGITS} digits")
    return int(text)


def amounts(text: str) -> list[int]:
    return [amount(part) for part in text.split(",")]


def _brief(message: str) -> str:
    """Return a message of argparse in one line, with no more than 80 characters of the input.

    Choices and missing options are listed in full.
    """
    message = " ".join(message.split())
    if message.startswith("the following arguments are required"):
        return message
    start, choose, choices = message.rpartition(" (choose from ") if "invalid choice" in message else (message, "", "")
    return (start if len(start) <= _LONGEST else f"{start[:_LONGEST]}…") + choose + choices
