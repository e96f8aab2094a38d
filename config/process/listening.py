"""The port of a web process, held from its first moment, so that clients wait while it starts instead of being refused.

After a refusal a page would wait longer than a start takes. Uses only the standard library, since it runs before
anything else is loaded.
"""

import argparse
import contextlib
import socket
from collections.abc import Sequence

#: The address where a web process listens by default.
HOST, PORT = "127.0.0.1", 8000
#: Connections that the system queues for the process while it starts or is busy; it may allow fewer
#: (net.core.somaxconn).
BACKLOG = 4_096

_listeners: dict[tuple[str, int], socket.socket] = {}


def start_listening(arguments: Sequence[str]) -> None:
    """Listen where `serve` with these arguments will; if that is not possible do nothing, since `serve` says why."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--host", default=HOST)
    parser.add_argument("--port", type=int, default=PORT)
    with contextlib.suppress(argparse.ArgumentError, OSError, UnicodeError, OverflowError):
        place, _ = parser.parse_known_args(arguments)
        if 0 < place.port < 1 << 16:
            _listeners[place.host, place.port] = _listen(place.host, place.port)


def is_listening(host: str, port: int) -> bool:
    """Return whether this process listens there already."""
    return (host, port) in _listeners


def hand_over_port(host: str, port: int) -> int | None:
    """Hand over the socket that listens there; return its file descriptor, None if there is none.

    A socket that listens elsewhere is closed.
    """
    listener = _listeners.pop((host, port), None)
    while _listeners:
        _listeners.popitem()[1].close()
    return None if listener is None else listener.detach()


def _listen(host: str, port: int) -> socket.socket:
    # The server can take over only sockets of IPv4.
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
