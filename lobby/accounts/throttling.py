"""How many new accounts one address may make, by the page as by the API."""

from django.http import HttpRequest
from rest_framework.views import APIView

from wallet.base.throttling import AddressThrottle


class SignUpThrottle(AddressThrottle):
    """The rate `sign-up`."""

    scope = "sign-up"


def too_many_sign_ups(request: HttpRequest) -> bool:
    """Count this attempt to sign up by the page; True where the address has used up its rate."""
    return not SignUpThrottle().allow_request(request, APIView())  # type: ignore[arg-type]
