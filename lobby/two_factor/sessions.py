"""How long a session lasts, and what one without the second factor may reach."""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.views import APIView

from lobby.two_factor import services

View = TypeVar("View", bound=Callable[..., Any])

#: Seconds: staff who do nothing, staff at most, players at most.
STAFF_IDLE, STAFF_MOST, PLAYER_MOST = 30 * 60, 12 * 3600, 30 * 24 * 3600
#: Seconds at most of a guest, whose session is the only key to what they have.
GUEST_MOST = 365 * 24 * 3600
#: Seconds between two notes that somebody of the staff is still there.
NOTED_EVERY = 60
#: Seconds after a code within which acts about money may begin, and be ended.
FRESH_TO_BEGIN, FRESH_TO_END = 600, 1_200
BEGAN, SEEN, PROVED = "guard_began", "guard_seen", "guard_proved"
NEEDED = {"code": "second_factor_needed", "message": "Sign in with a code of your authenticator as well."}


def open_without_code(view: View) -> View:
    """Let a session without the second factor reach this view."""
    view.open_without_code = True  # type: ignore[attr-defined]
    return view


def begin(request: HttpRequest | None) -> None:
    """Begin the session now, with a password only."""
    session = getattr(request, "session", None)
    if session is not None:
        session[BEGAN] = session[SEEN] = int(time.time())
        session.pop(PROVED, None)


def keep_signed_in(request: HttpRequest, *, kept: bool) -> None:
    """Let the session last as long as sessions may, or end with the browser, as on a device that others use."""
    request.session.set_expiry(_most(request.user) if kept else 0)


def prove(request: HttpRequest) -> None:
    """Give the session the second factor and a new key: what was known of it before opens nothing."""
    request.session.cycle_key()
    request.session[PROVED] = int(time.time())


def is_proved(user: Any, session: Mapping[str, Any] | None) -> bool:
    """Return whether the session has the second factor.

    An authenticator that was removed since proves nothing any more.
    """
    proved = session.get(PROVED) if session is not None else None
    return proved is not None and services.is_enrolled(user, at=proved + 1)


def admits(user: Any, session: Mapping[str, Any] | None, token: str) -> bool:
    """Demand of sockets of the staff a code, be it of the session or of the token's giving out."""
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
        if request.user.is_authenticated and _is_over(request):
            logout(request)
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Ask for a code instead of the view, where one is needed. Django calls this once it knows the view."""
        if getattr(view, "open_without_code", False) or not services.needs_code(request.user):
            return None
        if is_proved(request.user, request.session) and not _is_stale(request, view):
            return None
        return _ask_for_code(request, view)


def _is_over(request: HttpRequest) -> bool:
    """Return whether the session has lasted long enough; where not, that it is in use is noted now and then."""
    now, session = int(time.time()), request.session
    if BEGAN not in session:
        session[BEGAN] = session[SEEN] = now
    if now - session[BEGAN] > _most(request.user):
        return True
    if getattr(request.user, "is_staff", False):
        if now - session[SEEN] > STAFF_IDLE:
            return True
        if now - session[SEEN] >= NOTED_EVERY:
            session[SEEN] = now
    return False


def _most(user: Any) -> int:
    if getattr(user, "is_staff", False):
        return STAFF_MOST
    return GUEST_MOST if getattr(user, "is_guest", False) else PLAYER_MOST


def _ask_for_code(request: HttpRequest, view: Callable[..., Any]) -> HttpResponse:
    if issubclass(getattr(view, "cls", object), APIView):
        return JsonResponse(NEEDED, status=403)
    back = request.get_full_path() if request.method == "GET" else "/admin/"
    return redirect(f"{reverse('lobby:code')}?{urlencode({'next': back})}")


def _is_stale(request: HttpRequest, view: Callable[..., Any]) -> bool:
    """Return whether the code is too old for what is asked: moving money by hand wants a fresh one."""
    if not getattr(view, "needs_fresh_code", False):
        return False
    age: int = int(time.time()) - request.session[PROVED]
    return age > (FRESH_TO_BEGIN if request.method == "GET" else FRESH_TO_END)
