"""What the wallet's commands share: wrong options are refused in one line."""

from typing import Any, Final, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

_LONGEST: Final = 80


class OneLineCommand(BaseCommand):
    """Options that are wrong are refused in one line and with exit 2, without a page on how to use them."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)

        def refuse(message: str) -> NoReturn:
            if parser.called_from_command_line:
                parser.exit(2, f"CommandError: {brief(message)}\n")
            raise CommandError(brief(message), returncode=2)

        parser.error = refuse  # type: ignore[method-assign]
        return parser


def brief(text: str) -> str:
    """One line that repeats no more than 80 characters of what was given; what argparse misses is said in fewer."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
