"""Creating an account, changing its password, signing it out, and saying that it is not there."""

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest
from rest_framework.authtoken.models import Token

from lobby.accounts import mail
from lobby.accounts.models import Player
from lobby.accounts.passwords import normalize
from tables.errors import TableError
from tables.play import broadcast
from wallet.audit_log.services import of_request, record
from wallet.base.retry import retried
from wallet.keys.models import StoredSession
from wallet.language import gettext as _
from wallet.play_money import services as play_money


def no_such_player() -> TableError:
    """Return the refusal of a name that nobody has, or nobody who wants to be known by it to whoever asks."""
    return TableError("not_found", _("No player has this name."), status=404)


def sign_up(*, username: str, password: str) -> Player:
    """Create a player with a wallet that holds the sign-up chips. The caller has checked name and password."""
    return sign_up_hashed(username=username, password_hash=new_hash(password))


def new_hash(password: str) -> str:
    """Return the hash of a new password. Call it before a transaction: it holds no connection while it waits."""
    return make_password(normalize(password))


@retried
@transaction.atomic
def sign_up_hashed(*, username: str, password_hash: str) -> Player:
    """Create a player as `sign_up` does, with a password that is hashed already."""
    player = Player.objects.create(username=Player.normalize_username(username), password=password_hash)
    play_money.open_wallet(player)
    return player


@retried
@transaction.atomic
def change_hash(*, player: Player, password_hash: str) -> None:
    """Set the new password, hashed already; every session and API token ends, and open sockets close after commit."""
    player.password = password_hash
    player.save(update_fields=["password"])
    end_former_password(player)


def end_former_password(player: Player) -> None:
    """End what the former password has let in, and tell the player by e-mail. In the transaction that set another."""
    sign_out_everywhere(player)
    mail.queue_password_notice(player)


def sign_out_everywhere(player: Player) -> None:
    """End every session and make every API token of the player void; their open sockets close after commit."""
    StoredSession.objects.filter(user_id=player.pk).delete()
    void_tokens(player)


def void_tokens(player: Player) -> None:
    """Make every API token of the player void; all their open sockets close after commit."""
    Token.objects.filter(user=player).delete()
    transaction.on_commit(lambda: broadcast.signed_out(player.pk, None))


def note_own_password(request: HttpRequest) -> None:
    """Record in the trail that one of the staff has set their own password; the entry does not hold it."""
    if request.user.is_staff:
        actor = of_request(request)
        assert actor.user is not None
        record(actor, "player.password", actor.user, after={"password": "(set)"})
