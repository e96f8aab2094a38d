"""A socket whose client only listens: it may send a `ping`."""

import time

from tables.sockets.admission import TokenBucket
from tables.sockets.base import POLICY, LiveSocket

#: Frames that a client may send in a burst, and per second.
BURST, PER_SECOND = 20, 2


class ListeningSocket(LiveSocket):
    """The base of the sockets of the lobby and of watchers."""

    async def connect(self) -> None:
        self.bucket = TokenBucket(burst=BURST, per_second=PER_SECOND)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer a `ping` and ignore other frames; close at a flood of them."""
        if not self.bucket.take(time.monotonic()):
            await self.close(POLICY)
        elif text_data is not None and "".join(text_data.split()) == '{"type":"ping"}':
            await self.send_json({"type": "pong", "now": int(time.time() * 1000)})
            await self.heard()

    async def heard(self) -> None:
        """Do nothing more about a sign of life."""
