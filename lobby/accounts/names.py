"""The rules for names of players, which others can read, type and tell apart."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from rules import bots
from wallet.language import worded, worded_later

#: Names that look like those of the platform or of a computer player.
RESERVED = (
    "admin",
    "bot",
    "computer",
    "dealer",
    "finance",
    "house",
    "moderator",
    "operations",
    "staff",
    "support",
    "system",
)

_OF_COMPUTERS = {name.lower() for name in bots.NAMES}

USERNAME_HELP = worded_later("3 to 20 characters: letters, digits and _ . -")

username_characters = RegexValidator(
    r"\A[A-Za-z0-9_.-]{3,20}\Z",
    worded_later("A name has 3 to 20 characters: letters, digits and _ . -"),
    code="characters",
)
display_name_characters = RegexValidator(
    r"\A[A-Za-z0-9_.-](?:[A-Za-z0-9_. -]{0,18}[A-Za-z0-9_.-])?\Z",
    worded_later("A display name has up to 20 letters, digits, spaces and _ . -"),
    code="characters",
)


def not_reserved(name: str) -> None:
    """Refuse names of the platform, guests, closed accounts and computer players, whatever their case and signs."""
    letters, signs = "".join(filter(str.isalpha, name)).lower(), "".join(filter(str.isalnum, name)).lower()
    if letters in RESERVED or letters.startswith(("computer", "admin", "guest", "closed")) or signs in _OF_COMPUTERS:
        raise ValidationError(worded("This name is reserved. Please choose another."), code="reserved")
