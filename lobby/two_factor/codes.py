"""Codes that people read out, type or scan."""

from io import BytesIO
from unicodedata import decimal

import segno
from django.http import HttpResponse
from django.utils.crypto import get_random_string

#: The letters and digits of random codes, without those that look alike.
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
#: Letters of a code that opens something by itself: 138 bits, of which ASVS 11.5.1 demands 128.
SECRET_LENGTH = 28


def in_groups(code: str) -> str:
    """Return the code as people read and type it, in groups of four."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def tidy(code: str) -> str:
    """Return a code as it was made, however it is typed: without blanks and hyphens, Hindi digits as 0 to 9."""
    return "".join(str(decimal(letter, letter)) for letter in code if letter.isalnum())[:64].lower()


def random_code(length: int) -> str:
    """Return a code in lower case that nobody can guess."""
    return get_random_string(length, LETTERS)


def picture_of(text: str) -> HttpResponse:
    """Return the text as a QR code, dark on light, for the camera of a phone."""
    picture = BytesIO()
    segno.make(text, error="m").save(
        picture, kind="svg", scale=6, border=4, dark="#000", light="#fff", xmldecl=False, svgclass=None, lineclass=None
    )
    return HttpResponse(picture.getvalue(), content_type="image/svg+xml")
