"""Storing the secrets of authenticators, sealed, and recovery codes as digests."""

import hmac
from collections.abc import Iterator

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from lobby.two_factor.models import Authenticator, RecoveryCode
from wallet.keys.columns import SealedColumn
from wallet.keys.encryption import Cipher, secrets
from wallet.keys.resealing import REMARKS

# The older purpose is that of the state of tables, with which these secrets were once sealed.
SECRETS = SealedColumn(
    "guard.Authenticator", "sealed_secret", Cipher("authenticators", before="rummy sealed state"), "player_id"
)
#: The first letter of digests that stay valid when the key changes; older digests are hex digits only.
_STABLE_PREFIX = "t"


def recovery_digest(authenticator: Authenticator, code: str) -> str:
    """Return the digest of a recovery code, keyed with the authenticator's secret: it outlives a change of the key."""
    content = f"recovery {authenticator.pk} {_tidy(code)}"
    return _STABLE_PREFIX + hmac.new(SECRETS.unseal(authenticator), content.encode(), "sha256").hexdigest()[1:]


def recovery_digests(authenticator: Authenticator, code: str) -> Iterator[str]:
    """Yield all digests under which this code may be stored: the present form, then the older one for each key."""
    yield recovery_digest(authenticator, code)
    for secret in secrets():
        yield salted_hmac(f"recovery {authenticator.pk}", _tidy(code), secret=secret, algorithm="sha256").hexdigest()


def key_bound_codes() -> QuerySet[RecoveryCode]:
    """Return the unused recovery codes that stop working when the key that made them is dropped."""
    return RecoveryCode.objects.filter(used_at=None).exclude(digest__startswith=_STABLE_PREFIX)


def _remark() -> Iterator[str]:
    staff = key_bound_codes().values("authenticator").distinct().count()
    if staff:
        yield f"Recovery codes of {staff} of the staff are of an earlier release: they open only with the key of then."


REMARKS.append(_remark)


def _tidy(code: str) -> str:
    return "".join(filter(str.isalnum, code))[:64].lower()
