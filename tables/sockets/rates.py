"""Token buckets, which limit how often something may happen: frames of a socket, takeovers of a seat, new sockets."""

import threading
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class TokenBucket:
    """A bucket of `burst` tokens at the start; `per_second` more come back each second, never above `burst`."""

    burst: float
    per_second: float
    tokens: float = -1.0
    last: float = 0.0

    def take(self, now: float) -> bool:
        """Take one token, if there is one at `now` (seconds of a monotonic clock); return whether there was."""
        if self.tokens < 0:
            self.tokens, self.last = self.burst, now
        self.tokens = min(self.burst, self.tokens + (now - self.last) * self.per_second)
        self.last = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def give_back(self, part: float) -> None:
        """Give back that part of a token: what it was taken for costs less than was thought."""
        self.tokens = min(self.burst, self.tokens + part)


class Buckets:
    """Token buckets by key, for any thread; beyond `most` of them the one used longest ago is forgotten."""

    def __init__(self, *, burst: float, per_second: float, most: int) -> None:
        self._burst, self._per_second, self._most = burst, per_second, most
        self._buckets: dict[Hashable, TokenBucket] = {}
        self._lock = threading.Lock()

    def take(self, key: Hashable, now: float) -> bool:
        """Take a token from the bucket of that key, as `TokenBucket.take` does."""
        with self._lock:
            bucket = self._buckets.pop(key, None) or TokenBucket(self._burst, self._per_second)
            if len(self._buckets) >= self._most:
                del self._buckets[next(iter(self._buckets))]
            self._buckets[key] = bucket
            return bucket.take(now)
