"""Which pages there are only while real money is on."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import user_passes_test
from django.http import Http404, HttpRequest, HttpResponseBase

#: What a guest reads who asks for anything about money.
NAME_FIRST = "Money is for players with a name. Sign up first: your chips and your history stay yours."

View = Callable[..., HttpResponseBase]


def is_guest(user: object) -> bool:
    """Return whether the account has no name of its own yet, and with it nobody who could answer for money."""
    return bool(getattr(user, "is_guest", False))


def money_page(view: View) -> View:
    """Show the page to the player and nobody else, guests neither; there is no such page while real money is off."""
    for_players = user_passes_test(lambda user: user.is_authenticated and not is_guest(user))(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.REAL_MONEY:
            raise Http404
        return for_players(request, *args, **kwargs)

    return guarded
