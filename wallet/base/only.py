"""The row that a question is about, where there can be no other."""

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def only(rows: "QuerySet[Row]") -> Row | None:
    """Return the row, None without one.

    `first()` would sort them; to put that into words takes Django longer than all the rest of the statement.
    """
    return next(iter(rows), None)
