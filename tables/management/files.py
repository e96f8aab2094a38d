"""The files that commands read."""

import sys
from pathlib import Path

from rules.errors import quoted
from rules.notation import MOST_BYTES
from wallet.base.commands import BadInput


def content_of(file: str) -> bytes:
    """Return the content of a file in Rummy Deal Notation, of standard input for `-`; never much more than is allowed.

    Raises BadInput if there is no such file.
    """
    try:
        if file == "-":
            return sys.stdin.buffer.read(MOST_BYTES + 1)
        with Path(file).open("rb") as content:
            return content.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{quoted(file, 80)} cannot be read: {error.strerror}") from error
