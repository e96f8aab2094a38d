"""Counters of attempts and calls: in Redis for all processes together, or in each process while Redis is away."""

import logging
import time
from collections.abc import Callable, Iterable
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
TIMEOUT, PAUSE = 0.5, 5.0
#: Keys that one process keeps for itself: so many names and addresses that those in use are not pushed out.
MOST_COUNTED = 100_000
#: What has run out stays so: a bare DECR would make a key that never does.
DECREMENT_IF_POSITIVE = "if (tonumber(redis.call('get', KEYS[1])) or 0) > 0 then redis.call('decr', KEYS[1]) end"


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


class LocalCounts(LocMemCache):
    """Django's cache in the memory of this process, which counts as `RedisCounts` does."""

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


class RedisCounts(BaseCache):
    """Django's cache in Redis. While Redis does not answer, or has no room, each process counts by itself.

    Then a limit lets through as much in every process as it does in all of them otherwise: nobody is kept out, nobody
    waits, and nothing is unlimited. Only single values are kept; Redis holds more than these, and is never emptied.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._redis = _client(server)
        self._local = LocalCounts("while Redis is away", params)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._redis_or_local(
            lambda: bool(self._redis.add(self._full_key(key, version), value, self._seconds(timeout))),
            lambda: self._local.add(key, value, timeout, version),
        )

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._redis_or_local(
            lambda: self._redis.get(self._full_key(key, version), default),
            lambda: self._local.get(key, default, version),
        )

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """Return those that there are, with one round trip."""
        named = {self._full_key(key, version): key for key in keys}
        if not named:
            return {}
        return self._redis_or_local(
            lambda: {named[name]: value for name, value in self._redis.get_many(list(named)).items()},
            lambda: dict(self._local.get_many(named.values(), version=version)),
        )

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._redis_or_local(
            lambda: self._redis.set(self._full_key(key, version), value, self._seconds(timeout)),
            lambda: self._local.set(key, value, timeout, version),
        )

    def set_many(self, data: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> list[Any]:
        """Set them with one round trip."""
        named = {self._full_key(key, version): value for key, value in data.items()}
        return self._redis_or_local(
            lambda: list(self._redis.set_many(named, self._seconds(timeout)) or ()),
            lambda: list(self._local.set_many(data, timeout, version)),
        )

    def delete(self, key: str, version: int | None = None) -> bool:
        local = self._local.delete(key, version)
        return self._redis_or_local(lambda: bool(self._redis.delete(self._full_key(key, version))), lambda: local)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Count as Django does; what Redis has begun to count is counted from nothing while Redis is away."""
        return self._redis_or_local(
            lambda: int(self._redis.incr(self._full_key(key, version), delta)),
            lambda: self._count_locally(key, delta, version),
        )

    def hit(self, key: str, seconds: int) -> int:
        """Count as `LocalCounts.hit` does, for all processes together: in one step of Redis."""
        name = self._full_key(key, None)
        return self._redis_or_local(lambda: self._hit(name, seconds), lambda: self._local.hit(key, seconds))

    def give_back(self, key: str) -> None:
        """Give back as `LocalCounts.give_back` does."""
        self._redis_or_local(
            lambda: self._redis.get_client(write=True).eval(DECREMENT_IF_POSITIVE, 1, self._full_key(key, None)),
            lambda: self._local.give_back(key),
        )

    def clear(self) -> None:
        self._local.clear()

    def _hit(self, name: str, seconds: int) -> int:
        with self._redis.get_client(write=True).pipeline() as pipeline:
            return int(pipeline.set(name, 0, ex=seconds, nx=True).incr(name).execute()[-1])

    def _redis_or_local(self, in_redis: Callable[[], T], local: Callable[[], T]) -> T:
        if pause.is_over():
            try:
                return in_redis()
            except RedisError as error:
                pause.begin()
                log.warning("Redis does not count: %r; this process counts local for %.0f s", error, PAUSE)
        return local()

    def _count_locally(self, key: str, delta: int, version: int | None) -> int:
        self._local.add(key, 0, version=version)
        return int(self._local.incr(key, delta, version))

    def _full_key(self, key: str, version: int | None) -> str:
        return str(self.make_and_validate_key(key, version=version))

    def _seconds(self, timeout: Any) -> int | None:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else max(0, int(seconds))


@cache
def _client(server: str) -> Any:
    """Share one pool of connections among all threads; one that a restart of Redis has cut is replaced at once."""
    single_retry = Retry(NoBackoff(), 1)
    return RedisCacheClient([server], socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=single_retry)
