"""API tokens: those of staff are accepted only if they were issued for a code."""

from typing import Any

from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied

from lobby.two_factor import services
from wallet.keys import api_tokens


class SecondFactorTokenAuthentication(TokenAuthentication):
    def authenticate_credentials(self, key: str) -> Any:
        """Return the user and the row of the token.

        403 `second_factor_needed` for staff whose token was issued for a password alone.
        """
        token = api_tokens.row_of(key)
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("Invalid token.")
        user = token.user
        if services.needs_code(user) and not services.trusts_token(user, token.key):
            raise PermissionDenied("Get a new token with a code of your authenticator.", code="second_factor_needed")
        return user, token
