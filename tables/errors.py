"""Refusals of tables that the rules of the game do not know."""

from rules.text import message
from wallet.base.errors import Refusal
from wallet.language import gettext as _

#: What players read at a table that stands still.
FROZEN = message("This table is stopped until our staff have looked at it. Your chips are safe.")


class TableError(Refusal):
    """A refusal of a table."""


def no_such_table() -> TableError:
    """Return the refusal of a table that is not there, or not for whoever asks."""
    return TableError("not_found", _("There is no such table."), status=404)


def no_such_tournament() -> TableError:
    return TableError("not_found", _("There is no such tournament."), status=404)
