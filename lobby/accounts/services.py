"""Make an account, change its password, sign it out."""

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest
from rest_framework.authtoken.models import Token

from lobby.accounts.models import Player
from tables.play import broadcast
from wallet.audit_log.services import of_request, record
from wallet.base.retry import retried
from wallet.play_money import services as play_money


@retried
@transaction.atomic
def sign_up(*, username: str, password: str) -> Player:
    """Make a new player with a wallet that holds the sign-up chips. The caller has checked name and password."""
    return sign_up_hashed(username=username, password_hash=make_password(password))


@transaction.atomic
def sign_up_hashed(*, username: str, password_hash: str) -> Player:
    """Make a player as `sign_up` does, of a password that is hashed already."""
    player = Player.objects.create(username=Player.normalize_username(username), password=password_hash)
    play_money.open_wallet(player)
    return player


@retried
@transaction.atomic
def change_password(*, player: Player, password: str) -> None:
    """Set the new password, and make every API token given out under the old one void."""
    player.set_password(password)
    player.save(update_fields=["password"])
    sign_out_everywhere(player)


def sign_out_everywhere(player: Player) -> None:
    """Make every API token of the player void; their open sockets close once this is committed."""
    Token.objects.filter(user=player).delete()
    transaction.on_commit(lambda: broadcast.signed_out(player.pk, None))


def note_own_password(request: HttpRequest) -> None:
    """Write into the trail that somebody of the staff gave themselves a new password; the password is not there."""
    if request.user.is_staff:
        actor = of_request(request)
        assert actor.user is not None
        record(actor, "player.password", actor.user, after={"password": "(set)"})
