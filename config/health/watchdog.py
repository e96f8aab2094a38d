"""The watchdog of a worker: a sign of life goes out as long as it can end tasks, whether or not there are any."""

import threading
import time
from typing import Any

from django.db import DatabaseError, connection

from config import env
from config.health import report
from config.process import systemd

#: Seconds after which a loop that has not turned hangs.
HANGS_AFTER = 15.0


class Watchdog:
    """A thread of the worker's pool gives the sign, so that there is none once all of them hang.

    There is none either where the worker's loop stands, or where beat sends the sweep and no worker of all ends it:
    then this one is deaf, too.
    """

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer
        self._turned = time.monotonic()

    def start(self) -> None:
        """Begin, if systemd listens."""
        if env.text("NOTIFY_SOCKET"):
            threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def _run(self) -> None:
        while self.look():
            time.sleep(systemd.every())

    def look(self) -> bool:
        """Ask the pool for a sign, unless the loop hangs; return False once the worker is being stopped."""
        # Without a connection the loop stands by right, until the broker is back.
        if self._consumer.connection is None:
            self._turn()
        self._consumer.hub.call_soon(self._turn)
        if time.monotonic() - self._turned >= HANGS_AFTER:
            return True
        try:
            self._consumer.pool.apply_async(give_sign, callback=lambda _: None)
        except RuntimeError:
            return False
        return True

    def _turn(self) -> None:
        self._turned = time.monotonic()


def give_sign() -> None:
    """Say that the worker lives, unless it is deaf."""
    if not is_deaf():
        systemd.notify("WATCHDOG=1")


def is_deaf() -> bool:
    """Return whether beat sends the sweep and no worker ends it. A database that is away says nothing about workers."""
    try:
        parts = {part.name: part for part in report.heartbeats()}
    except DatabaseError:
        return False
    finally:
        if not connection.in_atomic_block:
            connection.close()
    return parts["beat"].ok and not parts["sweep"].ok
