"""The audit that a worker runs, and how far it is, for whoever waits for it: nobody asks for a second one meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError

from wallet.audit.checkpoints import Progress
from wallet.base.errors import WalletError

_KEY = "audit:running"
#: Seconds after which an audit that has said nothing more counts as over: its worker has died.
PATIENCE = 900


class HowFar(NamedTuple):
    """The number of finished checks, of all, and the last or running one with its rows."""

    done: int
    of: int
    check: str


def request_audit() -> None:
    """Have a worker audit the books completely. WalletError `audit_running`; `no_worker` without a broker."""
    if not cache.add(_KEY, HowFar(0, 0, "waiting for a worker"), PATIENCE):
        raise WalletError("audit_running", "An audit is running already.")
    try:
        current_app.send_task("wallet.tasks.audit_books", retry=False)
    except OperationalError as fault:
        cache.delete(_KEY)
        raise WalletError(
            "no_worker", "No worker can be asked right now. Please try again in a few minutes."
        ) from fault


@contextmanager
def telling() -> Iterator[Progress]:
    """Yield what tells how far this audit is; afterwards none is running."""
    try:
        yield lambda done, of, check: cache.set(_KEY, HowFar(done, of, check), PATIENCE)
    finally:
        cache.delete(_KEY)


def how_far() -> HowFar | None:
    """Return how far the audit is that runs or waits for a worker; None where there is none."""
    stored = cache.get(_KEY)
    return None if stored is None else HowFar(*stored)
