"""The base of all commands: it refuses wrong options in one line, with exit code 2; and the files that they write."""

import errno
import os
import secrets
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

#: Characters of a message of argparse: its own first words are ten or more of them.
_LONGEST: Final = 90
#: What a full disk says, and the exit code for it: that of `config.process.exits`.
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_DISK: Final = 6


class BadInput(CommandError):
    """Wrong input, described in one line, which alone is shown; exit code 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=2)


class OneLineCommand(BaseCommand):
    """A command that refuses wrong options in one line, without the usage page."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)

        def refuse(message: str) -> NoReturn:
            if parser.called_from_command_line:
                parser.exit(2, f"{brief(message)}\n")
            raise BadInput(brief(message))

        parser.error = refuse  # type: ignore[method-assign]
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command, but first refuse options that are no text: bytes that the shell passed on as they were."""
        try:
            for name, value in options.items():
                if isinstance(value, str) and not is_text(value):
                    raise BadInput(f"{name} is no text in UTF-8")
            return super().execute(*args, **options)
        except BadInput as error:
            if options["traceback"] or not getattr(self, "_called_from_command_line", False):
                raise
            # Django would put the name of the class before it.
            self.stderr.write(str(error))
            sys.exit(error.returncode)


def store_whole(file: Path, text: str) -> None:
    """Write the text to the file, whole or not at all: until then what stood there stays. OSError where it cannot be.

    It takes the place of the file that a link leads to, and of no device. Who may read it stays as it was; a new one is
    for whom the umask says.
    """
    file = Path(os.path.realpath(file))
    if file.exists() and not file.is_file():
        file.write_text(text, encoding="utf-8", newline="\n")
        return
    new = file.with_name(f".out-{secrets.token_hex(8)}")
    try:
        with new.open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
        if file.exists():
            new.chmod(file.stat().st_mode & 0o777)
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def exit_code(error: Exception) -> int:
    """Return the exit code of a command that could not write its file for this reason."""
    return _DISK if isinstance(error, OSError) and error.errno in _FULL else 2


def is_text(value: str) -> bool:
    """Return whether the value can be written as UTF-8, as lone surrogates cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def brief(message: str) -> str:
    """Return the message in one line, with no more than 80 characters of the input. Choices are listed in full."""
    message = " ".join(message.split())
    if message.startswith("the following arguments are required"):
        return message
    start, choose, choices = message.rpartition(" (choose from ") if "invalid choice" in message else (message, "", "")
    return shorten(start, _LONGEST) + choose + choices


def shorten(text: str, most: int = 80) -> str:
    """Return the text in one line, cut after `most` characters and then marked with `…`."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"


def first_line(reason: object) -> str:
    """Return what an error says, without the statement that PostgreSQL repeats in the lines behind it."""
    return str(reason).strip().partition("\n")[0]
