"""Recovery codes of every account: each sets a new password once, instead of the one that was forgotten.

They open no session, and no second factor: whoever needs a code of an authenticator is asked for it as ever.
"""

import hashlib
import secrets

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from lobby.accounts import services as accounts
from lobby.accounts import sign_in
from lobby.accounts.models import PasswordCode, Player, SignIn
from lobby.two_factor.services import LETTERS
from wallet.audit_log.services import Actor, client_address, record
from wallet.base import rate_limits
from wallet.language import worded_later

#: How many there are, and how long one is: 79 bits, which nobody finds again from a digest.
CODES, LENGTH = 8, 16
#: The name of the act in the trail, as wherever a password is set.
ACT = "player.password"
#: The id of no player: a name that nobody has is looked up like any other.
NOBODY = 0
WRONG = worded_later("Name or recovery code is not right.")


def new_codes(player: Player) -> list[str]:
    """Give the player new codes, shown this once; the old ones open nothing any more. The caller knows it is they."""
    codes = ["".join(secrets.choice(LETTERS) for _ in range(LENGTH)) for _ in range(CODES)]
    with transaction.atomic():
        Player.objects.select_for_update().get(pk=player.pk)
        PasswordCode.objects.filter(player=player).delete()
        PasswordCode.objects.bulk_create(PasswordCode(player=player, digest=_digest(player.pk, each)) for each in codes)
    return ["-".join(each[at : at + 4] for at in range(0, LENGTH, 4)) for each in codes]


def codes_left(player: Player) -> int:
    """Return how many codes the player has that were not used."""
    return PasswordCode.objects.filter(player=player, used_at=None).count()


def set_forgotten(request: HttpRequest, *, username: str, given: str, password: str) -> None:
    """Set the new password against one of the codes: sessions and tokens end, and the code works no second time.

    The caller has checked the password. SignInRefused, counted with the failures of signing in, and the same for a name
    that nobody has, an account that is locked, and a wrong code.
    """
    limits = sign_in.tries_of(request, username)
    if not rate_limits.count_tries(limits):
        raise sign_in.SignInRefused("too_many_attempts", sign_in.TOO_MANY, status=429)
    player_id = sign_in.id_of_name(username)
    if not _used(request, player_id or NOBODY, given, password):
        sign_in.note_attempt(request, player_id, how=SignIn.How.SESSION, succeeded=False)
        raise sign_in.SignInRefused("wrong_code", WRONG, status=400)
    rate_limits.forgive(limits)
    rate_limits.forget_tries(limits[0][1])


@transaction.atomic
def _used(request: HttpRequest, player_id: int, given: str, password: str) -> bool:
    """Use the code up and set the password with it; False where there is no such code."""
    code = PasswordCode.objects.filter(
        player_id=player_id, player__is_active=True, digest=_digest(player_id, given), used_at=None
    )
    if code.update(used_at=timezone.now()) != 1:
        return False
    player = Player.objects.get(pk=player_id)
    accounts.change_password(player=player, password=password)
    actor = Actor(player.username, player, client_address(request))
    record(actor, ACT, player, after={"password": "(set)", "with": "a recovery code"})
    return True


def _digest(player_id: int, given: str) -> str:
    tidy = "".join(filter(str.isalnum, given))[:64].lower()
    return hashlib.sha256(f"password code {player_id} {tidy}".encode()).hexdigest()
