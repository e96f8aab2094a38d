"""Devices on which a player has signed in before: others' guesses at their name do not keep them out on these."""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

COOKIE = "device"
_SALT = "lobby.accounts.devices"
#: Seconds for which a device stays known after its last sign-in.
AGE = 180 * 24 * 3600


def known(request: HttpRequest | None, username: str) -> str | None:
    """Return the device's own number where somebody has signed in on it under this name, None elsewhere."""
    if request is None or COOKIE not in request.COOKIES:
        return None
    try:
        name, number = signing.loads(request.COOKIES[COOKIE], salt=_SALT, max_age=AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return str(number) if name == username.strip().lower() else None


def remember(request: HttpRequest, username: str) -> None:
    """Let the answer to this request make the device known for that name."""
    request.device_of = username.lower()  # type: ignore[attr-defined]


class Devices:
    """Give the browser its cookie with the answer in which somebody signs in."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self._get_response(request)
        name = getattr(request, "device_of", None)
        if name is not None:
            answer.set_cookie(
                COOKIE, signing.dumps([name, secrets.token_hex(8)], salt=_SALT), max_age=AGE,
                secure=bool(settings.SESSION_COOKIE_SECURE), httponly=True, samesite="Lax",
            )  # fmt: skip
        return answer
