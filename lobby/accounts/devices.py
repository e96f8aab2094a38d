"""Devices on which a player has signed in before: there, wrong guesses by others do not keep the player out."""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

#: The name of the cookie, behind the prefix of all.
COOKIE = "device"
_SALT = "lobby.accounts.devices"
#: Seconds for which a device stays known after its last sign-in.
AGE = 180 * 24 * 3600


def known_device(request: HttpRequest | None, username: str) -> str | None:
    """Return the number of the device if somebody has signed in on it under this name, else None."""
    cookie = request.COOKIES.get(f"{settings.COOKIE_PREFIX}{COOKIE}") if request is not None else None
    if cookie is None:
        return None
    try:
        name, number = signing.loads(cookie, salt=_SALT, max_age=AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return str(number) if name == username.strip().lower() else None


def remember(request: HttpRequest, username: str) -> None:
    """Mark the request, so that its answer makes the device known for that name."""
    request.device_for = username.lower()  # type: ignore[attr-defined]


class Devices:
    """Middleware: the answer to a sign-in sets the cookie by which the device is known."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        name = getattr(request, "device_for", None)
        if name is not None:
            response.set_cookie(
                f"{settings.COOKIE_PREFIX}{COOKIE}",
                signing.dumps([name, secrets.token_hex(8)], salt=_SALT), max_age=AGE,
                secure=bool(settings.SESSION_COOKIE_SECURE), httponly=True, samesite="Lax",
            )  # fmt: skip
        return response
