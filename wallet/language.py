"""Sentences in the reader's language."""

from typing import Any, TypeVar, cast

from django.utils.translation import get_language, gettext, gettext_lazy

T = TypeVar("T")
#: The language in which texts are written: LANGUAGE_CODE of the settings, which are not read before this is known.
ENGLISH = "en"


def is_english() -> bool:
    """Return whether the active language is English, in which texts are written: then nothing is looked up."""
    return get_language() in (None, ENGLISH)


def worded(text: str, **values: Any) -> str:
    """Return a text of the catalogue in the active language, with the values in its named places."""
    translation = text if is_english() else gettext(text)
    return translation.format(**values) if values else translation


def catalogued(of: T) -> T:
    """Mark the texts for the catalogue and return them unchanged; `worded` translates them later."""
    return of


def worded_later(text: str) -> str:
    """Return a text that is translated each time it is read: for constants, labels and choices."""
    return cast(str, gettext_lazy(text))
