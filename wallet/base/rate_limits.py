"""Limits on tries, counted before each try, so that simultaneous ones count as well; and on work done at once.

The throttles of the API, which the settings name, count by the same limits.
"""

from __future__ import annotations

import hashlib
import ipaddress
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from django.core.cache import cache as _cache
from django.db import connection
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from wallet.base.errors import TooBusy

if TYPE_CHECKING:
    # At run time this would be circular: `views` loads the throttles named in the settings.
    from rest_framework.request import Request
    from rest_framework.views import APIView

#: A cache of config/caches.py, which counts a try atomically.
cache: Any = _cache


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit of `tries` for one subject within `seconds` of the first; then none until these are over."""

    name: str
    tries: int
    seconds: int

    def key(self, *subject: object) -> str:
        """Return the key of the counter, which does not reveal the subject; addresses count as `subscriber`."""
        digest = hashlib.sha256("|".join(subscriber(str(each)) for each in subject).encode()).hexdigest()
        return f"attempts:{self.name}:{digest}"


def subscriber(address: str) -> str:
    """Return what the address is counted by: of IPv6 its /64, of which a subscriber has every address; else itself.

    Anything that is no address is returned as it is.
    """
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))


LimitedKey = tuple[RateLimit, str]


def count_tries(counted: Sequence[LimitedKey]) -> bool:
    """Count one more try under each key in turn; return False where a limit was used up before it.

    Counting stops at a limit that is used up, so that a refused try does not use up the next limits.
    """
    return all(cache.hit(key, limit.seconds) <= limit.tries for limit, key in counted)


def forgive(counted: Sequence[LimitedKey]) -> None:
    """Give the try back: it succeeded and does not count."""
    for _, key in counted:
        cache.give_back(key)


def forget_tries(key: str) -> None:
    """Forget all tries under this key."""
    cache.delete(key)


class RateThrottle(SimpleRateThrottle):
    """A rate of DEFAULT_THROTTLE_RATES, which simultaneous calls cannot exceed either."""

    num_requests: int | None
    duration: int | None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count this call; return False where the rate is used up, for a 429."""
        key = self.get_cache_key(request, view)
        if key is None or self.num_requests is None or self.duration is None:
            return True
        limit = RateLimit(str(self.scope), self.num_requests, self.duration)
        return count_tries([(limit, limit.key(key))])

    def wait(self) -> float | None:
        """Return the most seconds until the next call is allowed."""
        return self.duration


class AddressThrottle(RateThrottle):
    """A throttle that counts by address, also for signed-in users."""

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return str(self.get_ident(request))


class AccountThrottle(RateThrottle, UserRateThrottle):
    """The rate `user`: by account. Calls without an account are counted by `AnonymousThrottle` alone."""

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return str(request.user.pk) if request.user.is_authenticated else None


class AnonymousThrottle(RateThrottle, AnonRateThrottle):
    """The rate `anon`: by address for calls without an account; high enough for a whole mobile network."""

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return None if request.user.is_authenticated else str(self.get_ident(request))


class _Held(threading.local):
    """The places that this thread holds, the last of them at the end."""

    def __init__(self) -> None:
        self.places: list[threading.BoundedSemaphore] = []


_held = _Held()


@contextmanager
def place_left() -> Iterator[None]:
    """Let others have this thread's place during the block, in which it only waits, and wait for one again after it.

    Within a transaction it keeps the place: others could wait for its locks in all of them.
    """
    left = _held.places[-1] if _held.places and not connection.in_atomic_block else None
    if left is None:
        yield
        return
    left.release()
    try:
        yield
    finally:
        left.acquire()


class WorkLimit:
    """A limit on the threads of this process that do one kind of work at once, and on those that wait to do it."""

    def __init__(self, *, at_once: int, waiting: int, patience: float) -> None:
        self._patience = patience
        self._places = threading.BoundedSemaphore(at_once)
        self._admitted = threading.BoundedSemaphore(at_once + waiting)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Do the work of the block in a place of its own; who waits for one holds no database connection meanwhile.

        TooBusy at once where too many wait already, and after `patience` seconds.
        """
        if not self._admitted.acquire(blocking=False):
            raise TooBusy
        try:
            if not self._places.acquire(blocking=False):
                if not connection.in_atomic_block:
                    connection.close()
                if not self._places.acquire(timeout=self._patience):
                    raise TooBusy
            _held.places.append(self._places)
            try:
                yield
            finally:
                _held.places.pop()
                self._places.release()
        finally:
            self._admitted.release()


class WorkLimits:
    """A `WorkLimit` for each subject, as long as anybody does its work or waits to do it."""

    def __init__(self, *, at_once: int, waiting: int, patience: float) -> None:
        self._make = partial(WorkLimit, at_once=at_once, waiting=waiting, patience=patience)
        self._of: WeakValueDictionary[object, WorkLimit] = WeakValueDictionary()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, subject: object) -> Iterator[None]:
        """Do the work of the block in a place of the subject, as `WorkLimit.place` does."""
        with self._lock:
            limit = self._of.setdefault(subject, self._make())
        with limit.place():
            yield
