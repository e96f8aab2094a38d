"""Random codes that people read out and type."""

from django.utils.crypto import get_random_string

#: The letters and digits of codes, without those that look alike.
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


def random_code(length: int) -> str:
    """Return a code in lower case that nobody can guess."""
    return get_random_string(length, LETTERS)
