"""Deriving from a secret: a key for each purpose, and a fingerprint as its name. The settings use it, too."""

from functools import lru_cache

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

#: How many digits of a fingerprint are shown to people: enough to tell keys apart.
SHOWN = 8
#: The beginning of the names of our database sessions; the shown fingerprint of their key follows.
SESSION = "rummy, key "


@lru_cache(maxsize=64)
def derive(secret: str, purpose: str, length: int = 32) -> bytes:
    """Return a key of `length` bytes for one purpose, derived from the secret."""
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=purpose.encode()).derive(secret.encode())


@lru_cache(maxsize=64)
def fingerprint(secret: str) -> str:
    """Return 32 hex digits that identify the secret and do not reveal it."""
    return derive(secret, "rummy fingerprint of a key", 16).hex()


def session(secret: str) -> str:
    """Return the name in PostgreSQL of the sessions of a process that seals with this secret."""
    return SESSION + fingerprint(secret)[:SHOWN]
