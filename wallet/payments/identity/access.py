"""Which pages there are only while real money is on, and for whom of them afterwards."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import user_passes_test
from django.http import Http404, HttpRequest, HttpResponseBase

from wallet.language import worded_later
from wallet.payments.postings import holds_real_money

#: What a guest reads who asks for anything about money.
NAME_FIRST = worded_later("Money is for players with a name. Sign up first: your chips and your history stay yours.")

View = Callable[..., HttpResponseBase]


def is_guest(user: object) -> bool:
    """Return whether the account has no name of its own yet, and with it nobody who could answer for money."""
    return bool(getattr(user, "is_guest", False))


def has_money_pages(user: Any) -> bool:
    """Return whether the pages of money are there for this user: while it is on, and for whoever has ever had any.

    Switched off again, what they have is still theirs to withdraw.
    """
    return settings.REAL_MONEY or (user.is_authenticated and holds_real_money(user))


def money_page(view: View) -> View:
    """Show the page to the player and nobody else, guests neither; to others there is no such page with money off."""
    return _guarded(view, has_money_pages)


def pay_in_page(view: View) -> View:
    """Show the page as `money_page` does, but to nobody while real money is off: nothing is paid in then."""
    return _guarded(view, lambda _user: settings.REAL_MONEY)


def _guarded(view: View, is_there: Callable[[Any], bool]) -> View:
    for_players = user_passes_test(lambda user: user.is_authenticated and not is_guest(user))(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_there(request.user):
            raise Http404
        return for_players(request, *args, **kwargs)

    return guarded
