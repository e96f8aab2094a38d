"""The channel layer of the embedded default: in memory, and safe to call from any thread."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from channels.layers import InMemoryChannelLayer

#: Longest wait, in seconds, for the serving loop to take a message from another thread.
HANDOVER_TIMEOUT = 5.0


class LoopBoundInMemoryChannelLayer(InMemoryChannelLayer):  # type: ignore[misc]
    """Its queues belong to the loop that receives; a call from any other loop is handed over to that one.

    The stock layer wakes a receiver from the sender's thread, which a running loop does not notice
    until its next timer. Handing the call over wakes it at once.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def new_channel(self, prefix: str = "specific.") -> str:
        self._bind_loop()
        return str(await super().new_channel(prefix))

    async def receive(self, channel: str) -> Any:
        self._bind_loop()
        return await super().receive(channel)

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        await self._on_loop(super().send, channel, message)

    async def group_add(self, group: str, channel: str) -> None:
        await self._on_loop(super().group_add, group, channel)

    async def group_discard(self, group: str, channel: str) -> None:
        await self._on_loop(super().group_discard, group, channel)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        await self._on_loop(super().group_send, group, message)

    async def announce(self, groups: Iterable[str]) -> None:
        """Do nothing: there is no other process that could send anything."""

    async def withdraw(self, groups: Iterable[str]) -> None:
        """Do nothing, as nothing is announced."""

    async def listening_elsewhere(self, groups: Iterable[str]) -> dict[str, int]:
        """Return 0 for each group: there is no other process."""
        return dict.fromkeys(groups, 0)

    def _bind_loop(self) -> None:
        """Bind the queues to the first loop that receives; a closed loop takes its queues with it."""
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.get_running_loop()
            self.channels: dict[str, Any] = {}
            self.groups: dict[str, Any] = {}

    async def _on_loop(self, call: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        loop = self._loop
        if loop is None or loop is asyncio.get_running_loop() or not loop.is_running():
            await call(*arguments)
            return

        async def run() -> None:
            await call(*arguments)

        future = asyncio.run_coroutine_threadsafe(run(), loop)
        await asyncio.wait_for(asyncio.wrap_future(future), HANDOVER_TIMEOUT)
