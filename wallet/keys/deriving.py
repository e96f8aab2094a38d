"""Deriving from a secret: a key for each purpose, its name, and the HMAC by it. The settings use it, too."""

import hashlib
from functools import lru_cache

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

#: How many digits of a fingerprint are shown to people: enough to tell keys apart.
SHOWN = 8
#: The beginning of the names of our database sessions; the shown fingerprint of their key follows.
SESSION = "rummy, key "
_BLOCK = 64
_INNER = bytes(each ^ 0x36 for each in range(256))
_OUTER = bytes(each ^ 0x5C for each in range(256))


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


class FastHmac:
    """HMAC-SHA-256 (RFC 2104) with one key of at most 64 bytes; ValueError for a longer one.

    An audit computes a million. Python's own takes six times as long.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) > _BLOCK:
            raise ValueError("A key of this HMAC has at most 64 bytes.")
        padded = key.ljust(_BLOCK, b"\0")
        self._inner, self._outer = padded.translate(_INNER), padded.translate(_OUTER)

    def of(self, content: bytes) -> str:
        """Return the HMAC of the content, in hex."""
        inner = hashlib.sha256(self._inner + content).digest()
        return hashlib.sha256(self._outer + inner).hexdigest()


@lru_cache(maxsize=64)
def fast_hmac(key: bytes) -> FastHmac:
    """Return the `FastHmac` of that key, cached."""
    return FastHmac(key)
