"""Refusals of tables that the rules of the game do not know."""

from wallet.base.errors import Refusal


class TableError(Refusal):
    """A refusal of a table."""
