"""The e-mail address of an account: it is set only once the link sent to it has been opened and confirmed."""

from django.core import signing
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, override

from lobby.accounts.mail.sending import deliver, is_configured, queue_mail, site_of
from lobby.accounts.models import Player
from wallet.audit_log.services import Actor, client_address, record
from wallet.language import ENGLISH, worded

_SALT = "lobby.accounts.mail.addresses"
#: Seconds for which the link confirms an address.
AGE = 24 * 3_600
#: The name of the act in the trail, which never holds the address itself, since its entries are never deleted.
ACT = "player.email"


def queue_confirmation(request: HttpRequest, player: Player, address: str) -> None:
    """Have the link sent that makes the address the player's. The caller has checked their password. MailRefused."""
    queue_mail("mail_proof", player.pk, address, site_of(request), get_language() or ENGLISH)


def send_confirmation(player: Player, address: str, site: str, language: str) -> None:
    """Send the mail with the link that confirms the address."""
    with override(language):
        link = site + reverse("lobby:email_proof", args=[_token(player, address)])
        deliver(
            address,
            worded("is this your address?"),
            worded("Somebody, we think you, wants to use this e-mail address for the account {name}.",
                   name=player.username),
            worded("Open this page within 24 hours to confirm it:"),
            link,
            worded("If it was not you, do nothing, and you will not hear from us again."),
        )  # fmt: skip


def read_token(token: str, *, locked: bool = False) -> tuple[Player, str] | None:
    """Return the player, whose row may be `locked` first, and the address; None for a link that is too old or void.

    A new password, or another address, makes earlier links void.
    """
    try:
        player_id, address, before, proof = signing.loads(token, salt=_SALT, max_age=AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    players = Player.objects.select_for_update() if locked else Player.objects.all()
    player = players.filter(pk=player_id, is_active=True, email=before).first()
    return (player, address) if player is not None and _proof(player) == proof else None


@transaction.atomic
def confirm_address(token: str, request: HttpRequest) -> str | None:
    """Make the address of the link the player's and return it; None where the link is void, or was used just now.

    MailRefused as by `set_address`.
    """
    proof = read_token(token, locked=True)
    if proof is None:
        return None
    set_address(*proof, request)
    return proof[1]


@transaction.atomic
def set_address(player: Player, address: str, request: HttpRequest) -> None:
    """Make the address the player's, or remove theirs where it is empty; the former address gets a notice.

    MailRefused where the notice cannot be sent; nothing is changed then.
    """
    fresh = Player.objects.select_for_update().get(pk=player.pk)
    before, fresh.email = fresh.email, address
    fresh.save(update_fields=["email"])
    after = {"email": "(confirmed)" if address else "(removed)"}
    record(Actor(fresh.username, fresh, client_address(request)), ACT, fresh, after=after)
    if before:
        queue_mail("mail_address_changed", before, fresh.username, fresh.language or ENGLISH)


def send_change_notice(address: str, name: str, language: str) -> None:
    """Send the former address a notice that the account no longer uses it."""
    with override(language):
        deliver(
            address,
            worded("this address is not used any more"),
            worded("The account {name} does not use this e-mail address any more.", name=name),
            worded("If you did not want that, sign in, change your password, and set the address again."),
        )


def queue_password_notice(player: Player) -> None:
    """Tell the confirmed address, if there is one, that the password was set anew: once that is certain.

    The password is set whether or not a mail can go out; what keeps it back is logged.
    """
    if player.email and is_configured():
        arguments = (player.email, player.username, player.language or ENGLISH)
        transaction.on_commit(lambda: queue_mail("mail_password_set", *arguments), robust=True)


def send_password_notice(address: str, name: str, language: str) -> None:
    """Tell the address that the account has another password."""
    with override(language):
        deliver(
            address,
            worded("your password was set anew"),
            worded("The password of the account {name} has just been set anew.", name=name),
            worded("If that was you, there is nothing to do."),
            worded("If it was not you, set another one at once: “Forgotten your password?” on the sign-in page sends a "
                   "link to this address. Then make new recovery codes on your account page."),
        )  # fmt: skip


def _token(player: Player, address: str) -> str:
    return signing.dumps([player.pk, address, player.email, _proof(player)], salt=_SALT)


def _proof(player: Player) -> str:
    """Return text that changes with the password and does not reveal it."""
    return player.get_session_auth_hash()[:16]
