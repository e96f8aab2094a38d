"""Recompute the books from their transfers and name every difference.

Other apps `register` checks of their own: the wallet knows neither tables nor deals.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import DatabaseError, connection, transaction

from wallet.audit import books, chain, links, records, witnesses
from wallet.audit.books import Finding
from wallet.audit.prefix import taken_for_granted
from wallet.audit.progress import Progress, telling
from wallet.base.unhurried import take_time
from wallet.models import Account, Posting, Transfer
from wallet.witness.acknowledgements import acknowledged_differences, finding_digest
from wallet.witness.pieces import Prefix

__all__ = ["AuditReport", "Check", "Finding", "audit", "register"]

log = logging.getLogger(__name__)

Check = Callable[[], Iterable[Finding]]
_registered: list[Check] = []


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """A difference that two people, by name, have acknowledged under that number, and why."""

    finding: Finding
    number: int
    asked_by: str
    acknowledged_by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What was read, and what about it is not as it must be.

    `known` are those of the differences that two people have acknowledged, by whom and why.
    """

    accounts: int
    postings: int
    transfers: int
    differences: list[Finding]
    known: list[KnownDifference] = field(default_factory=list)

    @property
    def new(self) -> list[Finding]:
        """The differences that nobody has acknowledged."""
        acknowledged = {each.finding for each in self.known}
        return [each for each in self.differences if each not in acknowledged]

    @property
    def verdict(self) -> str:
        """What the audit comes to, in words."""
        if not self.differences:
            return "no differences"
        if not self.new:
            return f"clean except {len(self.differences)} acknowledged"
        return f"{len(self.differences)} differences" + (f", {len(self.known)} acknowledged" if self.known else "")


def register(check: Check) -> Check:
    """Let every audit run `check` too. For an app that is ready; also a decorator.

    A check answers what it finds wrong. It only reads, and opens no transaction: it runs inside the audit's own.
    """
    if check not in _registered:
        _registered.append(check)
    return check


def audit(
    progress: Progress | None = None, prefix: Prefix | None = None, then: Callable[[], None] | None = None
) -> AuditReport:
    """Run every check, all of them on one snapshot of the database, while play goes on; return what they find.

    What `prefix` says is unchanged is taken for granted: see `wallet.audit.prefix`. On the same snapshot `then` is
    called at the end.
    """
    checks = _checks()
    differences: list[Finding] = []
    with snapshot(), taken_for_granted(prefix):
        for done, check in enumerate(checks):
            with telling(progress, done, len(checks), check.__name__):
                differences += _carried_out(check)
        if then is not None:
            then()
        return AuditReport(
            accounts=Account.objects.count(),
            postings=Posting.objects.count(),
            transfers=Transfer.objects.count(),
            differences=differences,
            known=_known(differences),
        )


def _known(differences: list[Finding]) -> list[KnownDifference]:
    acknowledged = acknowledged_differences() if differences else {}
    digests = ((each, finding_digest(each.check, each.subject, each.message)) for each in differences)
    rows = ((each, acknowledged[digest]) for each, digest in digests if digest in acknowledged)
    return [KnownDifference(each, row.pk, str(row.asked_by), str(row.decided_by), row.reason) for each, row in rows]


def _checks() -> tuple[Check, ...]:
    return (*books.ALL, *records.ALL, *witnesses.ALL, chain.chain, *links.ALL, *_registered)


def _carried_out(check: Check) -> Iterator[Finding]:
    """Yield what the check finds; one that breaks off on rows as they cannot be has found something as well."""
    try:
        yield from check()
    except DatabaseError:
        raise
    except Exception as fault:
        log.exception("the audit's %s broke off", check.__name__)
        yield Finding("audit", check.__name__, f"broke off: {type(fault).__name__}")


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every query within see the same commits, and no writer wait. Inside a transaction: that transaction."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            take_time()
            yield
    else:
        # Django's own transactions on SQLite take the writers' lock at once; this one never takes it.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
