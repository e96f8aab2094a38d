"""Reading the transfers once for all checks that look at each: a million rows are read once, not five times."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Protocol

from django.db import DatabaseError

from wallet.audit.checkpoints import counted
from wallet.base.findings import ALTERED, Differences, Finding
from wallet.ledger.hash_chain import LinkedTransfer, every_row
from wallet.ledger.prefix import prefix_end
from wallet.models import Transfer

log = logging.getLogger(__name__)

#: Rows that are passed to the checks together.
BATCH = 5_000


class RunningCheck(Protocol):
    """The state of a check while it reads the transfers after the prefix."""

    def read(self, rows: Sequence[LinkedTransfer]) -> Differences:
        """Yield what is wrong with the next rows, in the order of ids; some may have lost their posting."""

    def finish(self) -> Differences:
        """Yield what is wrong with all rows together."""


class TransferCheck:
    """A check of every transfer. The audit lets all such checks share one reading."""

    def __init__(self, name: str, begin: Callable[[], RunningCheck]) -> None:
        self.__name__ = name
        self.begin = begin

    def __call__(self) -> Differences:
        """Run the check alone."""
        return read_together([self])


def read_together(checks: Iterable[TransferCheck]) -> Differences:
    """Read the transfers once, and yield what the checks find, one check after the other.

    A check that breaks off does not stop the others.
    """
    guarded = [_GuardedCheck(check) for check in checks]
    for rows in _batches(counted(every_row(Transfer.objects.filter(pk__gt=prefix_end())))):
        for check in guarded:
            check.run(lambda running: running.read(rows))  # noqa: B023  called at once
    for check in guarded:
        check.run(lambda running: running.finish())
        yield from check.findings


class _GuardedCheck:
    """A running check and its findings so far; an error in it is a finding, and ends it."""

    def __init__(self, check: TransferCheck) -> None:
        self._check = check
        self._running: RunningCheck | None = None
        self.findings: list[Finding] = []
        with self._guard():
            self._running = check.begin()

    def run(self, step: Callable[[RunningCheck], Differences]) -> None:
        if self._running is not None:
            with self._guard():
                self.findings += step(self._running)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except DatabaseError:
            raise
        except Exception as fault:
            self._running = None
            self.findings.append(aborted(self._check.__name__, fault))


def aborted(name: str, fault: Exception) -> Finding:
    """Return the finding for a check that impossible rows made break off."""
    log.error("the audit's %s broke off", name, exc_info=fault)
    return Finding("audit", name, ALTERED, "rows that can be read", f"some that broke it off: {type(fault).__name__}")


def _batches(rows: Iterator[LinkedTransfer]) -> Iterator[list[LinkedTransfer]]:
    while batch := list(islice(rows, BATCH)):
        yield batch
