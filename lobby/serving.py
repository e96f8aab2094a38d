"""The web server of one process, with its limits: the same for the embedded default and for production."""

import contextlib
from collections.abc import Callable

from daphne.endpoints import build_endpoint_description_strings
from django.conf import settings
from django.utils.module_loading import import_string

from tables.protocol import FRAME_LIMIT
from tables.server import Server

#: Seconds between the server's pings, and until a client that answers none is gone.
PING_INTERVAL, PING_TIMEOUT = 10, 20
#: Files that a process may have open, where the system lets it.
FILES = 65_536


def server(host: str, port: int, ready: Callable[[], None]) -> Server:
    """A server that listens once it runs; `ready` is called just before. It ends in good order on SIGTERM or SIGINT."""
    _allow_many_files()
    return Server(
        application=import_string(settings.ASGI_APPLICATION),
        endpoints=build_endpoint_description_strings(host=host, port=port),
        ping_interval=PING_INTERVAL,
        ping_timeout=PING_TIMEOUT,
        websocket_max_message_size=2 * FRAME_LIMIT,
        websocket_max_frame_size=2 * FRAME_LIMIT,
        ready_callable=ready,
        verbosity=0,
        server_name="rummy",
    )


def _allow_many_files() -> None:
    """Every socket is a file, and many systems begin with room for a thousand; more is had for the asking."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, wanted), most))
