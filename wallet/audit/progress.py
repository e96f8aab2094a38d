"""The progress of an audit, reported after each check, and within long ones after each piece of rows."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

#: Called with the number of finished checks, of all checks, and the name of the last or the running one with its rows.
Progress = Callable[[int, int, str], None]

#: Rows after which a check reports its progress.
REPORT_EVERY = 100_000

T = TypeVar("T")
_report: ContextVar[Callable[[int], None] | None] = ContextVar("report", default=None)


@contextmanager
def reporting(progress: Progress | None, done: int, total: int, check: str) -> Iterator[None]:
    """Report the progress of the check within after every piece of `counted` rows, and when it is done."""
    report = None if progress is None else (lambda rows: progress(done, total, f"{check}, {rows:,} rows"))
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)
    if progress is not None:
        progress(done + 1, total, check)


def counted(rows: Iterable[T]) -> Iterator[T]:
    """Yield the rows, and report their number after every piece."""
    report = _report.get()
    for number, row in enumerate(rows, start=1):
        yield row
        if report is not None and number % REPORT_EVERY == 0:
            report(number)
