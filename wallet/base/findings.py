"""What an audit finds, and the checks that other rooms `register`: the wallet knows neither tables nor deals.

Known cases in which the clock of the database was set back explain rows dated before their predecessors.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any

from django.db import connection

from wallet.base import triggers
from wallet.base.triggers import Trigger


class Fault(StrEnum):
    """What is wrong with what was found, in an auditor's words."""

    MISSING = "missing"
    ALTERED = "altered"
    DUPLICATED = "duplicated"
    UNSIGNED = "not signed"


MISSING, ALTERED, DUPLICATED, UNSIGNED = Fault


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` found that `subject`, which names the row, has the fault: what was `expected`, and what was `found`.

    `found` says what the row holds now, or its digest, so that an acknowledgement covers that and nothing else.
    """

    check: str
    subject: str
    fault: Fault
    expected: str
    found: str

    @property
    def message(self) -> str:
        return f"is {self.fault}; expected: {self.expected}; found: {self.found}"

    @property
    def row(self) -> dict[str, str]:
        """Return the finding as it is stored."""
        return {"check": self.check, "subject": self.subject, "message": self.message}

    def __str__(self) -> str:
        return f"{self.check}: {self.subject} {self.message}"


#: The check of findings that say only that a check broke off at rows that cannot be.
BROKE_OFF = "audit"
Differences = Iterator[Finding]
#: What was expected, and what was found.
ExpectedFound = tuple[str, str]
#: What is at fault, what was expected there, and what was found.
FaultsFound = Iterator[tuple[str, str, str]]
Check = Callable[[], Iterable[Finding]]
#: The checks of other rooms, in the order in which an audit runs them after its own.
REGISTERED_CHECKS: list[Check] = []
#: The names of checks whose findings concern no money: an audit names them, and freezes no settlement for them.
WITHOUT_MONEY: set[str] = set()


Facts = dict[str, Mapping[str, Any]]
#: By name, what the trail is to state where the running audit ends clean.
_to_state: ContextVar[Facts | None] = ContextVar("to_state", default=None)


class PartedCheck:
    """A check in parts that know nothing of each other: the audit may run them in several processes, on one snapshot.

    `read` returns what a part finds and a result for `finish`, which gets those of all parts in order. Parts and
    results can be pickled.
    """

    def __init__(
        self,
        name: str,
        parts: Callable[[], Sequence[Any]],
        read: Callable[[Any], tuple[list[Finding], Any]],
        finish: Callable[[list[Any]], Iterable[Finding]],
    ) -> None:
        self.__name__, self.__module__ = name, read.__module__
        self.parts, self.read, self.finish = parts, read, finish

    def __call__(self) -> Differences:
        """Run all parts, one after the other."""
        reads = [self.read(part) for part in self.parts()]
        yield from (finding for findings, _ in reads for finding in findings)
        yield from self.finish([result for _, result in reads])


def state_when_clean(name: str, facts: Mapping[str, Any]) -> None:
    """Have these facts stated in the trail under that name, where the audit that is running finds all in order."""
    if (all_facts := _to_state.get()) is not None:
        all_facts[name] = facts


@contextmanager
def stating() -> Iterator[Facts]:
    """Collect what the checks within would have stated."""
    facts = Facts()
    token = _to_state.set(facts)
    try:
        yield facts
    finally:
        _to_state.reset(token)


def register(check: Check) -> Check:
    """Add `check` to every audit, once. Call it when the app is ready; also a decorator.

    A check returns what it finds wrong. It only reads, and opens no transaction: it runs inside that of the audit.
    """
    if check not in REGISTERED_CHECKS:
        REGISTERED_CHECKS.append(check)
    return check


def missing_triggers(expected: Iterable[Trigger]) -> Differences:
    """Find those of the triggers that the database lacks, has switched off, or has in another form."""
    for name in triggers.missing(connection, expected):
        yield Finding("trigger", name, Fault.MISSING, "a trigger that refuses changes", "none")


#: Rows dated just before a clock was set back may be this much later than its last known time.
_SLACK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class ClockRollback:
    """One case: a clock showed `ahead`, and `back` a moment later."""

    ahead: datetime
    back: datetime


ClockSource = Callable[[], Iterable[ClockRollback]]

#: What tells of known cases.
CLOCK_SOURCES: list[ClockSource] = []


def excuses(first: datetime, second: datetime) -> bool:
    """Return whether a row dated `first` may precede one dated earlier, `second`, because a clock was set back.

    This excuses only the date, and dates are sealed with the transfers like everything else.
    """
    rollbacks = (case for source in CLOCK_SOURCES for case in source())
    return any(first <= case.ahead + _SLACK and second >= case.back - _SLACK for case in rollbacks)


def in_order(*moments: datetime | None) -> bool:
    """Return whether the known moments follow each other, except where a clock was set back."""
    passed = [moment for moment in moments if moment is not None]
    return all(one <= other or excuses(one, other) for one, other in pairwise(passed))
