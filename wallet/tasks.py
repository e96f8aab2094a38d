"""The scheduled tasks of the wallet."""

import logging

from celery import shared_task

from wallet.audit import nightly

log = logging.getLogger(__name__)


# Acknowledged at its start: the broker would give an audit that takes longer than its visibility timeout to a second
# worker. One that dies is made up for by `audit_missed`.
@shared_task(acks_late=False)
def audit_books(whole: bool = True) -> int:
    """Audit the books every night, in full once a week (`nightly.run_nightly`); return the number of differences."""
    with nightly.telling() as progress:
        result = nightly.run_nightly(complete=whole, progress=progress)
    log.log(logging.ERROR if result.differences else logging.INFO, "%s", result)
    return result.differences


@shared_task
def audit_missed() -> int:
    """Audit the books if the last night was missed, as on a platform that does not run all day, and no audit runs."""
    return audit_books() if nightly.how_far() is None and nightly.is_overdue() else 0
