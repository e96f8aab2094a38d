"""Texts that people must write: something in them can be seen."""

import unicodedata
from typing import Any

from django import forms

from wallet.base.errors import WalletError

#: Letters and a sign that nobody sees.
_UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"
#: The most characters of a note of the staff that stands beside figures.
MOST_OF_A_NOTE = 300


def visible(text: str) -> str:
    """Return the text without NUL, and blanks at its ends; empty where nobody sees anything in it.

    A letter, digit, sign or symbol can be seen; blanks, marks without a letter, and characters of format cannot.
    """
    seen = any(unicodedata.category(each)[0] in "LNPS" and each not in _UNSEEN for each in text)
    return text.replace("\0", "").strip() if seen else ""


def staff_note(text: str) -> str:
    """Return the note as `visible`. WalletError `too_long`."""
    note = visible(text)
    if len(note) > MOST_OF_A_NOTE:
        raise WalletError("too_long", f"At most {MOST_OF_A_NOTE} characters, and not {len(note)}.")
    return note


class VisibleText(forms.CharField):
    """A text, empty where nobody sees anything in it."""

    def to_python(self, value: Any) -> Any:
        return visible(super().to_python(value) or "")
