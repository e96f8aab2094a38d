"""Sentences in the language of whoever reads them."""

from typing import Any, TypeVar, cast

from django.conf import settings
from django.utils.translation import get_language, gettext, gettext_lazy

T = TypeVar("T")
ENGLISH = settings.LANGUAGE_CODE


def is_english() -> bool:
    """Return whether texts are read as they are written: then nothing needs to be looked up."""
    return get_language() in (None, ENGLISH)


def worded(text: str, **values: Any) -> str:
    """Return a text of the catalogue in the reader's language, with the values in the places that it names."""
    told = text if is_english() else gettext(text)
    return told.format(**values) if values else told


def catalogued(of: T) -> T:
    """Return the texts as they are: this marks them for the catalogue, to be worded where they are read."""
    return of


def worded_later(text: str) -> str:
    """Return a text of the catalogue that is looked up each time it is read: for constants, labels and choices."""
    return cast(str, gettext_lazy(text))
