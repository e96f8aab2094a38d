"""The single row of a query that can have only one."""

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def only(rows: "QuerySet[Row]") -> Row | None:
    """Return the row, or None.

    `first()` would add an ORDER BY, which takes Django longer to build than all the rest of the statement.
    """
    return next(iter(rows), None)
