"""Findings of the audit by the checks that a test is about, since all of them together take a quarter of a second."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from wallet.audit import audit
from wallet.base.findings import Finding

#: By check: the kinds of finding that it has had so far.
_kinds: defaultdict[str, set[str]] = defaultdict(set)


def found_by(names: Sequence[str]) -> list[Finding]:
    """Return what the checks of these names find, each with what was expected and what was found."""
    found = [each for check in audit._checks() if check.__name__ in names for each in audit._run_check(check)]
    assert [each for each in found if not (each.subject and each.expected and each.found)] == []
    return found


def is_found(kind: str, subject: str = "", message: str = "") -> bool:
    """Return whether the audit finds a difference of that kind with these words in its subject and message.

    The checks are those of the whole audit, but it ends at the first that finds it. Those that have found the kind
    before run first.
    """
    return any(subject in each.subject and message in each.message for each in found_of_kind(kind))


def found_of_kind(kind: str) -> Iterator[Finding]:
    """Yield the findings of that kind, in no certain order, as `is_found` looks for them."""
    checks = audit._with_transfers_together(audit._checks())
    for name, check in sorted(checks, key=lambda each: kind not in _kinds[each[0]]):
        for each in audit._run_check(check):
            _kinds[name].add(each.check)
            if each.check == kind:
                yield each


def assert_clean() -> None:
    """Check that the audit of everything finds nothing."""
    assert audit.audit().differences == []
