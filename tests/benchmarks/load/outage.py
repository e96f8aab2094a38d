"""The cost of silent sockets, and the time until players are back after their web process is killed."""

import asyncio
import random
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from tests.benchmarks.load.clients import LoadTable
from tests.benchmarks.load.processes import Embedded, Production, by_kind, processor_seconds
from tests.benchmarks.load.sockets import Socket, connect

#: Seconds between two tries of a page: the first, the longest, and what each has at least. See static/js/table/net/.
_FIRST, _LONGEST, _LEAST = 0.4, 1.5, 0.15
#: Seconds that a client waits for its table.
_PATIENCE = 30


async def idle(installation: Production | Embedded, tables: Sequence[LoadTable], seconds: float) -> dict[str, Any]:
    """Return the cores that each kind of process takes while nobody says anything for so long."""
    kinds = by_kind(installation)
    before, began = processor_seconds(kinds), perf_counter()
    await asyncio.sleep(seconds)
    after, lasted = processor_seconds(kinds), perf_counter() - began
    closed = sum(socket.closed is not None for table in tables for socket in table.sockets)
    return {
        "closed_sockets": closed,
        "cores": {kind: round((after[kind] - before[kind]) / lasted, 3) for kind in kinds},
    }


async def recover(installation: Production, seated: Sequence[tuple[int, list[str]]]) -> list[float]:
    """Kill the first web process and start it again at once; return when each of its clients saw their table, in s.

    They come back as the page does, to the process that they were at.
    """
    name, port = "web0", installation.ports[0]
    killed = perf_counter()
    installation.kill(name)
    installation.run(name, ["manage.py", "serve", "--port", str(port)])
    cut = [(table, key) for table, keys in seated[:: len(installation.ports)] for key in keys]
    sockets = await asyncio.gather(*(_return(port, table, key) for table, key in cut))
    for socket, _ in sockets:
        socket.abort()
    return [moment - killed for _, moment in sockets]


async def _return(port: int, table: int, key: str) -> tuple[Socket, float]:
    tries = 0
    while True:
        await asyncio.sleep(_LEAST + random.random() * min(_LONGEST, _FIRST * 2**tries))
        tries += 1
        shown = asyncio.Event()

        def hear(text: bytes, shown: asyncio.Event = shown) -> None:
            if text.startswith(b'{"type":"state"'):
                shown.set()

        try:
            socket = await connect(port, f"/ws/tables/{table}/", key, hear)
            socket.send(b'{"type":"ping"}')
            await asyncio.wait_for(shown.wait(), _PATIENCE)
            return socket, perf_counter()
        except (OSError, TimeoutError):
            continue
