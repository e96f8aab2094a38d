"""Signatures made with the present key of the installation, and checked with every key that it ever had.

They are stored in rows that never change, so they cannot be made again with another key. When a key is retired, keys
that only check its signatures stay, sealed with the present key; the retired key cannot be derived from them.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from functools import lru_cache

from wallet.keys.encryption import Cipher, secrets
from wallet.keys.models import Key

#: The purposes of signatures. Signatures of a purpose that is missing here could not be checked after a key change.
TRAIL, LINK, ACCESS = "trail.record", "wallet.link", "lobby.access"
PURPOSES = (TRAIL, LINK, ACCESS)

#: Seconds for which a process caches the checking keys of retired keys: an audit needs them for each row.
REMEMBERED = 10

_VERIFIERS = Cipher("verifiers of signatures")


def sign(purpose: str, content: str, key: bytes | None = None) -> str:
    """Return the HMAC-SHA-256 of the content in hex, by that key; by default by the present key for the purpose."""
    return hmac.new(key or _derived(purpose, secrets()[0]), content.encode(), "sha256").hexdigest()


def every_signature(purpose: str, content: str) -> list[str]:
    """Return the signatures of the content with the present key, first, and with every former one."""
    return [sign(purpose, content, key) for key in checking_keys(purpose)]


def is_signed(purpose: str, content: str, signature: str) -> bool:
    """Return whether `signature` was made for this content with the present key or any former one."""
    return any(hmac.compare_digest(signature, each) for each in every_signature(purpose, content))


def signing_key(purpose: str) -> bytes:
    """Return the key that signs for the purpose, for callers that sign very often."""
    return _derived(purpose, secrets()[0])


def verifiers(secret: str, fingerprint: str) -> bytes:
    """Return the keys that check the secret's signatures, sealed for its row."""
    keys = {purpose: _derived(purpose, secret).hex() for purpose in PURPOSES}
    return _VERIFIERS.seal(json.dumps(keys).encode(), fingerprint)


def resealed_verifiers(key: Key) -> bytes:
    """Return the checking keys of the row, sealed again with the present key."""
    return _VERIFIERS.seal(_VERIFIERS.unseal(key.verifiers or b"", key.fingerprint), key.fingerprint)


def checking_keys(purpose: str) -> Iterator[bytes]:
    """Yield the keys that check signatures for the purpose, the one that signs first."""
    for secret in secrets():
        yield _derived(purpose, secret)
    for keys in former_keys(secrets(), int(time.monotonic() // REMEMBERED)):
        # A key that was retired before the purpose existed has signed nothing for it.
        if purpose in keys:
            yield bytes.fromhex(keys[purpose])


@lru_cache(maxsize=4)
def former_keys(keys: tuple[str, ...], moment: int) -> tuple[dict[str, str], ...]:
    """Return the keys that check the signatures of retired keys, by purpose.

    `keys` and `moment` only key the cache: the database is read again when either changes.
    """
    rows = Key.objects.exclude(verifiers=None)
    return tuple(json.loads(_VERIFIERS.unseal(key.verifiers or b"", key.fingerprint)) for key in rows)


@lru_cache(maxsize=64)
def _derived(purpose: str, secret: str) -> bytes:
    """Derive the key as Django's salted_hmac does: signatures in rows that never change hold it fast."""
    return hashlib.sha256(purpose.encode() + secret.encode()).digest()
