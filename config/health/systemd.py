"""Signs of life for systemd, which restarts a process that sends none (Type=notify, WatchdogSec).

A worker sends them while it is able to run tasks, even if idle.
"""

import contextlib
import socket
import threading
import time
from typing import Any

from django.db import DatabaseError, connection

from config import env
from config.health import report

#: Seconds between two signs of life, unless systemd wants them more often.
EVERY = 5.0
#: Seconds after which a loop that has not turned counts as hanging.
HANGS_AFTER = 15.0


def notify(message: str) -> None:
    """Send the message to systemd; do nothing if systemd does not listen."""
    address = env.text("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
        client.sendto(message.encode(), "\0" + address[1:] if address.startswith("@") else address)


def every() -> float:
    """Return the seconds between two signs of life: a quarter of systemd's limit (WATCHDOG_USEC), at most EVERY."""
    return min(EVERY, env.integer("WATCHDOG_USEC", 1_000_000_000) / 4_000_000)


def notify_from_loop() -> None:
    """Send a sign of life every `every()` seconds, as long as the event loop of the web server runs."""
    from twisted.internet import reactor

    loop: Any = reactor

    def send_sign() -> None:
        notify("WATCHDOG=1")
        loop.callLater(every(), send_sign)

    loop.callLater(every(), send_sign)


class Watchdog:
    """The watchdog of one worker: it has a thread of the worker's pool send the sign of life.

    So there is none once all threads hang. Nor is there one while the worker's loop hangs, nor while beat sends sweeps
    and no worker ends any, which means that this one receives no tasks.
    """

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer
        self._turned = time.monotonic()

    def start(self) -> None:
        """Start the watchdog if systemd listens."""
        if env.text("NOTIFY_SOCKET"):
            threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def _run(self) -> None:
        while self.look():
            time.sleep(every())

    def look(self) -> bool:
        """Let the pool send a sign, unless the loop hangs; return False once the worker is being stopped."""
        # Without a connection the loop may stand still until the broker is back.
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
    """Send a sign of life to systemd, unless the worker is deaf."""
    if not is_deaf():
        notify("WATCHDOG=1")


def is_deaf() -> bool:
    """Return whether beat sends the sweep and no worker ends it; False if the database does not answer."""
    try:
        parts = {part.name: part for part in report.heartbeats()}
    except DatabaseError:
        return False
    finally:
        if not connection.in_atomic_block:
            connection.close()
    return parts["beat"].ok and not parts["sweep"].ok
