"""The channel layer in Redis, by which processes push to each other."""

from collections.abc import Mapping
from typing import Any

from channels_redis.pubsub import RedisPubSubChannelLayer

#: So many of a process's last messages are recognised when they come back to it.
MOST_UNDER_WAY = 64
#: What is received in place of a message of one's own: it has no type, so every receiver ignores it.
ECHO: Mapping[str, Any] = {}


class PushLayer(RedisPubSubChannelLayer):  # type: ignore[misc]
    """A channel layer that does nothing for messages that only this process would get.

    It does not decrypt what this process has sent, and what comes back to it as it does to all; and it sends nothing
    to a group where nobody else listens: of a single web process that was a twentieth of all its work.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._under_way: dict[bytes, None] = {}

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send the message to the group, unless only this process listens to it."""
        layer = self._get_layer()
        channel = layer._get_group_channel_name(group)
        if await _listeners(layer._get_shard(channel), channel) > self._own_listeners(channel):
            await layer.group_send(group, message)

    def _own_listeners(self, channel: str) -> int:
        """Return how many loops of this process listen; each has a connection of its own."""
        return sum(channel in layer.groups for layer in list(self._layers.values()))

    def serialize(self, message: dict[str, Any]) -> bytes:
        """Return the message encrypted, and remember it; no two encryptions are alike."""
        sent: bytes = super().serialize(message)
        self._under_way[sent] = None
        if len(self._under_way) > MOST_UNDER_WAY:
            self._under_way.pop(next(iter(self._under_way)), None)
        return sent

    def deserialize(self, message: bytes) -> Mapping[str, Any]:
        """Return the message, or ECHO for one of this process."""
        if message in self._under_way:
            self._under_way.pop(message, None)
            return ECHO
        received: Mapping[str, Any] = super().deserialize(message)
        return received


async def _listeners(shard: Any, channel: str) -> int:
    """Return how many connections listen to the channel."""
    async with shard._lock:
        shard._ensure_redis()
        [(_, count)] = await shard._redis.pubsub_numsub(channel)
    return int(count)
