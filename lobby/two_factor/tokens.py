"""API tokens: those of staff are accepted only if they were issued for a code."""

from typing import Any

from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import PermissionDenied

from lobby.two_factor import services


class GuardedToken(TokenAuthentication):
    def authenticate_credentials(self, key: str) -> Any:
        """Return the user and the token.

        403 `second_factor_needed` for staff whose token was issued for a password alone.
        """
        user, token = super().authenticate_credentials(key)
        if services.needs_code(user) and not services.trusts_token(user, key):
            raise PermissionDenied("Get a new token with a code of your authenticator.", code="second_factor_needed")
        return user, token
