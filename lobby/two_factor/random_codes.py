"""Random codes that people read out and type."""

from django.utils.crypto import get_random_string

#: The letters and digits of codes, without those that look alike.
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


#: Letters of a code that opens something by itself: 138 bits, of which ASVS 11.5.1 demands 128.
SECRET_LENGTH = 28


def in_groups(code: str) -> str:
    """Return the code as people read and type it, in groups of four."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def random_code(length: int) -> str:
    """Return a code in lower case that nobody can guess."""
    return get_random_string(length, LETTERS)
