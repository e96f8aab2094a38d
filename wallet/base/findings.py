"""What an audit finds, and the checks that other rooms `register`: the wallet knows neither tables nor deals."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` found that something is wrong with `subject`."""

    check: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.subject} {self.message}"


Differences = Iterator[Finding]
Check = Callable[[], Iterable[Finding]]
#: The checks of other rooms, in the order in which an audit runs them after its own.
REGISTERED_CHECKS: list[Check] = []
#: The names of checks whose findings concern no money: an audit names them, and freezes no settlement for them.
WITHOUT_MONEY: set[str] = set()


def register(check: Check) -> Check:
    """Add `check` to every audit. Call it when the app is ready; also a decorator.

    A check returns what it finds wrong. It only reads, and opens no transaction: it runs inside that of the audit.
    """
    if check not in REGISTERED_CHECKS:
        REGISTERED_CHECKS.append(check)
    return check
