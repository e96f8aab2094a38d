"""Signs of life for systemd, which restarts a process that gives none (Type=notify, WatchdogSec)."""

import contextlib
import socket

from config import env


def tell(message: str) -> None:
    """Sends it where systemd listens; does nothing where nobody does."""
    address = env.text("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(message.encode(), "\0" + address[1:] if address.startswith("@") else address)
