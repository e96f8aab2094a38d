"""Authenticators with their sealed secrets, and recovery codes, of which only digests are kept."""

import hmac

from django.conf import settings
from django.db import models

from lobby.two_factor.codes import tidy
from wallet.keys.encryption import Cipher, SealedColumn


class Authenticator(models.Model):
    """The authenticator app of one person. Its codes are required once `confirmed_at` is set."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="authenticator")
    sealed_secret = models.BinaryField(help_text="What the codes are made of, encrypted.")
    made_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True)
    last_step = models.BigIntegerField(default=0, help_text="The half minute of the last code: none works twice.")
    token_digest = models.CharField(max_length=64, blank=True, help_text="Of the one API token given for a code.")

    def __str__(self) -> str:
        return f"authenticator of {self.player_id}"


class RecoveryCode(models.Model):
    """A code that works once in place of one from a lost app."""

    authenticator = models.ForeignKey(Authenticator, models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["authenticator", "digest"], name="recovery_code_once")]

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


SECRETS = SealedColumn("two_factor.Authenticator", "sealed_secret", Cipher("authenticators"), "player_id")


def recovery_digest(authenticator: Authenticator, code: str) -> str:
    """Return the digest of a recovery code, keyed with the authenticator's secret: it outlives a change of the key."""
    content = f"recovery {authenticator.pk} {tidy(code)}"
    return hmac.new(SECRETS.unseal(authenticator), content.encode(), "sha256").hexdigest()
