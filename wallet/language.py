"""Sentences in the reader's language."""

from typing import Any, TypeVar, cast

from django.utils import translation

T = TypeVar("T")
#: The language in which texts are written: LANGUAGE_CODE of the settings, which are not read before this is known.
ENGLISH = "en"


def is_english() -> bool:
    """Return whether the active language is English, in which texts are written: then nothing is looked up."""
    return translation.get_language() in (None, ENGLISH)


def gettext(text: str, **values: Any) -> str:
    """Return a text of the catalogue in the active language, with the values in its named places."""
    translated = text if is_english() else translation.gettext(text)
    return translated.format(**values) if values else translated


def translatable(of: T) -> T:
    """Mark the texts for the catalogue and return them unchanged; `gettext` translates them later."""
    return of


def gettext_lazy(text: str) -> str:
    """Return a text that is translated each time it is read: for constants, labels and choices."""
    return cast(str, translation.gettext_lazy(text))
