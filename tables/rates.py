"""How many frames a socket may send."""

from dataclasses import dataclass


@dataclass(slots=True)
class TokenBucket:
    """`burst` tokens at the start; `per_second` more come back each second, never above `burst`."""

    burst: float
    per_second: float
    tokens: float = -1.0
    last: float = 0.0

    def take(self, now: float) -> bool:
        """True, with one token less, if there was one at `now` (seconds of a monotonic clock)."""
        if self.tokens < 0:
            self.tokens, self.last = self.burst, now
        self.tokens = min(self.burst, self.tokens + (now - self.last) * self.per_second)
        self.last = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True
