"""The one way to sign in with a name and a password: page, API and admin all come through here."""

import hashlib

from django.contrib.auth import authenticate
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.throttling import BaseThrottle

from lobby.models import Player, SignIn
from wallet.trail.services import address

#: Failures of one name from one address before it has to wait, and the wait in seconds.
FAILURES = 8
COOL_OFF = 300

WRONG = "Name or password is not right."
TOO_MANY = "Too many attempts. Please wait a few minutes and try again."


class SignInRefused(Exception):
    """Not signed in; `code` is `wrong_sign_in` or `too_many_attempts`. Never says whether the name exists."""

    def __init__(self, code: str, message: str, status: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


def checked(
    request: HttpRequest | None, *, username: str, password: str, how: SignIn.How = SignIn.How.SESSION
) -> Player:
    """The player with that name and password. Raises SignInRefused, and after eight failures without asking the hasher.

    The count is kept for a name and an address together: nobody can lock a player out from elsewhere. What fails is
    noted, in the same way whether the name exists or not.
    """
    key = _key(request, username)
    if cache.get(key, 0) >= FAILURES:
        raise SignInRefused("too_many_attempts", TOO_MANY, 429)
    # Argon2 and its like take unlimited text; a limit keeps a megabyte of password from the hasher.
    user = authenticate(request, username=username, password=password) if len(password) <= 128 else None
    if not isinstance(user, Player):
        cache.add(key, 0, timeout=COOL_OFF)
        cache.incr(key)
        note(request, _named(username), how=how, succeeded=False)
        raise SignInRefused("wrong_sign_in", WRONG, 400)
    cache.delete(key)
    return user


def note(request: HttpRequest | None, player_id: int | None, *, how: SignIn.How, succeeded: bool = True) -> None:
    """The sign-in, or the attempt, is kept with the address it came from."""
    client = request.headers.get("user-agent", "") if request is not None else ""
    where = address(request) if request is not None else None
    SignIn.objects.create(player_id=player_id, how=how, succeeded=succeeded, address=where, client=client[:200])


def _named(username: str) -> int | None:
    found = Player.objects.filter(username__iexact=username.strip()[:150].replace("\0", ""))
    return found.values_list("pk", flat=True).first()


def _key(request: HttpRequest | None, username: str) -> str:
    where = BaseThrottle().get_ident(request) if request else "-"  # type: ignore[arg-type]
    digest = hashlib.sha256(f"{username.strip().lower()}|{where}".encode()).hexdigest()
    return f"sign-in:{digest}"
