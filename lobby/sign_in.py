"""The one way to sign in with a name and a password: page, API and admin all come through here."""

import hashlib

from django.contrib.auth import authenticate
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.throttling import BaseThrottle

from lobby.models import Player

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


def checked(request: HttpRequest | None, *, username: str, password: str) -> Player:
    """The player with that name and password. Raises SignInRefused, and after eight failures without asking the hasher.

    The count is kept for a name and an address together: nobody can lock a player out from elsewhere.
    """
    key = _key(request, username)
    if cache.get(key, 0) >= FAILURES:
        raise SignInRefused("too_many_attempts", TOO_MANY, 429)
    # Argon2 and its like take unlimited text; a limit keeps a megabyte of password from the hasher.
    user = authenticate(request, username=username, password=password) if len(password) <= 128 else None
    if not isinstance(user, Player):
        cache.add(key, 0, timeout=COOL_OFF)
        cache.incr(key)
        raise SignInRefused("wrong_sign_in", WRONG, 400)
    cache.delete(key)
    return user


def _key(request: HttpRequest | None, username: str) -> str:
    where = BaseThrottle().get_ident(request) if request else "-"  # type: ignore[arg-type]
    digest = hashlib.sha256(f"{username.strip().lower()}|{where}".encode()).hexdigest()
    return f"sign-in:{digest}"
