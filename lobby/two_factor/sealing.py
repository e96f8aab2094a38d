"""The secrets of authenticators and the digests of recovery codes, at rest."""

import hmac
from collections.abc import Iterator

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from lobby.two_factor.models import Authenticator, RecoveryCode
from wallet.keys.columns import SealedColumn
from wallet.keys.encryption import Cipher, secrets
from wallet.keys.resealing import REMARKS

# Named as the state of tables is: that is how secrets were sealed before.
SECRETS = SealedColumn(
    "guard.Authenticator", "sealed_secret", Cipher("authenticators", before="rummy sealed state"), "player_id"
)
#: With what digests begin that outlive a change of the key; those of before are hex digits only.
_LASTING = "t"


def recovery_digest(held: Authenticator, given: str) -> str:
    """Return what is stored of a recovery code. It hangs on the authenticator's secret, which outlives a key."""
    content = f"recovery {held.pk} {_tidy(given)}"
    return _LASTING + hmac.new(SECRETS.unseal(held), content.encode(), "sha256").hexdigest()[1:]


def recovery_digests(held: Authenticator, given: str) -> Iterator[str]:
    """Yield every form in which this code may be stored."""
    yield recovery_digest(held, given)
    for secret in secrets():
        yield salted_hmac(f"recovery {held.pk}", _tidy(given), secret=secret, algorithm="sha256").hexdigest()


def hanging_on_a_key() -> QuerySet[RecoveryCode]:
    """Recovery codes that open nothing any more once the key that they were made with is dropped."""
    return RecoveryCode.objects.filter(used_at=None).exclude(digest__startswith=_LASTING)


def _remark() -> Iterator[str]:
    staff = hanging_on_a_key().values("authenticator").distinct().count()
    if staff:
        yield f"Recovery codes of {staff} of the staff are of an earlier release: they open only with the key of then."


REMARKS.append(_remark)


def _tidy(given: str) -> str:
    return "".join(filter(str.isalnum, given))[:64].lower()
