"""Sealing: encrypting and authenticating content, bound to its row and version.

A seal is one byte that names its form, four that name its key, a nonce of twelve, and the content encrypted by
AES-256-GCM with its place as associated data. Copied to another row, or to another version, it cannot be opened.
"""

import json
import os
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.apps import apps
from django.conf import settings
from django.db import models

from wallet.keys.deriving import derive, fingerprint

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
    """Sealing for one purpose."""

    def __init__(self, purpose: str) -> None:
        self._purpose = f"rummy {purpose}, bound"

    def seal(self, content: bytes, *place: object) -> bytes:
        """Return `content` sealed with the present key, readable only at that place."""
        secret, nonce = str(settings.SECRET_KEY), os.urandom(NONCE)
        return b"".join([FORM, _name(secret), nonce, self._key(secret).encrypt(nonce, content, _bound(place))])

    def unseal(self, sealed: bytes | memoryview, *place: object) -> bytes:
        """Return the sealed content; InvalidTag where it was sealed for another place or with an unknown key."""
        seal = bytes(sealed)
        form, name, nonce = seal[: len(FORM)], seal[len(FORM) : BEGIN], seal[BEGIN:_CONTENT]
        for secret in secrets():
            if form == FORM and _name(secret) == name and len(nonce) == NONCE:
                return self._key(secret).decrypt(nonce, seal[_CONTENT:], _bound(place))
        raise InvalidTag

    def _key(self, secret: str) -> AESGCM:
        return _aead(secret, self._purpose)


def is_current(sealed: bytes | memoryview) -> bool:
    """Return whether the seal was made with the present key; its first BEGIN bytes are enough."""
    return bytes(sealed[:BEGIN]) == FORM + _name(secrets()[0])


@lru_cache(maxsize=64)
def _name(secret: str) -> bytes:
    return bytes.fromhex(fingerprint(secret))[:NAME]


def _bound(place: tuple[object, ...]) -> bytes:
    return _PLACE.encode(place).encode()


@lru_cache(maxsize=64)
def _aead(secret: str, purpose: str) -> AESGCM:
    return AESGCM(derive(secret, purpose))


class SealedColumn:
    """A sealed column of `model`, app.Model; its seals are bound to the values of the fields `identity`.

    When one of these changes, such as a version, the row is sealed again in the same step, under its lock.
    """

    def __init__(self, model: str, field: str, cipher: Cipher, *identity: str) -> None:
        self.label, self.field, self.identity = model, field, identity
        self._cipher = cipher
        SEALED_COLUMNS.append(self)

    def name(self, pk: int) -> str:
        """Return the name of the column in that row, for messages."""
        return f"{self.label} {pk}"

    @property
    def model(self) -> type[models.Model]:
        return apps.get_model(self.label)

    def rows(self) -> "models.QuerySet[Any]":
        """Return the rows whose column is not empty."""
        return self.model._default_manager.exclude(**{self.field: b""})

    def seal(self, row: models.Model, content: bytes) -> bytes:
        """Return the content sealed for that row with its present identity; the caller stores it."""
        return self.seal_at(content, *(getattr(row, name) for name in self.identity))

    def seal_at(self, content: bytes, *identity: Any) -> bytes:
        """Return the content sealed for the row with this identity."""
        return self._cipher.seal(content, *self._place(identity))

    def unseal(self, row: models.Model) -> bytes:
        """Return the content sealed in the row; cryptography's InvalidTag where it was not sealed for this row."""
        return self.unseal_at(getattr(row, self.field), *(getattr(row, name) for name in self.identity))

    def unseal_at(self, sealed: bytes | memoryview, *identity: Any) -> bytes:
        """Return the content of a seal for the row with this identity; InvalidTag as for `unseal`."""
        return self._cipher.unseal(sealed, *self._place(identity))

    def _place(self, identity: tuple[Any, ...]) -> tuple[Any, ...]:
        assert None not in identity, f"{self.label} is sealed before it is known which row it is"
        return (self.label, self.field, *identity)


#: All sealed columns. Each app creates its own when it is loaded.
SEALED_COLUMNS: list[SealedColumn] = []
