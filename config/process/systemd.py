"""Signs of life for systemd, which restarts a process that sends none (Type=notify, WatchdogSec)."""

import contextlib
import socket
from typing import Any

from config import env

#: Seconds between two signs of life, unless systemd wants them more often.
EVERY = 5.0


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
