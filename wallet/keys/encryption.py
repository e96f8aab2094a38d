"""Sealing: encrypting and authenticating content, bound to its row and version.

A seal is one byte that names its form, four that name its key, a nonce of twelve, and the content encrypted by
AES-256-GCM with its place as associated data. Copied to another row, or to another version, it cannot be opened.
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
#: The length of the beginning of a seal, with its form and key, and the offset of its content.
BEGIN = len(FORM) + NAME
_CONTENT = BEGIN + NONCE
#: Made once: `json.dumps` would make one for each seal.
_PLACE = json.JSONEncoder(separators=(",", ":"))


def secrets() -> tuple[str, ...]:
    """Return the keys that open seals; the first is the one that seals."""
    return (str(settings.SECRET_KEY), *map(str, settings.SECRET_KEY_FALLBACKS))


class Cipher:
    """Sealing for one purpose. `before` is the purpose of older seals, which are not bound to a place."""

    def __init__(self, purpose: str, before: str = "") -> None:
        self._bound_purpose = f"rummy {purpose}, bound"
        self._before = before

    def seal(self, content: bytes, *place: object) -> bytes:
        """Return `content` sealed with the present key, readable only at that place."""
        secret, nonce = str(settings.SECRET_KEY), os.urandom(NONCE)
        return b"".join([FORM, _name(secret), nonce, self._key(secret).encrypt(nonce, content, _bound(place))])

    def unseal(self, sealed: bytes | memoryview, *place: object) -> bytes:
        """Return the sealed content; InvalidToken where it was sealed for another place or with an unknown key."""
        seal = bytes(sealed)
        if seal[:1] != FORM:
            return self._unseal_unbound(seal)
        name, nonce = seal[len(FORM) : BEGIN], seal[BEGIN:_CONTENT]
        for secret in secrets():
            if _name(secret) == name:
                try:
                    return self._key(secret).decrypt(nonce, seal[_CONTENT:], _bound(place))
                except (InvalidTag, ValueError) as error:
                    raise InvalidToken from error
        raise InvalidToken

    def _unseal_unbound(self, seal: bytes) -> bytes:
        if not self._before or not unbound_open():
            raise InvalidToken
        return _fernets(secrets(), self._before).decrypt(seal)

    def _key(self, secret: str) -> AESGCM:
        return _aead(secret, self._bound_purpose)


def is_bound(sealed: bytes | memoryview) -> bool:
    """Return whether the seal has the form that binds it to its place."""
    return bytes(sealed[:1]) == FORM


def is_current(sealed: bytes | memoryview) -> bool:
    """Return whether the seal is bound and made with the present key; its first BEGIN bytes are enough."""
    return bytes(sealed[:BEGIN]) == FORM + _name(secrets()[0])


def unbound_open() -> bool:
    """Return whether older seals, which are not bound, are still opened: until everything is sealed again."""
    return not Key.objects.exists() or Key.objects.filter(unbound=True).exists()


@lru_cache(maxsize=64)
def _name(secret: str) -> bytes:
    return bytes.fromhex(fingerprint(secret))[:NAME]


def _bound(place: tuple[object, ...]) -> bytes:
    return _PLACE.encode(place).encode()


@lru_cache(maxsize=64)
def _aead(secret: str, purpose: str) -> AESGCM:
    return AESGCM(derive(secret, purpose))


@lru_cache(maxsize=16)
def _fernets(keys: tuple[str, ...], purpose: str) -> MultiFernet:
    return MultiFernet([Fernet(urlsafe_b64encode(derive(key, purpose))) for key in keys])
