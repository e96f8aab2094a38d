"""Signatures made with the installation's key: with the present one, checked with every one that ever was.

They stand in rows that never change, so that they cannot be made anew with another key. When a key is dropped, what
checks its signatures is kept, sealed with the present key: a key for that one purpose, of which the dropped one cannot
be made again.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from functools import lru_cache

from wallet.keys.encryption import Cipher, secrets
from wallet.keys.models import Key

#: What is signed. A new one is added here, or it could not be checked after a change of the key.
TRAIL, DAY_HEAD, LINK, MONTH = "trail.record", "wallet.day_head", "wallet.link", "months.closed_month"
WITNESS = "witness"
PURPOSES = (TRAIL, DAY_HEAD, LINK, MONTH, WITNESS)

#: Seconds for which a process remembers what checks the signatures of dropped keys: an audit asks for each row.
REMEMBERED = 10

_CHECKERS = Cipher("checkers of signatures")


def sign(purpose: str, content: str, key: bytes | None = None) -> str:
    """Return the HMAC-SHA-256 of the content in hex, by that key; by default by the present key for the purpose."""
    return hmac.new(key or _derived(purpose, secrets()[0]), content.encode(), "sha256").hexdigest()


def is_signed(purpose: str, content: str, signature: str) -> bool:
    """Return whether it is the signature of this content by the present key or by any former one."""
    return any(hmac.compare_digest(signature, sign(purpose, content, key)) for key in checking_keys(purpose))


def signing_key(purpose: str) -> bytes:
    """Return the key that signs for the purpose: for who signs so often that they do it themselves."""
    return _derived(purpose, secrets()[0])


def checkers(secret: str, fingerprint: str) -> bytes:
    """Return what checks the secret's signatures, sealed for its row."""
    kept = {purpose: _derived(purpose, secret).hex() for purpose in PURPOSES}
    return _CHECKERS.seal(json.dumps(kept).encode(), fingerprint)


def checkers_anew(key: Key) -> bytes:
    """Return what lies in the row already, sealed with the present key."""
    return _CHECKERS.seal(_CHECKERS.unseal(key.checkers or b"", key.fingerprint), key.fingerprint)


def checking_keys(purpose: str) -> Iterator[bytes]:
    """Yield the keys that check signatures for the purpose, the one that signs first."""
    for secret in secrets():
        yield _derived(purpose, secret)
    for kept in former(secrets(), int(time.monotonic() // REMEMBERED)):
        # A key that was dropped before there was the purpose has signed nothing for it.
        if purpose in kept:
            yield bytes.fromhex(kept[purpose])


@lru_cache(maxsize=4)
def former(keys: tuple[str, ...], moment: int) -> tuple[dict[str, str], ...]:
    """Return what checks the signatures of dropped keys, readable with these keys.

    Asked of the database at each moment.
    """
    rows = Key.objects.exclude(checkers=None)
    return tuple(json.loads(_CHECKERS.unseal(key.checkers or b"", key.fingerprint)) for key in rows)


@lru_cache(maxsize=64)
def _derived(purpose: str, secret: str) -> bytes:
    """Derive the key as Django's salted_hmac does, by which the first signatures were made."""
    return hashlib.sha256(purpose.encode() + secret.encode()).digest()
