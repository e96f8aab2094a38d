"""The record of the keys of this database: their fingerprints, never the keys themselves; and the sessions."""

from typing import Any

from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

#: The act by which the trail tells that a key was retired.
RETIRE_KEY = "key.retire"


class Key(models.Model):
    """One key of the installation, recorded when a process first started with it."""

    fingerprint = models.CharField(
        max_length=32, primary_key=True, help_text="Identifies the key and does not reveal it."
    )
    recorded_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True, help_text="From here on something may be sealed with it.")
    retired_at = models.DateTimeField(null=True, help_text="Since then nothing is sealed with it any more.")
    verifiers = models.BinaryField(null=True, help_text="What checks the signatures of a retired key, sealed.")

    def __str__(self) -> str:
        return self.fingerprint


class StoredSession(AbstractBaseSession):
    """A session of a browser, under the HMAC of its key: see `session_store`."""

    #: Only to find a player's sessions: whose it is, the signed data says.
    user_id = models.BigIntegerField(null=True, db_index=True)

    @classmethod
    def get_session_store_class(cls) -> Any:
        from wallet.keys.session_store import SessionStore

        return SessionStore
