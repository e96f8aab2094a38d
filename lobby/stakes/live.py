"""Reads shared by all lobby sockets of a process: a change is read once, not once for each visitor."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from channels.db import database_sync_to_async

from lobby.stakes import selectors

#: Reads running or just done, by (event loop, stake): when each began, and its task.
_reads: dict[tuple[int, int], tuple[float, asyncio.Task[dict[str, Any] | None]]] = {}


def lobby_snapshot() -> list[dict[str, Any]]:
    """Return every stake on offer, as the API shows it."""
    return selectors.offered()


async def fresh_stakes(changed: Mapping[int, float]) -> dict[int, dict[str, Any] | None]:
    """Return each stake, read after the moment given for it (`time.monotonic()`); None for one no longer on offer."""
    reads = {stake_id: _read_since(stake_id, since) for stake_id, since in changed.items()}
    # Shielded: another socket may be waiting for the same read when this one closes.
    return {stake_id: await asyncio.shield(read) for stake_id, read in reads.items()}


def _read_since(stake_id: int, since: float) -> asyncio.Task[dict[str, Any] | None]:
    key = (id(asyncio.get_running_loop()), stake_id)
    began, read = _reads.get(key, (0.0, None))
    if read is None or began <= since or (read.done() and read.exception() is not None):
        read = asyncio.create_task(database_sync_to_async(_read, thread_sensitive=False)(stake_id))
        _reads[key] = (time.monotonic(), read)
    return read


def _read(stake_id: int) -> dict[str, Any] | None:
    return selectors.offered_among([stake_id]).get(stake_id)
