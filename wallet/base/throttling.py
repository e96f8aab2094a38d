"""Rate limits of the API by account and by address, counted before each call, so that simultaneous ones count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit

if TYPE_CHECKING:
    # At run time this would be circular: `views` loads the throttles named in the settings.
    from rest_framework.request import Request
    from rest_framework.views import APIView


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
        return rate_limits.count_tries([(limit, limit.key(key))])

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
