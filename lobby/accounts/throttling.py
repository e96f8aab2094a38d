"""The limit on new accounts from one address, the same for page and API."""

from django.http import HttpRequest
from rest_framework.views import APIView

from wallet.base.throttling import AddressThrottle


class SignUpThrottle(AddressThrottle):
    """The throttle with the rate `sign-up`."""

    scope = "sign-up"


def too_many_sign_ups(request: HttpRequest) -> bool:
    """Count this attempt to sign up on the page; return whether the address has used up its rate."""
    return not SignUpThrottle().allow_request(request, APIView())  # type: ignore[arg-type]
