"""Recovery codes of accounts: each sets a new password once, in place of a forgotten one.

They open no session and replace no second factor: where a code of an authenticator is needed, it still is. Players are
warned of a recovery by support until they have seen it with a factor of their own: a password from before it, a link to
the confirmed address, or a recovery code made before it. Who was let in by a code of support reads the warning too.
"""

import hashlib
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from lobby.accounts import access, services as accounts, sign_in
from lobby.accounts.models import PasswordCode, Player, SignIn, SupportRecovery
from lobby.two_factor.codes import SECRET_LENGTH, in_groups, random_code
from wallet.audit_log.services import of_request, record
from wallet.base import rate_limits
from wallet.language import gettext_lazy

#: How many codes there are.
CODES = 8
#: How long a code from support works (ASVS 6.5.5), and its letters: it is read out to the player, so it is shorter than
#: the player's own, and its digest is keyed instead.
MINUTES, SPOKEN_LENGTH = 10, 16
#: The name of the act in the trail, the same wherever a password is set.
ACT = "player.password"
#: An id that no player has, so that a name that nobody has is looked up like any other.
NOBODY = 0
WRONG_CODE = gettext_lazy("Name or recovery code is not right.")
#: Days for which everybody who signs in is warned, where the player has no factor of their own to come back with.
WARNED_DAYS = 30


def new_codes(player: Player) -> list[str]:
    """Replace the player's codes and return the new ones, shown only this once. The caller has checked who it is."""
    codes = [random_code(SECRET_LENGTH) for _ in range(CODES)]
    with transaction.atomic():
        Player.objects.select_for_update().get(pk=player.pk)
        dismiss_offer(player)
        PasswordCode.objects.filter(player=player).delete()
        PasswordCode.objects.bulk_create(PasswordCode(player=player, digest=_digest(player.pk, code)) for code in codes)
        access.codes_changed(player)
    return [in_groups(code) for code in codes]


def are_offered(player: Player) -> bool:
    """Return whether to offer the player codes: they are no guest, have none, and have not dismissed the offer."""
    if player.is_guest or player.codes_offered_at is not None:
        return False
    return not PasswordCode.objects.filter(player=player, expires_at=None).exists()


def dismiss_offer(player: Player) -> None:
    """Dismiss the offer of codes for good. Their account page still makes codes at any time."""
    Player.objects.filter(pk=player.pk, codes_offered_at=None).update(codes_offered_at=timezone.now())


def temporary_code(player: Player) -> str:
    """Return a new code that works for MINUTES: support gives it to a player whose identity they have checked."""
    code, expires_at = random_code(SPOKEN_LENGTH), timezone.now() + timedelta(minutes=MINUTES)
    with transaction.atomic():
        Player.objects.select_for_update().get(pk=player.pk)
        PasswordCode.objects.create(player=player, digest=_keyed_digest(player.pk, code), expires_at=expires_at)
        access.codes_changed(player)
    return in_groups(code)


def codes_left(player: Player) -> int:
    """Return the number of the player's unused codes, without those from support."""
    return PasswordCode.objects.filter(player=player, used_at=None, expires_at=None).count()


def reset_password(request: HttpRequest, *, username: str, code: str, password: str) -> None:
    """Set the new password in exchange for one of the codes, which is used up; sessions and tokens end.

    The caller has checked the password. SignInRefused, counted with failed sign-ins, and the same for a name that
    nobody has, a locked account and a wrong code.
    """
    limits, player_id = sign_in.limits_for(request, username), sign_in.player_id_of(username)
    with sign_in.tries_counted(request, limits, how=SignIn.How.CODE, wrong="wrong_code", player_id=player_id):
        password_hash = accounts.new_hash(password)
        if not _use_code(request, player_id or NOBODY, code, password_hash):
            raise sign_in.SignInRefused("wrong_code", WRONG_CODE, status=400)
    rate_limits.forget_tries(limits[0][1])


@transaction.atomic
def _use_code(request: HttpRequest, player_id: int, code: str, password_hash: str) -> bool:
    """Use up the code and set the password; return False where there is no such code."""
    # Whoever posts the same code at the same moment waits here, and then finds it used.
    player = Player.objects.select_for_update().filter(pk=player_id, is_active=True).first()
    now = timezone.now()
    unused = PasswordCode.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=now),
        player_id=player_id, digest__in=[_digest(player_id, code), _keyed_digest(player_id, code)], used_at=None,
    )  # fmt: skip
    found = unused.first() if player is not None else None
    if player is None or found is None:
        return False
    found.used_at = now
    found.save(update_fields=["used_at"])
    accounts.change_hash(player=player, password_hash=password_hash)
    code_used(found)
    access.codes_changed(player)
    actor = of_request(request, player)
    record(
        actor,
        ACT,
        player,
        after={"password": "(set)", "with": "a code of support" if found.expires_at else "a recovery code"},
    )
    return True


def _digest(player_id: int, code: str) -> str:
    return hashlib.sha256(_tidy(player_id, code).encode()).hexdigest()


def _keyed_digest(player_id: int, code: str) -> str:
    """Return the digest under the installation's key, by which nobody finds the code who only reads the database."""
    return salted_hmac("lobby.accounts.recovery.codes", _tidy(player_id, code), algorithm="sha256").hexdigest()


def _tidy(player_id: int, code: str) -> str:
    letters = "".join(filter(str.isalnum, code))[:64].lower()
    return f"password code {player_id} {letters}"


def code_used(code: PasswordCode) -> None:
    """Note whether the password that this code has set is the player's own. In the transaction that has set it."""
    issued = _issued(code.player)
    if code.expires_at is not None:
        if (latest := issued.filter(by_mail=False).order_by("pk").last()) is not None:
            latest.code_used_at, latest.notice_read_at = timezone.now(), None
            latest.save(update_fields=["code_used_at", "notice_read_at"])
    else:
        issued.filter(code_used_at__gt=code.made_at).update(code_used_at=None)


def announced(player: Player) -> list[SupportRecovery]:
    """Return the recoveries of which the player is still to be warned, the latest first; those seen are done with."""
    recent = Q(code_used_at=None) | Q(code_used_at__gt=timezone.now() - timedelta(days=WARNED_DAYS))
    unseen = list(_issued(player).filter(recent, notice_read_at=None).order_by("-pk"))
    if unseen:
        _issued(player).filter(notice_read_at=None, code_used_at=None).update(notice_read_at=timezone.now())
    return unseen


def recoveries_of(player: Player) -> QuerySet[SupportRecovery]:
    """Return every recovery by which somebody was let into the account, the latest first."""
    return _issued(player).order_by("-pk")


def _issued(player: Player) -> QuerySet[SupportRecovery]:
    return SupportRecovery.objects.filter(player=player, status=SupportRecovery.Status.GRANTED)
