"""Limits counted in memory: on the sockets of a user and an address, and token buckets for whatever may come too often.

Buckets limit the frames of a socket, takeovers of a seat and new sockets.
"""

import threading
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from wallet.base.rate_limits import subscriber

#: Open sockets of one user in one process: tabs of the lobby and of tables together.
PER_USER = 8
#: Open sockets in one process that only watch: the same table, as each is sent every change there, and any table.
WATCHERS, WATCHERS_IN_ALL = 200, 2_000
#: Once this many addresses are known, those without an open socket are forgotten.
KNOWN_ADDRESSES = 10_000


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


class ConnectionLimits:
    """The counts of open sockets. An address may hold `SOCKETS_PER_ADDRESS`, and open a tenth of that each second."""

    def __init__(self) -> None:
        self.open = True
        self._addresses: Counter[str] = Counter()
        self._users: Counter[int] = Counter()
        self._watchers: Counter[int] = Counter()
        self._arrivals: dict[str, TokenBucket] = {}

    def acquire(self, address: str, now: float) -> bool:
        """Count one more socket of the address until `release`, if it may open one at `now` (monotonic seconds).

        Return whether it may.
        """
        if not self.open or self._addresses[address] >= settings.SOCKETS_PER_ADDRESS:
            return False
        if not self._bucket(address).take(now):
            return False
        self._addresses[address] += 1
        return True

    def release(self, address: str) -> None:
        """Count one socket of the address less."""
        _decrement(self._addresses, address)

    def acquire_user(self, user_id: int) -> bool:
        """Count one more socket of the user's until `release_user`, if they may have it; return whether they may."""
        if self._users[user_id] >= PER_USER:
            return False
        self._users[user_id] += 1
        return True

    def release_user(self, user_id: int) -> None:
        """Count one socket of the user less."""
        _decrement(self._users, user_id)

    def acquire_watcher(self, table_id: int) -> bool:
        """Count one more watcher of the table until `release_watcher`, if there is room; return whether there is."""
        if self._watchers[table_id] >= WATCHERS or self._watchers.total() >= WATCHERS_IN_ALL:
            return False
        self._watchers[table_id] += 1
        return True

    def release_watcher(self, table_id: int) -> None:
        """Count one watcher of the table less."""
        _decrement(self._watchers, table_id)

    def _bucket(self, address: str) -> TokenBucket:
        if address not in self._arrivals:
            if len(self._arrivals) >= KNOWN_ADDRESSES:
                self._arrivals = {known: bucket for known, bucket in self._arrivals.items() if self._addresses[known]}
            most = settings.SOCKETS_PER_ADDRESS
            self._arrivals[address] = TokenBucket(burst=most, per_second=most / 10)
        return self._arrivals[address]


#: The open sockets of this process.
connections = ConnectionLimits()


def _decrement(counter: Counter[Any], key: Any) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]


def address_of(scope: Mapping[str, Any]) -> str:
    """Return what the client's address, as the outermost layer has found it, is counted by."""
    return subscriber(str((scope.get("client") or ["-"])[0]))
