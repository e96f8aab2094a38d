"""The web server of one process and its limits, the same for the embedded default and for production."""

import contextlib
import gc
import logging
import os
import socket
import sys
import threading
import time
from argparse import ArgumentTypeError
from collections.abc import Callable

from daphne.endpoints import build_endpoint_description_strings
from django.conf import settings
from django.core.management.base import CommandError
from django.utils.module_loading import import_string

from config.process import exits, listening
from config.process.server import Server
from tables.play.protocol import FRAME_LIMIT

log = logging.getLogger(__name__)

#: Seconds between the server's pings, and until a client that does not answer counts as gone.
PING_INTERVAL, PING_TIMEOUT = 10, 20
#: Seconds that a client's handshake may take: when all clients return at once, the last has to wait for the others.
HANDSHAKE = 30
#: The open files that a process requests, each socket being one, and the number below which it logs a warning.
FILES, FEW_FILES = 65_536, 4_096
#: The thresholds of Python's garbage collector. With its default of 700 new objects, it would search all live tables
#: every hundred moves.
GARBAGE = 10_000, 10, 10
#: Seconds that a thread waits for the interpreter before the running one must let go of it. With Python's default of
#: 5 ms the commit of a batch of moves would begin only when the event loop has encoded the frames for all of them; with
#: 1 ms a move beside a flood of sign-ins came after 139 ms at p99, with this after 30.
SWITCH = 0.0001
#: Seconds that threads have to end once the server has stopped.
LAST_THREADS = 5.0


def serve(host: str, port: int, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, then shut down cleanly; call `ready` just before listening.

    CommandError `exits.PORT` if it cannot listen there.
    """
    _allow_many_files()
    server = _server(host, port, ready)
    # The objects loaded by now will stay: searching them for garbage again and again would halt every table.
    # In a web process the collector has been off until here: see manage.py.
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()
    sys.setswitchinterval(SWITCH)
    server.run()
    if server.refusal:
        raise _port_refused(host, port, server.refusal)
    end_within(LAST_THREADS)


def port_number(text: str) -> int:
    """Return the value of `--port` as a number. ArgumentTypeError unless it is a port."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise ArgumentTypeError(f"a port is a whole number from 1 to 65535, not {text[:20]!r}")
    return int(text)


def origin(host: str, port: int) -> str:
    """Return with what the addresses of its pages begin; an address of IPv6 stands in brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def check_port(host: str, port: int) -> None:
    """Check first that this process can listen there. CommandError `exits.PORT` says why not."""
    if listening.is_listening(host, port):
        return
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except (OSError, UnicodeError) as error:
        raise _port_refused(host, port, str(getattr(error, "strerror", None) or error)) from error


def _port_refused(host: str, port: int, reason: str) -> CommandError:
    return CommandError(
        f"Nobody can listen on port {port} of {host} ({reason}): stop what listens there, or give another --port"
        " or --host.",
        returncode=exits.PORT,
    )


def end_within(seconds: float) -> None:
    """End the process after `seconds` at the latest, whatever its threads wait for.

    The interpreter would wait for ever for a thread that waits for a dead database, or for a loop that no longer runs.
    Its transaction is either committed or rolled back by the database.
    """
    threading.Thread(target=_end, args=(seconds,), name="last", daemon=True).start()


def _end(seconds: float) -> None:
    time.sleep(seconds)
    others = (thread for thread in threading.enumerate() if thread is not threading.main_thread())
    unfinished = [thread.name for thread in others if not thread.daemon]
    log.warning("the process ends without waiting for %s", ", ".join(unfinished))
    logging.shutdown()
    os._exit(0)


def _endpoints(host: str, port: int) -> list[str]:
    """Return where to listen, as endpoint descriptions of the library: the socket held there, or a new one."""
    file = listening.hand_over_port(host, port)
    if file is not None:
        return list(build_endpoint_description_strings(file_descriptor=file))
    endpoints = build_endpoint_description_strings(host=host, port=port)
    return [f"{endpoint}:backlog={listening.BACKLOG}" for endpoint in endpoints]


def _server(host: str, port: int, ready: Callable[[], None]) -> Server:
    return Server(
        application=import_string(settings.ASGI_APPLICATION),
        endpoints=_endpoints(host, port),
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
    """Raise the limit of open files: each socket is one, and many systems start with a limit of a thousand."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = FILES if hard_limit == resource.RLIM_INFINITY else min(FILES, hard_limit)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft_limit, limit), hard_limit))
        if max(soft_limit, limit) < FEW_FILES:
            log.warning("this process may have only %s sockets: raise the limit of open files (LimitNOFILE)", limit)
