"""Refusals of tables that the rules of the game do not know."""

from rules.text import message
from wallet.base.errors import Refusal

#: What players read at a table that stands still.
FROZEN = message("This table is stopped until our staff have looked at it. Your chips are safe.")


class TableError(Refusal):
    """A refusal of a table."""
