"""What a loop tells other processes: to which groups it listens, so that they send nothing else."""

import asyncio
import logging
from collections.abc import Collection, Sequence

from channels.layers import get_channel_layer

from tables.sockets.batching import Batcher, Take

log = logging.getLogger(__name__)


class Announcements:
    """The groups that this loop has announced; those that come together are announced by one message.

    Where the channel layer fails, they are announced with the next `settle`.
    """

    def __init__(self) -> None:
        self._announced: set[str] = set()
        self._batches = Batcher[Collection[str]](self._announce)
        #: Whether the channel layer has kept somebody waiting: until it answers, nobody else waits for it.
        self._is_late = False

    async def announce(self, groups: Collection[str], patience: float) -> None:
        """Announce the groups, and wait until that is done, but at most `patience` seconds."""
        if self._announced.issuperset(groups):
            return
        work = asyncio.ensure_future(self._batches.submit(groups))
        work.add_done_callback(_note_failure)
        if not self._is_late:
            done, _ = await asyncio.wait([work], timeout=patience)
            self._is_late = not done

    async def settle(self, groups: Collection[str]) -> None:
        """Withdraw what is announced besides these groups, and announce what is not."""
        gone = self._announced.difference(groups)
        # At once: whoever listens to one of them meanwhile announces it again, after this.
        self._announced -= gone
        if gone:
            await get_channel_layer().withdraw(gone)
        if missing := [group for group in groups if group not in self._announced]:
            await self._batches.submit(missing)

    async def _announce(self, take: Take[Collection[str]]) -> Sequence[None]:
        wanted = take()
        groups = {group for each in wanted for group in each}
        await get_channel_layer().announce(groups)
        self._announced |= groups
        self._is_late = False
        return [None] * len(wanted)


def _note_failure(work: "asyncio.Future[None]") -> None:
    if not work.cancelled() and (fault := work.exception()) is not None:
        log.info("groups could not be announced: %r", fault)
