"""The second factor of staff: setting it up, checking it, replacing it, and their API tokens. Players need none."""

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied

from lobby.two_factor import totp
from lobby.two_factor.codes import SECRET_LENGTH, in_groups, random_code, tidy
from lobby.two_factor.models import SECRETS, Authenticator, RecoveryCode, recovery_digest
from wallet.audit_log.services import Actor, of_request, record
from wallet.base import rate_limits
from wallet.base.errors import Refusal
from wallet.base.rate_limits import RateLimit
from wallet.keys.api_tokens import DIGITS, oldest, row_of
from wallet.language import gettext as _

T = TypeVar("T")

#: Wrong codes of one person before they have to wait, and the wait in seconds, which grows: 20 a day at most, of which
#: one in a million is right, so that a year of guessing finds a code in one case of 140.
CODES = (RateLimit("code", 5, 300), RateLimit("code-hour", 10, 3_600), RateLimit("code-day", 20, 86_400))
#: Bytes of a secret (RFC 4226 recommends 20), and the number of recovery codes.
SECRET_BYTES, RECOVERY_CODES = 20, 10
#: Sent with `user`, in the transaction, when the authenticator, its codes or the token issued for one have changed.
factor_changed = Signal()
#: Sent with `user` and `request` when a code was wrong, for the records.
code_failed = Signal()


class CodeRefused(Refusal):
    """A refusal: `second_factor_needed`, `wrong_code`, `too_many_attempts` or `already_enrolled`."""


