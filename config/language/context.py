"""The template context of languages."""

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from config.language.views import words_address


def language(request: HttpRequest) -> dict[str, object]:
    """Return the `language` of the page, all `languages`, and `words`, the address of the scripts' texts."""
    active = translation.get_language() or settings.LANGUAGE_CODE
    return {"language": active, "languages": settings.LANGUAGES, "words": words_address(active)}
