"""Reading the parts of checks in processes of their own, all on the snapshot of the audit.

Such a process loads this module before Django is set up in it: what knows models is loaded where it is used.
"""

import atexit
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, connection

from wallet.base.findings import REGISTERED_CHECKS, Finding, PartedCheck

if TYPE_CHECKING:
    from wallet.ledger.prefix import Prefix

log = logging.getLogger(__name__)

#: What a part finds, and its result.
PartRead = tuple[list[Finding], Any]
#: How much these processes give way to those that serve players.
_NICENESS = 10
#: A check in fewer parts is read here: a process takes seconds to start, and on a busy machine minutes.
_FEWEST = 2
#: Holds the snapshot of a process open as long as that lives.
_open = ExitStack()
#: Return what each part of a check finds, and its result.
PartReaders = Sequence[Callable[[], PartRead]]


def read_here(check: PartedCheck) -> PartReaders:
    """Return the parts of the check, to be read when they are called."""
    return [partial(check.read, part) for part in check.parts()]


@contextmanager
def read_elsewhere(checks: Iterable[PartedCheck], processes: int) -> Iterator[dict[str, PartReaders]]:
    """Let that many other processes read the checks of several parts; yield these by name, none where it is 0.

    Call it inside the snapshot of the audit.
    """
    from wallet.ledger.prefix import current_prefix
    from wallet.ledger.snapshots import export_snapshot

    if not processes:
        yield {}
        return
    arguments = (str(connection.settings_dict["NAME"]), export_snapshot(), current_prefix(), _NICENESS)
    every = {check.__name__: (check, _parts(check)) for check in checks}
    parted = {name: (check, parts) for name, (check, parts) in every.items() if len(parts) >= _FEWEST}
    if not parted:
        yield {}
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, arguments) as pool:
        try:
            with _without_interruption():
                running: dict[str, PartReaders] = {
                    name: [_sent(pool, check, part) for part in parts] for name, (check, parts) in parted.items()
                }
            yield running
        finally:
            pool.shutdown(cancel_futures=True)


def _parts(check: PartedCheck) -> Sequence[Any]:
    """Return the parts of the check; none where impossible rows abort it, which the audit finds by reading it here."""
    try:
        return check.parts()
    except DatabaseError:
        raise
    except Exception:
        return ()


@contextmanager
def _without_interruption() -> Iterator[None]:
    """Let Ctrl-C wait, also in the processes that are started within: they inherit this, until `_begin`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _sent(pool: ProcessPoolExecutor, check: PartedCheck, part: Any) -> Callable[[], PartRead]:
    """Send the part to another process; return what waits for its result."""
    running = pool.submit(_read, check.__name__, part)

    def wait() -> PartRead:
        try:
            return running.result()
        except BrokenExecutor:
            # Processes that do not start, or are killed, are no difference of the books.
            log.warning("the other processes are gone: this one reads %s", part)
            return check.read(part)

    return wait


def other_processes(wanted: int | None) -> int:
    """Return how many other processes an audit gets, by default one for each core.

    None on SQLite, where only one at a time is served, and within a transaction, which others cannot see.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return 0
    return (os.cpu_count() or 1) if wanted is None else wanted


def _begin(database: str, exported: str, prefix: "Prefix | None", niceness: int) -> None:
    """Open the snapshot of the audit in a process of its own, which gives way to others by so much."""
    import django

    # A terminal sends Ctrl-C to all processes: the audit alone says something of it. Some are started to ignore it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_audit, daemon=True).start()
    os.nice(niceness)
    django.setup()
    from wallet.ledger.prefix import skipping
    from wallet.ledger.snapshots import snapshot

    connection.settings_dict["NAME"] = database
    # One connection is enough.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    atexit.register(_open.close)
    _open.enter_context(snapshot(exported))
    _open.enter_context(skipping(prefix))


def _end_with_audit() -> None:
    """End as soon as the process of the audit is gone: nobody else would ever close the snapshot of this one."""
    audit = parent_process()
    assert audit is not None
    audit.join()
    os._exit(1)


def _read(name: str, part: Any) -> PartRead:
    [check] = [each for each in REGISTERED_CHECKS if isinstance(each, PartedCheck) and each.__name__ == name]
    return check.read(part)