def needs_code(user: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Return whether this user needs a code besides the password."""
    if not settings.STAFF_TOTP or user is None or not user.is_authenticated:
        return False
    return bool(getattr(user, "is_staff", False) or getattr(user, "is_superuser", False))


def is_enrolled(user: AbstractBaseUser, *, at: float | None = None) -> bool:
    """Return whether the user's authenticator is set up; with `at`, in seconds since 1970, whether it was then."""
    authenticator = Authenticator.objects.filter(player_id=user.pk).exclude(confirmed_at=None)
    if at is not None:
        authenticator = authenticator.filter(confirmed_at__lte=datetime.fromtimestamp(at, UTC))
    return authenticator.exists()


def pending_secret(user: AbstractBaseUser) -> bytes:
    """Return the secret of the enrolment in progress; begin one if there is none.

    CodeRefused `already_enrolled` once it is confirmed.
    """
    authenticator = Authenticator.objects.filter(player_id=user.pk).first()
    if authenticator is None:
        sealed = SECRETS.seal(Authenticator(player_id=user.pk), secrets.token_bytes(SECRET_BYTES))
        authenticator, _made = Authenticator.objects.get_or_create(
            player_id=user.pk, defaults={"sealed_secret": sealed}
        )
    if authenticator.confirmed_at is not None:
        raise CodeRefused("already_enrolled", _("Your authenticator is set up already."), status=409)
    return SECRETS.unseal(authenticator)


def confirm_enrolment(user: AbstractBaseUser, code: str, request: HttpRequest) -> list[str]:
    """Finish the enrolment: from now on the app's codes are required. Return the recovery codes, shown only once.

    CodeRefused for a wrong code.
    """
    pending_secret(user)

    def confirm(authenticator: Authenticator) -> list[str]:
        authenticator.confirmed_at = timezone.now()
        authenticator.save(update_fields=["confirmed_at"])
        record(of_request(request, user), "player.authenticator", user, after={"authenticator": "set up"})
        return _new_recovery_codes(authenticator, user)

    return _exchange(user, code, request, confirm, confirmed=False)


def new_recovery_codes(user: AbstractBaseUser, code: str, request: HttpRequest) -> list[str]:
    """Make new recovery codes in exchange for a code of the app; the old ones stop working. CodeRefused."""

    def make(authenticator: Authenticator) -> list[str]:
        record(of_request(request, user), "player.authenticator", user, after={"recovery codes": "made anew"})
        return _new_recovery_codes(authenticator, user)

    return _exchange(user, code, request, make)


def check_code(user: AbstractBaseUser, code: str, request: HttpRequest) -> None:
    """Check a code of the user's app, or a recovery code; each works only once. CodeRefused."""
    _exchange(user, code, request, lambda authenticator: None, or_recovery=True)


@transaction.atomic
def reset(user: AbstractBaseUser, reason: str, actor: Actor) -> None:
    """Remove the user's authenticator and void their tokens; they set up a new one at the next sign-in."""
    Authenticator.objects.filter(player_id=user.pk).delete()
    Token.objects.filter(user_id=user.pk).delete()
    record(actor, "player.authenticator", user, reason=reason, after={"authenticator": "removed"})
    _signal_change(user)


def forget_authenticator(user: AbstractBaseUser) -> None:
    """Delete the authenticator of a user whose account closes for good."""
    if Authenticator.objects.filter(player_id=user.pk).delete()[0]:
        _signal_change(user)


def recovery_codes_left(user: AbstractBaseUser) -> int:
    """Return how many recovery codes the user has left."""
    return RecoveryCode.objects.filter(authenticator__player_id=user.pk, used_at=None).count()


@transaction.atomic
def token_of(user: AbstractBaseUser) -> Token:
    """Return the row of the user's API token; a new one where there is none that still lasts.

    Staff get a new one unless theirs was issued for a code; the caller has checked a code.
    """
    token = Token.objects.filter(user_id=user.pk).first()
    is_void = token is not None and (
        token.created <= oldest() or (needs_code(user) and not trusts_token(user, token.key))
    )
    if token is not None and is_void:
        token.delete()
        token = None
    if token is None:
        token, _made = Token.objects.get_or_create(user_id=user.pk)
    if needs_code(user):
        digest = _token_digest(token.key[:DIGITS])
        if Authenticator.objects.filter(player_id=user.pk).exclude(token_digest=digest).update(token_digest=digest):
            _signal_change(user)
    return token


def trusts_token(user: AbstractBaseUser, number: str) -> bool:
    """Return whether the token with that number was issued for a code."""
    digest = _token_digest(number)
    return Authenticator.objects.filter(player_id=user.pk, token_digest=digest).exclude(confirmed_at=None).exists()


class SecondFactorTokenAuthentication(TokenAuthentication):
    """API tokens: those of staff are accepted only if they were issued for a code."""

    def authenticate_credentials(self, key: str) -> Any:
        """Return the user and the row of the token.

        403 `second_factor_needed` for staff whose token was issued for a password alone.
        """
        token = row_of(key)
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("Invalid token.")
        user = token.user
        if needs_code(user) and not trusts_token(user, token.key):
            raise PermissionDenied("Get a new token with a code of your authenticator.", code="second_factor_needed")
        return user, token


def _exchange(
    user: AbstractBaseUser,
    code: str,
    request: HttpRequest,
    act: Callable[[Authenticator], T],
    *,
    confirmed: bool = True,
    or_recovery: bool = False,
) -> T:
    """Use the code up and return what `act` makes of the locked authenticator, in one transaction.

    No code is compared anywhere else, so every wrong one is counted and recorded, whoever asks. CodeRefused.
    """
    limits = [(limit, limit.key(user.pk)) for limit in CODES]
    if not rate_limits.count_tries(limits):
        raise CodeRefused("too_many_attempts", _("Too many wrong codes. Please wait."), status=429)
    try:
        with transaction.atomic():
            authenticator = _lock_authenticator(user, confirmed=confirmed)
            if or_recovery and _use_recovery_code(authenticator, code):
                _signal_change(user)
            else:
                _use_app_code(authenticator, code)
            result = act(authenticator)
    except CodeRefused as refusal:
        if refusal.code == "wrong_code":
            # After the transaction, which the refusal has rolled back.
            code_failed.send(Authenticator, user=user, request=request)
        else:
            rate_limits.forgive(limits)
        raise
    rate_limits.forgive(limits)
    rate_limits.forget_tries(limits[0][1])
    return result


def _lock_authenticator(user: AbstractBaseUser, *, confirmed: bool) -> Authenticator:
    authenticators = Authenticator.objects.select_for_update().filter(player_id=user.pk)
    authenticator = authenticators.filter(confirmed_at__isnull=not confirmed).first()
    if authenticator is None and not confirmed:
        raise CodeRefused("already_enrolled", _("Your authenticator is set up already."), status=409)
    if authenticator is None:
        raise CodeRefused("second_factor_needed", _("Set up your authenticator on the site first."), status=403)
    return authenticator


def _use_app_code(authenticator: Authenticator, code: str) -> None:
    secret = SECRETS.unseal(authenticator)
    step = totp.matching_step(secret, tidy(code), time.time(), after=authenticator.last_step)
    if step is None:
        raise CodeRefused(
            "wrong_code", _("This code is not right, or was used before. Wait for the next one."), status=400
        )
    authenticator.last_step = step
    authenticator.save(update_fields=["last_step"])


def _use_recovery_code(authenticator: Authenticator, code: str) -> bool:
    digest = recovery_digest(authenticator, code)
    unused = RecoveryCode.objects.filter(authenticator=authenticator, digest=digest, used_at=None)
    return unused.update(used_at=timezone.now()) == 1


def _new_recovery_codes(authenticator: Authenticator, user: AbstractBaseUser) -> list[str]:
    codes = [random_code(SECRET_LENGTH) for _code in range(RECOVERY_CODES)]
    authenticator.recovery_codes.all().delete()
    RecoveryCode.objects.bulk_create(
        RecoveryCode(authenticator=authenticator, digest=recovery_digest(authenticator, code)) for code in codes
    )
    _signal_change(user)
    return [in_groups(code) for code in codes]


def _signal_change(user: AbstractBaseUser) -> None:
    factor_changed.send(Authenticator, user=user)


def _token_digest(number: str) -> str:
    return hashlib.sha256(number.encode()).hexdigest()
