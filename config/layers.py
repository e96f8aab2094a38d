"""The channel layers: in memory, safe to call from any thread; and in Redis, by which processes push to each other."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from channels.layers import InMemoryChannelLayer
from channels_redis.pubsub import RedisPubSubChannelLayer, RedisSingleShardConnection
from cryptography.fernet import InvalidToken
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

#: Longest wait, in seconds, for the serving loop to take a message from another thread.
HANDOVER_TIMEOUT = 5.0
#: So many of a process's last messages are recognised when they come back to it.
MOST_UNDER_WAY = 64
#: What is received in place of a message of one's own, or a forged one: without a type, every receiver ignores it.
ECHO: Mapping[str, Any] = {}
#: What every receiver gets once the lost connection of its loop is back: messages may have been lost meanwhile.
BACK: Mapping[str, Any] = {"type": "back"}
#: What stands for it among the messages that are yet to be decrypted: nobody can send that.
_BACK: Any = object()
#: Seconds for which a loop waits for a message before it looks whether it still listens.
QUIET = 5.0


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


class _PatientPubSub(PubSub):
    """A subscription that waits for its messages; asked ten times a second it took 2.5 ms of processor each second."""

    def __init__(self, pool: Any, back: Callable[[], None]) -> None:
        super().__init__(pool)
        self._back = back

    async def on_connect(self, connection: Any) -> None:
        """Subscribe again to all that was subscribed to before the connection was lost, and say so."""
        await super().on_connect(connection)
        if self.channels:
            self._back()

    async def get_message(self, ignore_subscribe_messages: bool = False, timeout: float | None = 0.0) -> Any:
        return await super().get_message(ignore_subscribe_messages, QUIET)


class _Shard(RedisSingleShardConnection):  # type: ignore[misc]
    _pubsub: Any

    def _ensure_redis(self) -> None:
        super()._ensure_redis()
        if not isinstance(self._pubsub, _PatientPubSub):
            # That Redis, or the network, has closed a connection shows at its next use only.
            self._redis.set_retry(Retry(NoBackoff(), 1))
            self._pubsub = _PatientPubSub(self._redis.connection_pool, self._note_back)

    def _note_back(self) -> None:
        for waiting in self.channel_layer.channels.values():
            waiting.put_nowait(_BACK)


class PushLayer(RedisPubSubChannelLayer):  # type: ignore[misc]
    """A layer in Redis whose processes can tell each other which groups they listen to.

    What nobody else listens to need not be encrypted, sent and decrypted by all: of two web processes with tables of
    their own that was a tenth of all their work. Nor does a process decrypt what it has itself sent.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._under_way: dict[bytes, None] = {}

    def _get_layer(self) -> Any:
        """Return the layer of the running loop, whose connections wait for their messages."""
        layer = super()._get_layer()
        if not isinstance(layer._shards[0], _Shard):
            layer._shards = [_Shard(shard.host, layer) for shard in layer._shards]
        return layer

    async def announce(self, groups: Iterable[str]) -> None:
        """Let other processes know that this one listens to the groups; Redis forgets it when the process ends."""
        for shard, channels in self._by_shard(groups).items():
            async with shard._lock:
                new = [channel for channel in channels if channel not in shard._subscribed_to]
                if new:
                    shard._ensure_redis()
                    shard._ensure_receiver()
                    await shard._pubsub.subscribe(*new)
                    shard._subscribed_to.update(new)

    async def withdraw(self, groups: Iterable[str]) -> None:
        """Let other processes know that this one listens to the groups no longer."""
        for shard, channels in self._by_shard(groups).items():
            async with shard._lock:
                old = [channel for channel in channels if channel in shard._subscribed_to]
                if old:
                    await shard._pubsub.unsubscribe(*old)
                    shard._subscribed_to.difference_update(old)

    async def listening_elsewhere(self, groups: Iterable[str]) -> dict[str, int]:
        """Return how many loops of other processes have joined or announced each of the groups."""
        counts: dict[str, int] = {}
        for shard, channels in self._by_shard(groups).items():
            async with shard._lock:
                shard._ensure_redis()
                listening = await shard._redis.pubsub_numsub(*channels)
            for group, channel, (_, count) in zip(channels.values(), channels, listening, strict=True):
                counts[group] = int(count) - self._own_listeners(channel)
        return counts

    def _by_shard(self, groups: Iterable[str]) -> Mapping[Any, dict[str, str]]:
        """Return the groups by the Redis that keeps them, each under the name of its channel there."""
        layer, shards = self._get_layer(), defaultdict[Any, dict[str, str]](dict)
        for group in groups:
            channel = layer._get_group_channel_name(group)
            shards[layer._get_shard(channel)][channel] = group
        return shards

    def _own_listeners(self, channel: str) -> int:
        """Return how many loops of this process listen; each has a connection of its own."""
        return sum(channel in layer._get_shard(channel)._subscribed_to for layer in list(self._layers.values()))

    def serialize(self, message: dict[str, Any]) -> bytes:
        """Return the message encrypted, and remember it; no two encryptions are alike."""
        sent: bytes = super().serialize(message)
        self._under_way[sent] = None
        if len(self._under_way) > MOST_UNDER_WAY:
            self._under_way.pop(next(iter(self._under_way)), None)
        return sent

    def deserialize(self, message: bytes) -> Mapping[str, Any]:
        """Return the message, or ECHO for one of this process, and for one that no process of ours has made."""
        if message is _BACK:
            return BACK
        if message in self._under_way:
            self._under_way.pop(message, None)
            return ECHO
        try:
            received: Mapping[str, Any] = super().deserialize(message)
        except InvalidToken:
            # Made by nobody who has a key of this installation.
            return ECHO
        return received
