"""What answers tell browsers besides their content, pages, files and probes alike; and the names of cookies."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers

#: What a browser could give to pages, and what none of ours asks for.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "browsing-topics", "camera", "display-capture", "geolocation", "gyroscope", "hid",
        "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment",
        "publickey-credentials-get", "serial", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip


class PermissionsPolicy:
    """Middleware: no page, and nothing that it embeds, gets at what the site does not use."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response["Permissions-Policy"] = PERMISSIONS_POLICY
        return response


class PrivateAnswers:
    """Middleware: an answer to somebody signed in, or to a form, is not kept, unless its view says otherwise.

    So after signing out on a shared device, *back* shows nothing of theirs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_private = request.user.is_authenticated or request.method == "POST"
        response = self._get_response(request)
        # The API sets the user here who has sent a token.
        is_private = is_private or request.user.is_authenticated
        if is_private and not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response


def bare_headers(scheme: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer that Django does not make, and that a browser shall show as nothing but text."""
    headers = [
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        (b"permissions-policy", PERMISSIONS_POLICY.encode()),
    ]
    if scheme == "https" and settings.SECURE_HSTS_SECONDS:
        value = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"
        headers.append((b"strict-transport-security", value.encode()))
    return headers


class _CookieMessages(CookieStorage):
    @property
    def cookie_name(self) -> str:  # type: ignore[override]
        return f"{settings.COOKIE_PREFIX}messages"


class Messages(FallbackStorage):
    """Django's storage of messages, with the prefix of the site's cookies before the name of its own."""

    storage_classes = (_CookieMessages, SessionStorage)
