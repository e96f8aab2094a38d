"""Access to the pages of real money, while it is on and afterwards."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import user_passes_test
from django.http import Http404, HttpRequest, HttpResponseBase

from wallet.language import worded_later
from wallet.payments.postings import holds_real_money

#: The message to guests who request a page or endpoint of real money.
NAME_FIRST = worded_later("Money is for players with a name. Sign up first: your chips and your history stay yours.")

View = Callable[..., HttpResponseBase]


def is_guest(user: object) -> bool:
    """Return whether the account is a guest's: without a name, nobody could answer for its money."""
    return bool(getattr(user, "is_guest", False))


def has_money_pages(user: Any) -> bool:
    """Return whether this user sees the pages of real money: while it is on, or if they have ever had any.

    After it is switched off, players can still withdraw their money.
    """
    return settings.REAL_MONEY or (user.is_authenticated and holds_real_money(user))


def money_page(view: View) -> View:
    """Show the page to signed-in players, not to guests; while real money is off, 404 for all who never had any."""
    return _guarded(view, has_money_pages)


def pay_in_page(view: View) -> View:
    """Guard the page as `money_page` does, and hide it from all while real money is off: nobody can pay in then."""
    return _guarded(view, lambda _user: settings.REAL_MONEY)


def _guarded(view: View, is_there: Callable[[Any], bool]) -> View:
    for_players = user_passes_test(lambda user: user.is_authenticated and not is_guest(user))(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_there(request.user):
            raise Http404
        return for_players(request, *args, **kwargs)

    return guarded
