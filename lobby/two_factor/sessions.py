"""How long a session lasts, and what one without the second factor may reach."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from lobby.two_factor import services

#: Seconds: staff who do nothing, staff at most, players at most.
STAFF_IDLE, STAFF_MOST, PLAYER_MOST = 30 * 60, 12 * 3600, 30 * 24 * 3600
#: Seconds between two notes that somebody of the staff is still there.
NOTED_EVERY = 60
#: Seconds after a code within which acts about money may begin, and be ended.
FRESH_TO_BEGIN, FRESH_TO_END = 600, 1_200
#: Pages on which money is moved by hand; their lists are read without a fresh code.
MONEY_BY_HAND = ("/admin/wallet/adjustment/", "/admin/gateways/deposit/", "/admin/gateways/withdrawal/")
#: What a session without the second factor may reach.
OPEN = ("/account/code/", "/logout/", "/admin/logout/", "/api/auth/logout/", "/static/", "/favicon.ico")

BEGAN, SEEN, PROVED = "guard_began", "guard_seen", "guard_proved"
NEEDED = {"code": "second_factor_needed", "message": "Sign in with a code of your authenticator as well."}


def begin(request: HttpRequest | None) -> None:
    """Begin the session now, with a password only."""
    session = getattr(request, "session", None)
    if session is not None:
        session[BEGAN] = session[SEEN] = int(time.time())
        session.pop(PROVED, None)


def prove(request: HttpRequest) -> None:
    """The session has the second factor, too, and a new key: what was known of it before opens nothing."""
    request.session.cycle_key()
    request.session[PROVED] = int(time.time())


def is_proved(user: Any, session: Mapping[str, Any] | None) -> bool:
    """Whether the session has the second factor. An authenticator that was removed since proves nothing any more."""
    proved = session.get(PROVED) if session is not None else None
    return proved is not None and services.is_enrolled(user, at=proved + 1)


def admits(user: Any, session: Mapping[str, Any] | None, token: str) -> bool:
    """What sockets demand: of staff a code, be it of the session or of the token's giving out."""
    if not services.needs_code(user):
        return True
    return services.trusts_token(user, token) if token else is_proved(user, session)


class SessionGuard:
    """End sessions that are over, and ask staff for their code before anything else is answered."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith("/static/") and request.user.is_authenticated:
            if _is_over(request):
                logout(request)
            else:
                answer = _asks_for_code(request)
                if answer is not None:
                    return answer
        return self._get_response(request)


def _is_over(request: HttpRequest) -> bool:
    """Whether the session has lasted long enough; where not, that it is in use is noted now and then."""
    now, session = int(time.time()), request.session
    if BEGAN not in session:
        session[BEGAN] = session[SEEN] = now
    staff = getattr(request.user, "is_staff", False)
    if now - session[BEGAN] > (STAFF_MOST if staff else PLAYER_MOST):
        return True
    if staff:
        if now - session[SEEN] > STAFF_IDLE:
            return True
        if now - session[SEEN] >= NOTED_EVERY:
            session[SEEN] = now
    return False


def _asks_for_code(request: HttpRequest) -> HttpResponse | None:
    if not services.needs_code(request.user) or request.path.startswith(OPEN):
        return None
    if is_proved(request.user, request.session) and not _is_stale(request, request.session[PROVED]):
        return None
    if request.path.startswith("/api/"):
        return JsonResponse(NEEDED, status=403)
    back = request.get_full_path() if request.method == "GET" else "/admin/"
    return redirect(f"{reverse('lobby:code')}?{urlencode({'next': back})}")


def _is_stale(request: HttpRequest, proved: int) -> bool:
    """Whether the code is too old for what is asked: moving money by hand wants a fresh one."""
    if not any(request.path.startswith(place) and request.path != place for place in MONEY_BY_HAND):
        return False
    age = int(time.time()) - proved
    return age > (FRESH_TO_BEGIN if request.method == "GET" else FRESH_TO_END)
