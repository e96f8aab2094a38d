"""The language of a request (the account's, else the cookie's, else the browser's), and the scripts' texts in it."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import JavaScriptCatalog, set_language

from lobby.accounts.models import Player
from lobby.two_factor.sessions import open_without_code

#: The pages of the staff, which are English for everybody.
ENGLISH_ONLY = ("/admin/", "/finance/")
#: Seconds that a browser may store a catalogue, whose address contains its version.
_YEAR_SECONDS = 31_536_000


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


@open_without_code
@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Store the language in the cookie and, for a signed-in user, in the account; redirect to the previous page."""
    language = request.POST.get("language", "")
    if isinstance(request.user, Player) and language in dict(settings.LANGUAGES):
        Player.objects.filter(pk=request.user.pk).update(language=language)
    return set_language(request)


class _ScriptTexts(JavaScriptCatalog):
    """The catalogue of the scripts' texts, without those of Django's own pages."""

    def get_paths(self, packages: Sequence[str]) -> list[str]:
        return [str(path) for path in settings.LOCALE_PATHS]


@open_without_code
@require_safe
@cache_control(max_age=_YEAR_SECONDS, public=True, immutable=True)
def words(request: HttpRequest, language: str) -> HttpResponseBase:
    """Return the scripts' texts in that language, as a script that defines gettext. 404 for other languages."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with translation.override(language):
        return _ScriptTexts.as_view(packages=["all"])(request)


def words_address(language: str) -> str:
    """Return the address of the scripts' texts in that language; empty for English, which is in the scripts."""
    if language == settings.LANGUAGE_CODE:
        return ""
    return f"{reverse('words', args=[language])}?v={_version(language)}"


@cache
def _version(language: str) -> str:
    catalogue = Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "djangojs.mo"
    return hashlib.sha256(catalogue.read_bytes()).hexdigest()[:12]


def language(request: HttpRequest) -> dict[str, object]:
    """Return the `language` of the page, all `languages`, and `words`, the address of the scripts' texts."""
    active = translation.get_language() or settings.LANGUAGE_CODE
    return {"language": active, "languages": settings.LANGUAGES, "words": words_address(active)}
