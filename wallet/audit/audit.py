"""The audit: recomputing the books from their transfers, and naming every difference.

Other apps `register` checks of their own: the wallet knows neither tables nor deals.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import DatabaseError, connection, transaction

from wallet.audit import books, chain, links, records, witnesses
from wallet.audit.books import Finding
from wallet.audit.prefix import skipping
from wallet.audit.progress import Progress, reporting
from wallet.audit.transfers import closings, postings
from wallet.audit.transfers.reading import TransferCheck, aborted, read_together
from wallet.base.timeouts import lift_timeouts
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
        acknowledged = {known.finding for known in self.known}
        return [finding for finding in self.differences if finding not in acknowledged]

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
    progress: Progress | None = None, prefix: Prefix | None = None, at_end: Callable[[], None] | None = None
) -> AuditReport:
    """Run every check on one snapshot of the database, while play goes on; return what they find.

    The part of the ledger in `prefix` is skipped: see `wallet.audit.prefix`. `at_end` is called at the end, on the same
    snapshot.
    """
    checks = _with_transfers_together(_checks())
    differences: list[Finding] = []
    with snapshot(), skipping(prefix):
        for number, (name, check) in enumerate(checks):
            with reporting(progress, number, len(checks), name):
                differences += _run_check(check)
        if at_end is not None:
            at_end()
        return AuditReport(
            accounts=Account.objects.count(),
            postings=Posting.objects.count(),
            transfers=Transfer.objects.count(),
            differences=differences,
            known=_known(differences),
        )


def _known(differences: list[Finding]) -> list[KnownDifference]:
    acknowledged = acknowledged_differences() if differences else {}
    known = []
    for finding in differences:
        row = acknowledged.get(finding_digest(finding.check, finding.subject, finding.message))
        if row is not None:
            known.append(KnownDifference(finding, row.pk, str(row.asked_by), str(row.decided_by), row.reason))
    return known


def _checks() -> tuple[Check, ...]:
    transfer_checks: tuple[Check, ...] = (*postings.ALL, chain.chain, closings.closings)
    return (*transfer_checks, *books.ALL, *records.ALL, *witnesses.ALL, *links.ALL, *_registered)


def _with_transfers_together(checks: Sequence[Check]) -> list[tuple[str, Check]]:
    """Return the checks with their names; those of every transfer become one, which reads them once."""
    together = [check for check in checks if isinstance(check, TransferCheck)]
    others = [(check.__name__, check) for check in checks if not isinstance(check, TransferCheck)]
    return [("transfers", lambda: read_together(together)), *others]


def _run_check(check: Check) -> Iterator[Finding]:
    """Yield the findings of the check; that impossible rows abort it is a finding as well."""
    try:
        yield from check()
    except DatabaseError:
        raise
    except Exception as fault:
        yield aborted(check.__name__, fault)


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every query within see the same commits, and block no writer.

    Inside a transaction, or another snapshot, change nothing.
    """
    connection.ensure_connection()
    # On SQLite a snapshot is a transaction that Django does not know of.
    if connection.in_atomic_block or (connection.vendor == "sqlite" and connection.connection.in_transaction):
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            lift_timeouts()
            yield
    else:
        # Django's own transactions on SQLite take the writers' lock at once; this one never takes it.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
