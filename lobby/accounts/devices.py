"""Devices on which a player has signed in before: there, wrong guesses by others do not keep the player out."""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from lobby.accounts.models import Player
from lobby.accounts.names import tidy

#: The name of the cookie, behind the prefix of all.
COOKIE = "device"
_SALT = "lobby.accounts.devices"
#: Seconds for which a device stays known after its last sign-in.
AGE = 180 * 24 * 3600


def known_device(request: HttpRequest | None, username: str) -> str | None:
    """Return the number of the device if the player of this name has signed in on it with their password of now.

    None otherwise: a new password, or a closed account, makes the device an unknown one.
    """
    known = _read(request)
    return known[1] if known is not None and known[0].username.lower() == tidy(username.strip()).lower() else None


def player_known_on(request: HttpRequest) -> Player | None:
    """Return the player who has signed in last on this device, with their password of now."""
    known = _read(request)
    return known[0] if known is not None else None


def remember(request: HttpRequest, player: Player) -> None:
    """Mark the request, so that its answer makes the device known for that player."""
    request.device_for = player  # type: ignore[attr-defined]


class Devices:
    """Middleware: the answer to a sign-in sets the cookie by which the device is known."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        player = getattr(request, "device_for", None)
        if player is not None:
            response.set_cookie(
                f"{settings.COOKIE_PREFIX}{COOKIE}",
                signing.dumps([player.pk, player.password_mark, secrets.token_hex(8)], salt=_SALT), max_age=AGE,
                secure=bool(settings.SESSION_COOKIE_SECURE), httponly=True, samesite="Lax",
            )  # fmt: skip
        return response


def _read(request: HttpRequest | None) -> tuple[Player, str] | None:
    """Return the player of the cookie and the number of the device; None where it is not, or no longer, valid."""
    cookie = request.COOKIES.get(f"{settings.COOKIE_PREFIX}{COOKIE}") if request is not None else None
    if cookie is None:
        return None
    try:
        player_id, proof, number = signing.loads(cookie, salt=_SALT, max_age=AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    player = Player.objects.filter(pk=player_id, is_active=True).first()
    return (player, str(number)) if player and constant_time_compare(player.password_mark, str(proof)) else None
