"""The channel layer in Redis, by which processes push to each other."""

from collections.abc import Mapping
from typing import Any

from channels_redis.pubsub import RedisPubSubChannelLayer

#: So many of a process's last messages are recognised when they come back to it.
MOST_UNDER_WAY = 64
#: What is received in place of a message of one's own: it has no type, so every receiver ignores it.
ECHO: Mapping[str, Any] = {}


class PushLayer(RedisPubSubChannelLayer):  # type: ignore[misc]
    """A channel layer that does not decrypt what this process has sent, and what comes back to it as it does to all."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._under_way: dict[bytes, None] = {}

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
