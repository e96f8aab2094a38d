"""The errors of the rules."""

from typing import Final

from rules.text import message

_MOST: Final = 40


def quoted(value: object, most: int = _MOST) -> str:
    """Return the value as an error message quotes it: on one line, cut to `most` characters."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


class RulesError(Exception):
    """A refusal: `code` is for programs, `message` is one sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class BadCard(RulesError):
    """A text that names no card."""

    def __init__(self, text: str) -> None:
        super().__init__("bad_card", message("{given} is not a card", given=quoted(text)))


class UnknownBook(RulesError):
    """A rule book, or a version of one, that does not exist."""

    def __init__(self, key: str) -> None:
        super().__init__("unknown_book", message("There is no rule book {given}", given=quoted(key)))


class Refused(RulesError):
    """A move the rules do not allow now. Nothing has changed."""


def is_text(value: str) -> bool:
    """Return whether the value can be written as UTF-8, as bytes that the shell passed on as they were cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
