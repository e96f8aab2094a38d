"""The web server of one process, with its limits: the same for the embedded default and for production."""

import contextlib
import gc
import logging
import os
import socket
import threading
import time
from argparse import ArgumentTypeError
from collections.abc import Callable

from daphne.endpoints import build_endpoint_description_strings
from django.conf import settings
from django.core.management.base import CommandError
from django.utils.module_loading import import_string

from config.process import exits
from config.process.server import Server
from tables.play.protocol import FRAME_LIMIT

log = logging.getLogger(__name__)

#: Seconds between the server's pings, and until a client that answers none is gone.
PING_INTERVAL, PING_TIMEOUT = 10, 20
#: Seconds that a client's handshake may take: when all come back at once, the last has to wait for the others.
HANDSHAKE = 30
#: Connections that the system keeps for the process while it is busy, or not there yet; it may grant fewer
#: (net.core.somaxconn).
BACKLOG = 4_096
#: Files that a process may have open, where the system lets it, and with how few it says so. Each socket is one.
FILES, FEW_FILES = 65_536, 4_096
#: Seconds that threads have to come to their end once the server has.
LAST_THREADS = 5.0


def serve(host: str, port: int, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, and end in good order; `ready` is called just before it listens.

    CommandError `exits.PORT` where nobody can listen there.
    """
    _allow_many_files()
    server = _server(host, port, ready)
    # What is loaded by now stays: to go through it again and again in search of garbage would halt every table.
    gc.collect()
    gc.freeze()
    server.run()
    if server.refusal:
        raise _not_there(host, port, server.refusal)
    end_within(LAST_THREADS)


def port_number(text: str) -> int:
    """Read the value of a `--port`."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise ArgumentTypeError(f"a port is a whole number from 1 to 65535, not {text[:20]!r}")
    return int(text)


def check_place(host: str, port: int) -> None:
    """Check that somebody can listen there now.

    CommandError `exits.PORT` says why not, before anything else is begun.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except (OSError, UnicodeError) as error:
        raise _not_there(host, port, str(getattr(error, "strerror", None) or error)) from error


def _not_there(host: str, port: int, reason: str) -> CommandError:
    return CommandError(
        f"Nobody can listen on port {port} of {host} ({reason}): stop what listens there, or give another --port"
        " or --host.",
        returncode=exits.PORT,
    )


def end_within(seconds: float) -> None:
    """End the process by then at the latest, whatever its threads wait for.

    The interpreter would wait for them without end: for a database that does not answer, and for a loop that runs no
    longer, as does the thread of a request that was cut off. What they were at is in the database, or undone there.
    """
    threading.Thread(target=_end, args=(seconds,), name="last", daemon=True).start()


def _end(seconds: float) -> None:
    time.sleep(seconds)
    left = [each.name for each in threading.enumerate() if not each.daemon and each is not threading.main_thread()]
    log.warning("the process ends without waiting for %s", ", ".join(left))
    logging.shutdown()
    os._exit(0)


def _server(host: str, port: int, ready: Callable[[], None]) -> Server:
    return Server(
        application=import_string(settings.ASGI_APPLICATION),
        endpoints=[f"{each}:backlog={BACKLOG}" for each in build_endpoint_description_strings(host=host, port=port)],
        ping_interval=PING_INTERVAL,
        ping_timeout=PING_TIMEOUT,
        websocket_handshake_timeout=HANDSHAKE,
        websocket_connect_timeout=HANDSHAKE,
        websocket_max_message_size=2 * FRAME_LIMIT,
        websocket_max_frame_size=2 * FRAME_LIMIT,
        ready_callable=ready,
        verbosity=0,
        server_name="rummy",
    )


def _allow_many_files() -> None:
    """Ask for more files: every socket is one, and many systems begin with room for a thousand."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, wanted), most))
        if max(now, wanted) < FEW_FILES:
            log.warning("this process may have only %s sockets: raise the limit of open files (LimitNOFILE)", wanted)
