"""Checks of passwords besides Django's own: not too long to hash, and not made of the words of this site."""

import re
import unicodedata

from django.core.exceptions import ValidationError

from wallet.language import gettext as _

#: Longest password that is hashed, in characters: Argon2 and other hashers set no limit.
LONGEST = 128
#: Words that everybody thinks of on this site.
SITE_WORDS = frozenset(
    {"thirteen", "rummy", "card", "cards", "joker", "chips", "table", "game", "play", "indian", "password"}
)
_WORD = re.compile(r"[a-z]+")


def normalize(password: str) -> str:
    """Return the password with each character in one form (NFC): keyboards differ in how they send an accent."""
    return unicodedata.normalize("NFC", password)


class NotTooLong:
    """Validator: a password has LONGEST characters at most."""

    def validate(self, password: str, user: object = None) -> None:
        if len(normalize(password)) > LONGEST:
            raise ValidationError(
                _("A password has {longest} characters at most.", longest=LONGEST), code="password_too_long"
            )

    def get_help_text(self) -> str:
        return _("{longest} characters at most.", longest=LONGEST)


class NotRelatedToSite:
    """Validator: no one or two words of this site with digits and signs around them; three or more words are fine."""

    def validate(self, password: str, user: object = None) -> None:
        words = _WORD.findall(password.lower())
        letters = sum(map(len, words))
        if len(words) in (1, 2) and set(words) <= SITE_WORDS and 2 * letters >= len(password):
            raise ValidationError(_("That is the first thing others would try here."), code="password_of_this_place")

    def get_help_text(self) -> str:
        return _("Not the name of this place.")
