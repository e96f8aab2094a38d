"""Views for choosing a language, and for the texts of the pages' scripts in it."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import JavaScriptCatalog, set_language

from lobby.accounts.models import Player
from lobby.two_factor.sessions import open_without_code

#: Seconds that a browser may store a catalogue, whose address contains its version.
_YEAR_SECONDS = 31_536_000


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
