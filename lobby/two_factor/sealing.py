"""Storing the secrets of authenticators, sealed, and recovery codes as digests."""

import hmac

from lobby.two_factor.models import Authenticator
from wallet.keys.encryption import Cipher, SealedColumn

SECRETS = SealedColumn("two_factor.Authenticator", "sealed_secret", Cipher("authenticators"), "player_id")


def recovery_digest(authenticator: Authenticator, code: str) -> str:
    """Return the digest of a recovery code, keyed with the authenticator's secret: it outlives a change of the key."""
    content = f"recovery {authenticator.pk} {_tidy(code)}"
    return hmac.new(SECRETS.unseal(authenticator), content.encode(), "sha256").hexdigest()


def _tidy(code: str) -> str:
    return "".join(filter(str.isalnum, code))[:64].lower()
