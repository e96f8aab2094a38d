"""Every column that holds something sealed: where its seal belongs, and how to find what is sealed there."""

from typing import Any

from django.apps import apps
from django.db import models

from wallet.keys.encryption import Cipher


class SealedColumn:
    """One column of `model`, app.Model; a seal in it is bound to the values of `identity`.

    Where one of these changes, as a version does, the row is sealed anew with it, under its lock. `sealed_as` is the
    name by which the seals know the field, where it was renamed since.
    """

    def __init__(self, model: str, field: str, cipher: Cipher, *identity: str, sealed_as: str = "") -> None:
        self.label, self.field, self.identity = model, field, identity
        self._sealed_as = sealed_as or field
        self._cipher = cipher
        COLUMNS.append(self)

    def name(self, pk: int) -> str:
        """Return what the column of that row is called."""
        return f"{self.label} {pk}"

    @property
    def model(self) -> type[models.Model]:
        return apps.get_model(self.label)

    def rows(self) -> "models.QuerySet[Any]":
        """Return the rows in which something is sealed."""
        return self.model._default_manager.exclude(**{self.field: b""})

    def seal(self, row: models.Model, content: bytes) -> bytes:
        """Seal the content for that row as it is now; the caller puts it there."""
        return self.seal_at(content, *(getattr(row, name) for name in self.identity))

    def seal_at(self, content: bytes, *identity: Any) -> bytes:
        """Seal the content for the row with this identity."""
        return self._cipher.seal(content, *self._place(identity))

    def unseal(self, row: models.Model) -> bytes:
        """Return what lies sealed in the row; cryptography's InvalidToken where it was not sealed for it."""
        return self.unseal_at(getattr(row, self.field), *(getattr(row, name) for name in self.identity))

    def unseal_at(self, sealed: bytes | memoryview, *identity: Any) -> bytes:
        """Return what was sealed for the row with this identity; InvalidToken as for `unseal`."""
        return self._cipher.unseal(sealed, *self._place(identity))

    def _place(self, identity: tuple[Any, ...]) -> tuple[Any, ...]:
        assert None not in identity, f"{self.label} is sealed before it is known which row it is"
        return (self.label, self._sealed_as, *identity)


#: All of them. Each app makes its own as it is loaded.
COLUMNS: list[SealedColumn] = []
