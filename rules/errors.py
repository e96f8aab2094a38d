"""What the rules say no to."""


class RulesError(Exception):
    """A refusal: `code` is for programs, `message` is one sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class BadCard(RulesError):
    """A text that names no card."""

    def __init__(self, text: str) -> None:
        super().__init__("bad_card", f"{text!r} is not a card")


class UnknownBook(RulesError):
    """A rule book, or a version of one, that does not exist."""

    def __init__(self, key: str) -> None:
        super().__init__("unknown_book", f"There is no rule book {key!r}")


class Refused(RulesError):
    """A move the rules do not allow now. Nothing has changed."""
