"""The length of sessions, and the views that a session without the second factor may reach."""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from rest_framework.views import APIView

from lobby.two_factor import services

AnyView = TypeVar("AnyView", bound=Callable[..., Any])

#: Seconds that a session lasts: of idle staff, of staff at most, of players at most.
STAFF_IDLE, STAFF_MOST, PLAYER_MOST = 30 * 60, 12 * 3600, 30 * 24 * 3600
#: Seconds that the session of a guest lasts at most: it is the only access to their account.
GUEST_MOST = 365 * 24 * 3600
#: Seconds between two updates of the time at which a session of staff was last used.
UPDATE_SECONDS = 60
#: Seconds after a code within which a page that moves money may be opened, and its form sent.
FRESH_TO_BEGIN, FRESH_TO_END = 600, 1_200
STARTED_AT, LAST_USED_AT, VERIFIED_AT = "two_factor_began", "two_factor_seen", "two_factor_proved"
#: In the data of a session: the id of the sign-in that began it.
SIGN_IN = "sign_in"
#: In the address of a sign-in page: whoever is led there comes with a session that has ended.
ENDED = "ended"
NEEDED = {"code": "second_factor_needed", "message": "Sign in with a code of your authenticator as well."}


def open_without_code(view: AnyView) -> AnyView:
    """Let a session without the second factor reach this view."""
    view.open_without_code = True  # type: ignore[attr-defined]
    return view


def begin(request: HttpRequest | None) -> None:
    """Start the session now, with a password only."""
    session = getattr(request, "session", None)
    if session is not None:
        session[STARTED_AT] = session[LAST_USED_AT] = int(time.time())
        session.pop(VERIFIED_AT, None)


def keep_signed_in(request: HttpRequest, *, remember: bool) -> None:
    """Set whether the session lasts as long as allowed, or ends with the browser, as on a shared device."""
    request.session.set_expiry(_most(request.user) if remember else 0)


def mark_verified(request: HttpRequest) -> None:
    """Mark the session as having the second factor, under a new session key, so that the old one is useless."""
    request.session.cycle_key()
    request.session[VERIFIED_AT] = int(time.time())


def is_verified(user: Any, session: Mapping[str, Any] | None) -> bool:
    """Return whether the session has the second factor: not where its authenticator was removed since."""
    verified_at = session.get(VERIFIED_AT) if session is not None else None
    return verified_at is not None and services.is_enrolled(user, at=verified_at + 1)


def admits(user: Any, session: Mapping[str, Any] | None, token: str) -> bool:
    """Return whether a socket may open: staff need a code, given for the session or for the token."""
    if not services.needs_code(user):
        return True
    return services.trusts_token(user, token) if token else is_verified(user, session)


def next_address(request: HttpRequest, default: str) -> str:
    """Return the address in `next` of the request if it is one of this site, else the default.

    It begins with a slash or a scheme: `redirect` would take a bare word for the name of a view.
    """
    address = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if is_ours and address.startswith(("/", "http://", "https://")) else default


class SecondFactorMiddleware:
    """Middleware that ends expired sessions, and requires a code of staff before it serves any other view.

    Who is led to sign in since their session has ended is told so there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated and _is_over(request):
            logout(request)
        response = self._get_response(request)
        has_ended = bool(request.COOKIES.get(settings.SESSION_COOKIE_NAME)) and request.session.is_empty()
        if has_ended and _asks_to_sign_in(response):
            response["Location"] += f"&{ENDED}=1"
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Ask for a code instead of calling the view, where one is needed."""
        if getattr(view, "open_without_code", False) or not services.needs_code(request.user):
            return None
        if is_verified(request.user, request.session) and not _is_stale(request, view):
            return None
        return _ask_for_code(request, view)


def _asks_to_sign_in(response: HttpResponseBase) -> bool:
    path, _, query = response.get("Location", "").partition("?")
    return query.startswith("next=") and path in (resolve_url(settings.LOGIN_URL), reverse("admin:login"))


def _is_over(request: HttpRequest) -> bool:
    """Return whether the session has expired; if not, record from time to time that it is in use."""
    now, session = int(time.time()), request.session
    if STARTED_AT not in session:
        session[STARTED_AT] = session[LAST_USED_AT] = now
    if now - session[STARTED_AT] > _most(request.user):
        return True
    if getattr(request.user, "is_staff", False):
        if now - session[LAST_USED_AT] > STAFF_IDLE:
            return True
        if now - session[LAST_USED_AT] >= UPDATE_SECONDS:
            session[LAST_USED_AT] = now
    return False


def _most(user: Any) -> int:
    if getattr(user, "is_staff", False):
        return STAFF_MOST
    return GUEST_MOST if getattr(user, "is_guest", False) else PLAYER_MOST


def _ask_for_code(request: HttpRequest, view: Callable[..., Any]) -> HttpResponse:
    if issubclass(getattr(view, "cls", object), APIView):
        return JsonResponse(NEEDED, status=403)
    next_url = request.get_full_path() if request.method == "GET" else "/admin/"
    return redirect(f"{reverse('lobby:code')}?{urlencode({'next': next_url})}")


def _is_stale(request: HttpRequest, view: Callable[..., Any]) -> bool:
    """Return whether the code is too old for this view; views that move money need a fresh one."""
    if not getattr(view, "needs_fresh_code", False):
        return False
    age: int = int(time.time()) - request.session[VERIFIED_AT]
    return age > (FRESH_TO_BEGIN if request.method == "GET" else FRESH_TO_END)
