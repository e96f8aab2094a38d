"""Counters of attempts and calls: in Redis for all processes together, or in each process while Redis is away."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCacheClient
from redis import RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

T = TypeVar("T")

#: Seconds that Redis may take to answer, and for which it is then not asked again.
PATIENCE, PAUSE = 0.5, 5.0
#: Keys that one process keeps for itself: so many names and addresses that those in use are not pushed out.
MOST_COUNTED = 100_000
#: What has run out stays so: a bare DECR would make a key that never does.
ONE_LESS = "if (tonumber(redis.call('get', KEYS[1])) or 0) > 0 then redis.call('decr', KEYS[1]) end"


class Pause:
    """Whether Redis is worth asking: one for the whole process, since Django makes a cache for every thread."""

    def __init__(self) -> None:
        self._until = 0.0

    def is_over(self) -> bool:
        return time.monotonic() >= self._until

    def begin(self) -> None:
        self._until = time.monotonic() + PAUSE

    def end(self) -> None:
        self._until = 0.0


pause = Pause()


class Alone(LocMemCache):
    """Django's cache in the memory of this process, which counts as `Counting` does."""

    def __init__(self, name: str, params: dict[str, Any]) -> None:
        super().__init__(name, {"max_entries": MOST_COUNTED, **params})

    def hit(self, key: str, seconds: int) -> int:
        """Count one more, and return how many there are; `seconds` after the first, counting begins anew.

        However many count at the same moment, no two are told the same number.
        """
        while True:
            self.add(key, 0, seconds)
            # It may run out between the two.
            with suppress(ValueError):
                return int(self.incr(key))

    def give_back(self, key: str) -> None:
        """Count one less, where there is anything to take away."""
        with suppress(ValueError):
            if self.decr(key) < 0:
                self.delete(key)


class Counting(BaseCache):
    """Django's cache in Redis. While Redis does not answer, or has no room, each process counts by itself.

    Then a limit lets through as much in every process as it does in all of them otherwise: nobody is kept out, nobody
    waits, and nothing is unlimited. Only single values are kept; Redis holds more than these, and is never emptied.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._redis = _client(server)
        self._own = Alone("while Redis is away", params)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._either(
            lambda: bool(self._redis.add(self._named(key, version), value, self._seconds(timeout))),
            lambda: self._own.add(key, value, timeout, version),
        )

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._either(
            lambda: self._redis.get(self._named(key, version), default),
            lambda: self._own.get(key, default, version),
        )

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._either(
            lambda: self._redis.set(self._named(key, version), value, self._seconds(timeout)),
            lambda: self._own.set(key, value, timeout, version),
        )

    def delete(self, key: str, version: int | None = None) -> bool:
        alone = self._own.delete(key, version)
        return self._either(lambda: bool(self._redis.delete(self._named(key, version))), lambda: alone)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Count as Django does; what Redis has begun to count is counted from nothing while Redis is away."""
        return self._either(
            lambda: int(self._redis.incr(self._named(key, version), delta)),
            lambda: self._count_alone(key, delta, version),
        )

    def hit(self, key: str, seconds: int) -> int:
        """Count as `Alone.hit` does, for all processes together: in one step of Redis."""
        return self._either(lambda: self._hit(self._named(key, None), seconds), lambda: self._own.hit(key, seconds))

    def give_back(self, key: str) -> None:
        """Give back as `Alone.give_back` does."""
        self._either(
            lambda: self._redis.get_client(write=True).eval(ONE_LESS, 1, self._named(key, None)),
            lambda: self._own.give_back(key),
        )

    def clear(self) -> None:
        self._own.clear()

    def _hit(self, name: str, seconds: int) -> int:
        with self._redis.get_client(write=True).pipeline() as together:
            return int(together.set(name, 0, ex=seconds, nx=True).incr(name).execute()[-1])

    def _either(self, in_redis: Callable[[], T], alone: Callable[[], T]) -> T:
        if pause.is_over():
            try:
                return in_redis()
            except RedisError as fault:
                pause.begin()
                log.warning("Redis does not count: %r; this process counts alone for %.0f s", fault, PAUSE)
        return alone()

    def _count_alone(self, key: str, delta: int, version: int | None) -> int:
        self._own.add(key, 0, version=version)
        return int(self._own.incr(key, delta, version))

    def _named(self, key: str, version: int | None) -> str:
        return str(self.make_and_validate_key(key, version=version))

    def _seconds(self, timeout: Any) -> int | None:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else max(0, int(seconds))


@cache
def _client(server: str) -> Any:
    """Share one pool of connections among all threads.

    A connection that a restart of Redis has cut is replaced at once.
    """
    once_more = Retry(NoBackoff(), 1)
    return RedisCacheClient([server], socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=once_more)
