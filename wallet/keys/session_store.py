"""The sessions of browsers, kept so that their rows sign nobody in.

A row is under the HMAC of the session's key, and its data is signed for that row alone: who reads the table learns no
key, who writes it can neither move the data of one session to another nor make it up. As Django's SESSION_ENGINE.
"""

import hmac
from collections.abc import Mapping
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.utils import timezone

from wallet.keys.deriving import derive
from wallet.keys.encryption import secrets
from wallet.keys.models import StoredSession

#: Hex digits of the HMAC: as many as Django's column holds, 160 bits.
DIGITS = 40


def row_keys(session_key: str) -> list[str]:
    """Return the keys under which the session's row may be: by the present key, first, and by each that opens."""
    return [
        hmac.new(derive(secret, "rummy keys of sessions"), session_key.encode(), "sha256").hexdigest()[:DIGITS]
        for secret in secrets()
    ]


class SessionStore(db.SessionStore):
    """Django's sessions in the database, by the HMAC of their keys."""

    #: The key of the session, and that of the row in which it was found.
    _found: tuple[str | None, str] = (None, "")

    # The parent's own would query by the key itself.
    aload, aexists, acreate = SessionBase.aload, SessionBase.aexists, SessionBase.acreate
    asave, adelete = SessionBase.asave, SessionBase.adelete

    @classmethod
    def get_model_class(cls) -> Any:
        return StoredSession

    @property
    def row_key(self) -> str:
        """The key of the session's row: as found, and of a new session by the present key."""
        key: str = self._get_or_create_session_key()  # type: ignore[attr-defined]
        return self._found[1] if self._found[0] == key else row_keys(key)[0]

    def load(self) -> dict[str, Any]:
        """Return the data of the session; forget its key if there is no such session that still runs."""
        row = self._rows(self.session_key).filter(expire_date__gt=timezone.now()).first()
        if row is None:
            self._session_key = None
            return {}
        self._found = self.session_key, row.session_key
        return self.read(row.session_key, row.session_data)

    def read(self, row_key: str, session_data: str) -> dict[str, Any]:
        """Return the data of the session in that row; empty where it was not written for that row."""
        try:
            return dict(signing.loads(session_data, salt=_salt(row_key), serializer=self.serializer))
        except signing.BadSignature:
            return {}

    def create_model_instance(self, data: Mapping[str, Any]) -> Any:
        row_key = self.row_key
        return StoredSession(
            session_key=row_key,
            session_data=signing.dumps(data, salt=_salt(row_key), serializer=self.serializer, compress=True),
            expire_date=self.get_expiry_date(),
            user_id=int(data[SESSION_KEY]) if SESSION_KEY in data else None,
        )

    def exists(self, session_key: str) -> bool:
        return bool(self._rows(session_key).exists())

    def delete(self, session_key: str | None = None) -> None:
        self._rows(session_key or self.session_key).delete()

    def _rows(self, session_key: str | None) -> Any:
        return self.model.objects.filter(session_key__in=row_keys(session_key) if session_key else [])


def _salt(row_key: str) -> str:
    return f"rummy session {row_key}"
