"""How often something may be tried: counted before it is tried, so that tries at the same moment count as well."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache as _cache

#: One of those in config/caches.py, which count in one step.
cache: Any = _cache


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `tries` for one subject within `seconds` of the first; then none until these are over."""

    name: str
    tries: int
    seconds: int

    def key(self, *subject: object) -> str:
        """Return where the tries are counted; whom it is about cannot be read from it."""
        digest = hashlib.sha256("|".join(map(str, subject)).encode()).hexdigest()
        return f"attempts:{self.name}:{digest}"


Counted = tuple[RateLimit, str]


def count_tries(counted: Sequence[Counted]) -> bool:
    """Count one more try under each key in turn; True where none of them has used up its limit.

    Behind a limit that is used up nothing is counted: what is refused here does not keep others out.
    """
    return all(cache.hit(key, limit.seconds) <= limit.tries for limit, key in counted)


def forgive(counted: Sequence[Counted]) -> None:
    """Forget the try: it was a good one and does not count."""
    for _, key in counted:
        cache.give_back(key)


def forget_tries(key: str) -> None:
    """Forget all tries under this key."""
    cache.delete(key)
