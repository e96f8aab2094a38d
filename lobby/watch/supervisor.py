"""Signs of life for systemd, which restarts a process that gives none (Type=notify, WatchdogSec)."""

import contextlib
import socket
from typing import Any

from config import env


def tell(message: str) -> None:
    """Sends it where systemd listens; does nothing where nobody does."""
    address = env.text("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(message.encode(), "\0" + address[1:] if address.startswith("@") else address)


def tell_by_the_loop(every: float = 5.0) -> None:
    """As long as the event loop of the web server turns, a sign of life goes out every so many seconds."""
    from twisted.internet import reactor

    turning: Any = reactor

    def turn() -> None:
        tell("WATCHDOG=1")
        turning.callLater(every, turn)

    turning.callLater(every, turn)
