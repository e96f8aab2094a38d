"""Limits on the pages that one address or account may ask for, and on those that are made at once for visitors."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from config.errors import crowded
from wallet.audit_log.services import client_address
from wallet.base import rate_limits
from wallet.base.errors import TooBusy, TooMany
from wallet.base.rate_limits import RateLimit, WorkLimit

#: Pages for visitors of one address, which a whole mobile network may share: ten a second.
VISITORS = RateLimit("pages-address", 600, 60)
#: Pages for one account: as many as it may call the API.
PLAYERS = RateLimit("pages-account", 240, 60)
#: Pages for visitors that this process makes at once; a flood of them takes no processor and no connection from moves.
PLACES = WorkLimit(at_once=2, waiting=60, patience=10)


class Crowds:
    """Middleware that limits the pages that are read, and makes those for visitors in few threads.

    The API counts its calls itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or request.path.startswith("/api/"):
            return self._get_response(request)
        try:
            return self._page(request)
        except (TooBusy, TooMany) as refusal:
            return crowded(request, refusal)

    def _page(self, request: HttpRequest) -> HttpResponseBase:
        is_visitor = not request.user.is_authenticated
        limit, subject = (VISITORS, client_address(request)) if is_visitor else (PLAYERS, request.user.pk)
        if not rate_limits.count_tries([(limit, limit.key(subject))]):
            raise TooMany(limit.seconds)
        if not is_visitor:
            return self._get_response(request)
        with PLACES.place():
            return self._get_response(request)
