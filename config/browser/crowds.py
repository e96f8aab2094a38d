"""Limits on the pages that one address or account may ask for, and on those that are made at once for visitors."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from config.errors import crowded
from wallet.audit_log.services import client_address
from wallet.base import rate_limits
from wallet.base.errors import TooBusy, TooMany
from wallet.base.rate_limits import RateLimit, WorkLimit, WorkLimits

#: Pages for visitors of one address, which a whole mobile network may share, and for one account: ten a second.
VISITORS, PLAYERS = RateLimit("pages-address", 600, 60), RateLimit("pages-account", 600, 60)
#: Pages, and answers of the API, that this process makes for visitors at once: a flood takes no connections from moves.
PLACES = WorkLimit(at_once=2, waiting=60, patience=10)
#: What visitors send: sign-ins above all, which wait for their hashes without a place.
VISITORS_SEND = WorkLimit(at_once=2, waiting=200, patience=10)
#: The same for one account, or one token: more than a browser with three tables asks for at once.
OWN_PLACES = WorkLimits(at_once=2, waiting=60, patience=10)
#: Addresses of the API that read no token.
_SIGNING_IN = ("/api/auth/signup/", "/api/auth/login/", "/api/auth/token/")


class Crowds:
    """Middleware that limits the pages that are read, and does what visitors ask for in few threads.

    Each thread that works takes its turn at the interpreter, and moves wait for all of these turns. The API counts its
    calls itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        reads = request.method in ("GET", "HEAD")
        try:
            if reads and not request.path.startswith("/api/"):
                _count_page(request)
            account = request.user.pk or _token(request)
            if account and not reads:
                return self._get_response(request)
            with OWN_PLACES.place(account) if account else (PLACES if reads else VISITORS_SEND).place():
                return self._get_response(request)
        except (TooBusy, TooMany) as refusal:
            return crowded(request, refusal)


def _token(request: HttpRequest) -> str:
    """Return the token sent to the API: its sender is no visitor, and one that opens nothing is refused at once.

    Pages take no token, nor does who comes to get one, and the API takes no other word before it: there anybody could
    send one to be no visitor.
    """
    sent = request.headers.get("Authorization", "")
    takes_tokens = request.path.startswith("/api/") and request.path not in _SIGNING_IN
    return sent if takes_tokens and sent.lower().startswith("token ") else ""


def _count_page(request: HttpRequest) -> None:
    is_player = request.user.is_authenticated
    limit, subject = (PLAYERS, request.user.pk) if is_player else (VISITORS, client_address(request))
    if not rate_limits.count_tries([(limit, limit.key(subject))]):
        raise TooMany(limit.seconds)
