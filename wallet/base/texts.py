"""Texts that people must write: something in them can be seen."""

import re
import unicodedata
from typing import Any

from django import forms

from wallet.base.errors import WalletError

#: Letters and a sign that nobody sees.
_UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"
#: Places without a character of which Unicode says that nothing is shown there, and those that never get one.
_KEPT = re.compile(
    "[\u2065\ufff0-\ufff8\U000e0000-\U000e0fff\ufdd0-\ufdef"
    + "".join(f"{chr(end)}{chr(end + 1)}" for end in range(0xFFFE, 0x110000, 0x10000))
    + "]"
)
#: The most characters of a note of the staff that stands beside figures.
MOST_OF_A_NOTE = 300


def visible(text: str) -> str:
    """Return the text without NUL, and blanks at its ends; empty where nobody sees anything in it.

    A letter, digit, sign or symbol can be seen; blanks, marks without a letter, and characters of format cannot.
    """
    seen = any(_is_seen(each) for each in text)
    return text.replace("\0", "").strip() if seen else ""


def _is_seen(character: str) -> bool:
    """Return whether people see the character. One that this Python does not know yet is a new letter or symbol, unless
    Unicode keeps its place for what nobody sees."""
    category = unicodedata.category(character)
    return character not in _UNSEEN if category[0] in "LNPS" else category == "Cn" and not _KEPT.match(character)


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
