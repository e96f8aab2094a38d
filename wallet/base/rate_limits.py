"""Limits on tries, counted before each try, so that simultaneous ones count as well."""

import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache as _cache

#: A cache of config/caches.py, which counts a try atomically.
cache: Any = _cache


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit of `tries` for one subject within `seconds` of the first; then none until these are over."""

    name: str
    tries: int
    seconds: int

    def key(self, *subject: object) -> str:
        """Return the key of the counter; it does not reveal the subject. An address in it counts as its `subscriber`."""
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


Counted = tuple[RateLimit, str]


def count_tries(counted: Sequence[Counted]) -> bool:
    """Count one more try under each key in turn; return False where a limit was used up before it.

    Counting stops at a limit that is used up, so that a refused try does not use up the next limits.
    """
    return all(cache.hit(key, limit.seconds) <= limit.tries for limit, key in counted)


def forgive(counted: Sequence[Counted]) -> None:
    """Give the try back: it succeeded and does not count."""
    for _, key in counted:
        cache.give_back(key)


def forget_tries(key: str) -> None:
    """Forget all tries under this key."""
    cache.delete(key)
