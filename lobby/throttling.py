"""How often one address may try to sign in or up, for pages as for the API."""

from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class SignInThrottle(SimpleRateThrottle):
    """The rate `sign-in`, counted by address whoever is signed in."""

    scope = "sign-in"

    def get_cache_key(self, request: HttpRequest, view: APIView | None) -> str:
        return f"throttle-sign-in-{self.get_ident(request)}"  # type: ignore[arg-type]


def too_many_sign_ups(request: HttpRequest) -> bool:
    """Counts this attempt to sign up by the page; True where the address has used up its rate."""
    return not SignInThrottle().allow_request(request, APIView())  # type: ignore[arg-type]
