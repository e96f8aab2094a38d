"""The progress of an audit, reported after each check, and within long ones after each piece of rows."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Progress = Callable[[int, int, str], None]
"""Told how many checks of how many are done, and the name of the last, or of the one at work and its rows so far."""

#: Rows after which a check reports its progress.
TOLD_AFTER = 100_000

T = TypeVar("T")
_tell: ContextVar[Callable[[int], None] | None] = ContextVar("tell", default=None)


@contextmanager
def telling(progress: Progress | None, done: int, of: int, check: str) -> Iterator[None]:
    """Report the progress of the check within after every piece of `counted` rows, and when it is done."""
    tell = None if progress is None else (lambda rows: progress(done, of, f"{check}, {rows:,} rows"))
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)
    if progress is not None:
        progress(done + 1, of, check)


def counted(rows: Iterable[T]) -> Iterator[T]:
    """Yield the rows, and report their number after every piece."""
    tell = _tell.get()
    for number, row in enumerate(rows, start=1):
        yield row
        if tell is not None and number % TOLD_AFTER == 0:
            tell(number)
