"""What a password must be besides Django's own rules: no longer than is looked at, and not the name of the place."""

import re
import unicodedata

from django.core.exceptions import ValidationError

from wallet.language import worded

#: Longest password that is hashed, in characters: Argon2 and its like take unlimited text.
LONGEST = 128
#: Words that everybody thinks of here.
HERE = frozenset(
    {"thirteen", "rummy", "card", "cards", "joker", "chips", "table", "game", "play", "indian", "password"}
)
_WORD = re.compile(r"[a-z]+")


def composed(password: str) -> str:
    """Write the same characters in the same way: keyboards differ in how they send an accent."""
    return unicodedata.normalize("NFC", password)


class NotTooLong:
    """Refuse what would be cut off or not be looked at."""

    def validate(self, password: str, user: object = None) -> None:
        if len(composed(password)) > LONGEST:
            raise ValidationError(
                worded("A password has {longest} characters at most.", longest=LONGEST), code="password_too_long"
            )

    def get_help_text(self) -> str:
        return worded("{longest} characters at most.", longest=LONGEST)


class NotRelatedToSite:
    """Refuse words of this place with digits and signs around them; three or more words in a row are fine."""

    def validate(self, password: str, user: object = None) -> None:
        words = _WORD.findall(password.lower())
        letters = sum(map(len, words))
        if len(words) in (1, 2) and set(words) <= HERE and 2 * letters >= len(password):
            raise ValidationError(
                worded("That is the first thing others would try here."), code="password_of_this_place"
            )

    def get_help_text(self) -> str:
        return worded("Not the name of this place.")
