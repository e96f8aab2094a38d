"""Which pages there are only while real money is on."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase

View = Callable[..., HttpResponseBase]


def money_page(view: View) -> View:
    """The page for the player and nobody else; there is no such page while real money is off."""
    for_players = login_required(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.REAL_MONEY:
            raise Http404
        return for_players(request, *args, **kwargs)

    return guarded
