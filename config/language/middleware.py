"""The language of a request: that of the account, else of the cookie, else the one that the browser prefers."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

#: The pages of the staff, which are English for everybody.
ENGLISH_ONLY = ("/admin/", "/finance/")


class Language:
    """Middleware that activates the language of a request, and only until it is answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        language = language_of(request)
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = self._get_response(request)
        response.headers.setdefault("Content-Language", language)
        if not request.path_info.startswith(ENGLISH_ONLY):
            patch_vary_headers(response, ["Accept-Language"])
        return response


def language_of(request: HttpRequest) -> str:
    """Return the language in which the request is answered, one of settings.LANGUAGES."""
    if request.path_info.startswith(ENGLISH_ONLY):
        return settings.LANGUAGE_CODE
    preferred = getattr(request.user, "language", "")
    return preferred or translation.get_language_from_request(request)
