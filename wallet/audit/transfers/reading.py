"""Reading the transfers once for all checks that look at each: a million rows are read once, not five times."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Protocol

from django.db import DatabaseError

from wallet.audit.books import Differences, Finding
from wallet.audit.prefix import last_granted
from wallet.audit.progress import counted
from wallet.ledger.hash_chain import SealedRow, every_row
from wallet.models import Transfer

log = logging.getLogger(__name__)

#: Rows that checks look at together.
BATCH = 5_000


class Looker(Protocol):
    """The state of a check while it looks at the transfers after the prefix."""

    def look(self, rows: Sequence[SealedRow]) -> Differences:
        """Yield what is wrong with the next rows, in the order of ids; some may have lost their posting."""

    def end(self) -> Differences:
        """Yield what is wrong with all rows together."""


class TransferCheck:
    """A check that looks at every transfer. The audit lets all such checks share one reading."""

    def __init__(self, name: str, begin: Callable[[], Looker]) -> None:
        self.__name__ = name
        self.begin = begin

    def __call__(self) -> Differences:
        """Run the check alone."""
        return read_together([self])


def read_together(checks: Iterable[TransferCheck]) -> Differences:
    """Read the transfers once, and yield what the checks find, one check after the other.

    A check that breaks off does not stop the others.
    """
    several = [_Carried(check) for check in checks]
    for each in several:
        each.begin()
    for rows in _batches(counted(every_row(Transfer.objects.filter(pk__gt=last_granted())))):
        for each in several:
            each.find(lambda looker: looker.look(rows))  # noqa: B023  called at once
    for each in several:
        each.find(lambda looker: looker.end())
        yield from each.found


class _Carried:
    """A running check, and what it has found so far."""

    def __init__(self, check: TransferCheck) -> None:
        self._check = check
        self._looker: Looker | None = None
        self.found: list[Finding] = []

    def begin(self) -> None:
        with self._carefully():
            self._looker = self._check.begin()

    def find(self, what: Callable[[Looker], Differences]) -> None:
        if self._looker is not None:
            with self._carefully():
                self.found += what(self._looker)

    @contextmanager
    def _carefully(self) -> Iterator[None]:
        try:
            yield
        except DatabaseError:
            raise
        except Exception as fault:
            self._looker = None
            self.found.append(broken_off(self._check.__name__, fault))


def broken_off(name: str, fault: Exception) -> Finding:
    """Return the finding for a check that impossible rows made break off."""
    log.error("the audit's %s broke off", name, exc_info=fault)
    return Finding("audit", name, f"broke off: {type(fault).__name__}")


def _batches(rows: Iterator[SealedRow]) -> Iterator[list[SealedRow]]:
    while batch := list(islice(rows, BATCH)):
        yield batch
