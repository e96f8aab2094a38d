"""A process that is killed at a given line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


class Killed(BaseException):
    """As if the process were killed: nothing catches it."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Kill the process at its `number`th statement."""
    count = 0

    def execute(go_on: Callable[..., Any], sql: str, *args: Any) -> Any:
        nonlocal count
        # The test's own transaction lives on: what was begun within it must be rolled back.
        if "SAVEPOINT" not in sql:
            count += 1
            if count == number:
                raise Killed
        return go_on(sql, *args)

    with connection.execute_wrapper(execute):
        yield
