"""The audit: recomputing the books from their transfers, and naming every difference.

Other apps `register` checks of their own: the wallet knows neither tables nor deals.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import DatabaseError, connection, transaction

from wallet.audit import books, chain, links, records, witnesses
from wallet.audit.books import Finding
from wallet.audit.prefix import taken_for_granted
from wallet.audit.progress import Progress, telling
from wallet.audit.transfers import closings, postings
from wallet.audit.transfers.reading import TransferCheck, broken_off, read_together
from wallet.base.unhurried import take_time
from wallet.models import Account, Posting, Transfer
from wallet.witness.acknowledgements import acknowledged_differences, finding_digest
from wallet.witness.pieces import Prefix

__all__ = ["AuditReport", "Check", "Finding", "audit", "register"]

Check = Callable[[], Iterable[Finding]]
_registered: list[Check] = []


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """A difference that two people have acknowledged: `number` is the id of the acknowledgement."""

    finding: Finding
    number: int
    asked_by: str
    acknowledged_by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The result of an audit: how many rows the books had, and the differences found.

    `known` are those of the differences that two people have acknowledged.
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
        """The result of the audit, in words."""
        if not self.differences:
            return "no differences"
        if not self.new:
            return f"clean except {len(self.differences)} acknowledged"
        return f"{len(self.differences)} differences" + (f", {len(self.known)} acknowledged" if self.known else "")


def register(check: Check) -> Check:
    """Add `check` to every audit. Call it when the app is ready; also a decorator.

    A check returns what it finds wrong. It only reads, and opens no transaction: it runs inside that of the audit.
    """
    if check not in _registered:
        _registered.append(check)
    return check


def audit(
    progress: Progress | None = None, prefix: Prefix | None = None, then: Callable[[], None] | None = None
) -> AuditReport:
    """Run every check on one snapshot of the database, while play goes on; return what they find.

    The part of the ledger in `prefix` is taken for granted: see `wallet.audit.prefix`. `then` is called at the end, on
    the same snapshot.
    """
    checks = _in_passes(_checks())
    differences: list[Finding] = []
    with snapshot(), taken_for_granted(prefix):
        for done, (name, check) in enumerate(checks):
            with telling(progress, done, len(checks), name):
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
    at_each_transfer: tuple[Check, ...] = (*postings.ALL, chain.chain, closings.closings)
    return (*at_each_transfer, *books.ALL, *records.ALL, *witnesses.ALL, *links.ALL, *_registered)


def _in_passes(checks: Sequence[Check]) -> list[tuple[str, Check]]:
    """Return the checks with their names; those that look at every transfer become one."""
    together = [check for check in checks if isinstance(check, TransferCheck)]
    others = [(check.__name__, check) for check in checks if not isinstance(check, TransferCheck)]
    return [("transfers", lambda: read_together(together)), *others]


def _carried_out(check: Check) -> Iterator[Finding]:
    """Yield what the check finds; if impossible rows make it break off, that is a finding as well."""
    try:
        yield from check()
    except DatabaseError:
        raise
    except Exception as fault:
        yield broken_off(check.__name__, fault)


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every query within see the same commits, and block no writer. Inside a transaction, change nothing."""
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
