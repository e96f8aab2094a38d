"""Limits on the sockets that one user and one address may open, counted in memory."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from tables.sockets.rates import TokenBucket
from wallet.base.rate_limits import subscriber

#: Open sockets of one user in one process: tabs of the lobby and of tables together.
PER_USER = 8
#: Open sockets in one process that only watch: the same table, as each is sent every change there, and any table.
WATCHERS, WATCHERS_IN_ALL = 200, 2_000
#: Once this many addresses are known, those without an open socket are forgotten.
KNOWN_ADDRESSES = 10_000


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


def _decrement(counter: Counter[Any], key: Any) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]


def address_of(scope: Mapping[str, Any]) -> str:
    """Return what the client's address, as the outermost layer has found it, is counted by."""
    return subscriber(str((scope.get("client") or ["-"])[0]))
