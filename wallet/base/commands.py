"""What the commands of every app share: wrong options are refused in one line and with exit 2."""

from typing import Any, Final, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

_LONGEST: Final = 90
"""Characters of a message of argparse: its own first words are ten or more of them."""


class BadInput(CommandError):
    """Say in one line what of the input is wrong."""

    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=2)


class OneLineCommand(BaseCommand):
    """Options that are wrong are refused in one line, without a page on how to use them."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)

        def refuse(message: str) -> NoReturn:
            if parser.called_from_command_line:
                parser.exit(2, f"BadInput: {brief(message)}\n")
            raise BadInput(brief(message))

        parser.error = refuse  # type: ignore[method-assign]
        return parser


def brief(message: str) -> str:
    """Return what is said, in one line and with no more than 80 characters of what was given.

    Choices are named in full.
    """
    message = " ".join(message.split())
    if message.startswith("the following arguments are required"):
        return message
    told, choose, choices = message.rpartition(" (choose from ") if "invalid choice" in message else (message, "", "")
    return shorten(told, _LONGEST) + choose + choices


def shorten(text: str, most: int = 80) -> str:
    """Return what was given, in one line and no longer than that, but for a mark where it went on."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
