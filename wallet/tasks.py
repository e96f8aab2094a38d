"""What the wallet does by itself."""

import logging

from celery import shared_task

from wallet.audit import nightly

log = logging.getLogger(__name__)


@shared_task(name="wallet.tasks.audit_books")  # type: ignore[misc,unused-ignore,untyped-decorator]
def audit_books(whole: bool = True) -> int:
    """Audit the books, once a night, and once a week whole; see `nightly.run_nightly`.

    Return the number of differences.
    """
    result = nightly.run_nightly(whole=whole)
    log.log(logging.ERROR if result.differences else logging.INFO, "%s", result)
    return result.differences


@shared_task(name="wallet.tasks.audit_missed")  # type: ignore[misc,unused-ignore,untyped-decorator]
def audit_missed() -> int:
    """Audit the books where the night was missed, as it is wherever the platform does not run all day."""
    return audit_books() if nightly.is_overdue() else 0
