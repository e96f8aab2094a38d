"""What is made of a secret: a key for each purpose, and the fingerprint that names it. Settings use it, too."""

from functools import lru_cache

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

#: How much of a fingerprint people are told: enough to tell keys apart.
SHOWN = 8
#: With what the names of our sessions in the database begin; the shown fingerprint of their key follows.
SESSION = "rummy, key "


@lru_cache(maxsize=64)
def derive(secret: str, purpose: str, length: int = 32) -> bytes:
    """Return a key for one purpose, made of the secret."""
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=purpose.encode()).derive(secret.encode())


@lru_cache(maxsize=64)
def fingerprint(secret: str) -> str:
    """Return what names the secret and does not tell it: 32 hex digits."""
    return derive(secret, "rummy fingerprint of a key", 16).hex()


def session(secret: str) -> str:
    """Return what a process that seals with this secret calls its sessions in PostgreSQL."""
    return SESSION + fingerprint(secret)[:SHOWN]
