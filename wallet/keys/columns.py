"""The columns that hold sealed content, and the identity of the row to which each seal is bound."""

from typing import Any

from django.apps import apps
from django.db import models

from wallet.keys.encryption import Cipher


class SealedColumn:
    """A sealed column of `model`, app.Model; its seals are bound to the values of the fields `identity`.

    When one of these changes, such as a version, the row is sealed again in the same step, under its lock. `sealed_as`
    is the name of the field in the seals, if it was renamed later.
    """

    def __init__(self, model: str, field: str, cipher: Cipher, *identity: str, sealed_as: str = "") -> None:
        self.label, self.field, self.identity = model, field, identity
        self._sealed_as = sealed_as or field
        self._cipher = cipher
        COLUMNS.append(self)

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
        return (self.label, self._sealed_as, *identity)


#: All sealed columns. Each app creates its own when it is loaded.
COLUMNS: list[SealedColumn] = []
