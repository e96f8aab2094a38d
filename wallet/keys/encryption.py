"""Sealing: encrypted, authenticated, and bound to the row and version that it belongs to.

A seal is one byte that names its form, four that name its key, a nonce of twelve, and what AES-256-GCM makes of the
content with its place as associated data. Copied to another row, or left from an earlier version, it opens nothing.
"""

import json
import os
from base64 import urlsafe_b64encode
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from wallet.keys.deriving import derive, fingerprint
from wallet.keys.models import Key

FORM = b"\x01"
#: Bytes of a key's name and of a nonce.
NAME, NONCE = 4, 12
#: How much of a seal tells its form and key, and where its content begins.
BEGIN = len(FORM) + NAME
_CONTENT = BEGIN + NONCE


def secrets() -> tuple[str, ...]:
    """Return the keys that open what is sealed; the first is the one that seals."""
    return (str(settings.SECRET_KEY), *map(str, settings.SECRET_KEY_FALLBACKS))


class Cipher:
    """Seal for one purpose. `before` is the purpose by which seals were made before they were bound."""

    def __init__(self, purpose: str, before: str = "") -> None:
        self._purpose = purpose
        self._before = before

    def seal(self, content: bytes, *place: object) -> bytes:
        """Seal `content`, readable for whoever has a key, and only at that place."""
        secret, nonce = secrets()[0], os.urandom(NONCE)
        return FORM + _name(secret) + nonce + self._key(secret).encrypt(nonce, content, _bound(place))

    def unseal(self, sealed: bytes | memoryview, *place: object) -> bytes:
        """Return what was sealed for that place; InvalidToken where it was not, or not under a key that is known."""
        given = bytes(sealed)
        if given[:1] != FORM:
            return self._unseal_unbound(given)
        name, nonce = given[len(FORM) : BEGIN], given[BEGIN:_CONTENT]
        for secret in secrets():
            if _name(secret) == name:
                try:
                    return self._key(secret).decrypt(nonce, given[_CONTENT:], _bound(place))
                except (InvalidTag, ValueError) as error:
                    raise InvalidToken from error
        raise InvalidToken

    def _unseal_unbound(self, given: bytes) -> bytes:
        if not self._before or not unbound_open():
            raise InvalidToken
        return _fernets(secrets(), self._before).decrypt(given)

    def _key(self, secret: str) -> AESGCM:
        return _aead(secret, f"rummy {self._purpose}, bound")


def is_bound(sealed: bytes | memoryview) -> bool:
    """Return whether it is sealed in the form that binds it to its place."""
    return bytes(sealed[:1]) == FORM


def is_current(sealed: bytes | memoryview) -> bool:
    """Return whether it is bound, and sealed with the present key; its beginning tells."""
    return bytes(sealed[:BEGIN]) == FORM + _name(secrets()[0])


def unbound_open() -> bool:
    """Return whether seals of before they were bound are still opened: until everything has been sealed anew."""
    return not Key.objects.exists() or Key.objects.filter(unbound=True).exists()


def _name(secret: str) -> bytes:
    return bytes.fromhex(fingerprint(secret))[:NAME]


def _bound(place: tuple[object, ...]) -> bytes:
    return json.dumps(place, separators=(",", ":")).encode()


@lru_cache(maxsize=64)
def _aead(secret: str, purpose: str) -> AESGCM:
    return AESGCM(derive(secret, purpose))


@lru_cache(maxsize=16)
def _fernets(keys: tuple[str, ...], purpose: str) -> MultiFernet:
    return MultiFernet([Fernet(urlsafe_b64encode(derive(key, purpose))) for key in keys])
