"""How often an account or an address may call: counted before the call, so that calls at once count as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit

if TYPE_CHECKING:
    # Views know their throttles before they are there themselves.
    from rest_framework.request import Request
    from rest_framework.views import APIView


class RateThrottle(SimpleRateThrottle):
    """A rate of DEFAULT_THROTTLE_RATES, which no number of calls at the same moment passes."""

    num_requests: int | None
    duration: int | None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count this call; False where the rate is used up, and 429 is the answer."""
        key = self.get_cache_key(request, view)
        if key is None or self.num_requests is None or self.duration is None:
            return True
        limit = RateLimit(str(self.scope), self.num_requests, self.duration)
        return rate_limits.count_tries([(limit, limit.key(key))])

    def wait(self) -> float | None:
        """Return the most seconds until the next call is let through."""
        return self.duration


class AddressThrottle(RateThrottle):
    """By address, whoever is signed in."""

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return str(self.get_ident(request))


class AccountThrottle(RateThrottle, UserRateThrottle):
    """The rate `user`: by account. Who is not signed in is counted by `Stranger` alone."""

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return str(request.user.pk) if request.user.is_authenticated else None


class Stranger(RateThrottle, AnonRateThrottle):
    """The rate `anon`: by address for who is not signed in, so wide that a whole mobile network has room in it."""
