"""The audit: recomputing the books from their transfers, and naming every difference.

Other rooms register checks of their own, see `wallet.base.findings`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError

from wallet.audit import books, chain, closings, links, records, transfers
from wallet.audit.checkpoints import TellCounted, TellProgress, reporting, silent
from wallet.audit.processes import PartReaders, other_processes, read_elsewhere, read_here
from wallet.audit.requests import acknowledged_differences, finding_digest
from wallet.audit.transfers import TransferCheck, aborted, read_together
from wallet.base.findings import REGISTERED_CHECKS, WITHOUT_MONEY, Check, Finding, PartedCheck, stating
from wallet.ledger.prefix import Prefix, skipping
from wallet.ledger.snapshots import snapshot
from wallet.models import Account, Posting, Transfer


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

    `known` are those of the differences that two people have acknowledged; `to_state` is what the trail is to state
    where all is in order, by name.
    """

    accounts: int
    postings: int
    transfers: int
    differences: list[Finding]
    known: list[KnownDifference] = field(default_factory=list)
    to_state: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def new(self) -> list[Finding]:
        """The differences that nobody has acknowledged."""
        acknowledged = {known.finding for known in self.known}
        return [finding for finding in self.differences if finding not in acknowledged]

    @property
    def money(self) -> list[Finding]:
        """Those of the new differences that concern money: they freeze settlement."""
        return [finding for finding in self.new if finding.check not in WITHOUT_MONEY]

    @property
    def verdict(self) -> str:
        """The result of the audit, in words."""
        if not self.differences:
            return "no differences"
        if not self.new:
            return f"clean except {len(self.differences)} acknowledged"
        return f"{len(self.differences)} differences" + (f", {len(self.known)} acknowledged" if self.known else "")


def audit(
    progress: TellProgress | None = None,
    prefix: Prefix | None = None,
    at_end: Callable[[], None] | None = None,
    processes: int | None = 0,
    replay_all: bool = False,
) -> AuditReport:
    """Run every check on one snapshot of the database, while play goes on; return what they find.

    The part of the ledger in `prefix` is skipped: see `wallet.ledger.prefix`. `at_end` is called at the end, on the
    same snapshot. So many other `processes` read the parts of parted checks meanwhile; None: one for each core. With
    `replay_all` no log is taken for granted because it has not changed.
    """
    checks = _with_transfers_together(_checks())
    # Those in parts come last: other processes are reading them meanwhile.
    in_turn = sorted(range(len(checks)), key=lambda place: isinstance(checks[place][1], PartedCheck))
    parted = [check for _, check in checks if isinstance(check, PartedCheck)]
    others, found = other_processes(processes), dict[int, list[Finding]]()
    with (
        snapshot(),
        skipping(prefix, replay_all=replay_all),
        stating() as to_state,
        read_elsewhere(parted, others) as running,
    ):
        for number, place in enumerate(in_turn):
            name, check = checks[place]
            with reporting(progress, number, len(checks), name) as report:
                found[place] = list(_run_check(check, running.get(name), report))
        if at_end is not None:
            at_end()
        differences = [finding for place in range(len(checks)) for finding in found[place]]
        return AuditReport(
            accounts=Account.objects.count(),
            postings=Posting.objects.count(),
            transfers=Transfer.objects.count(),
            differences=differences,
            known=_known(differences),
            to_state=to_state,
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
    transfer_checks: tuple[Check, ...] = (*transfers.ALL, chain.chain, closings.closings)
    return (*transfer_checks, *books.ALL, *records.ALL, *links.ALL, *REGISTERED_CHECKS)


def _with_transfers_together(checks: Sequence[Check]) -> list[tuple[str, Check]]:
    """Return the checks with their names; those of every transfer become one, which reads them once."""
    together = [check for check in checks if isinstance(check, TransferCheck)]
    others = [(check.__name__, check) for check in checks if not isinstance(check, TransferCheck)]
    return [("transfers", lambda: read_together(together)), *others]


def _run_check(check: Check, elsewhere: PartReaders | None = None, report: TellCounted = silent) -> Iterator[Finding]:
    """Yield the findings of the check; that impossible rows abort it is a finding as well."""
    try:
        if isinstance(check, PartedCheck):
            yield from _read_parts(check, read_here(check) if elsewhere is None else elsewhere, report)
        else:
            yield from check()
    except DatabaseError:
        raise
    except Exception as fault:
        yield aborted(check.__name__, fault)


def _read_parts(check: PartedCheck, parts: PartReaders, report: TellCounted) -> Iterator[Finding]:
    results = []
    for number, read in enumerate(parts, start=1):
        findings, result = read()
        yield from findings
        results.append(result)
        report(f"part {number} of {len(parts)}")
    yield from check.finish(results)
