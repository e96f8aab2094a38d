"""The e-mail address of an account: it is set only once the link sent to it has been opened and confirmed."""

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, override

from lobby.accounts.mail.sending import deliver, is_configured, order_mail
from lobby.accounts.models import MailOrder, Player
from wallet.audit_log.services import Actor, client_address, record
from wallet.base.errors import Refusal
from wallet.language import ENGLISH, gettext as _, gettext_lazy

_SALT = "lobby.accounts.mail.addresses"
#: Seconds for which the link confirms an address.
AGE = 24 * 3_600
VOID_LINK = gettext_lazy(
    "This link is too old, or something newer has taken its place. Ask for another one on your account page."
)
#: The name of the act in the trail, which never holds the address itself, since its entries are never deleted.
ACT = "player.email"


class VoidLink(Refusal):
    """The link confirms nothing, or nothing any more; `code` is `void_link`."""

    def __init__(self) -> None:
        super().__init__("void_link", VOID_LINK, status=410)


def queue_confirmation(player: Player, address: str) -> None:
    """Have the link sent that makes the address the player's. The caller has checked their password. MailRefused."""
    order_mail("mail_proof", address, get_language() or ENGLISH, player)


def send_confirmation(order: MailOrder) -> None:
    """Send the mail with the link that confirms the address."""
    assert order.player is not None
    with override(order.language):
        link = settings.EMAIL_SITE + reverse("lobby:email_proof", args=[_token(order.player, order.address)])
        deliver(
            order.address,
            _("is this your address?"),
            _("Somebody, most likely you, wants to use this e-mail address for the account {name}.",
                   name=order.player.username),
            _("Open this page within 24 hours to confirm it:"),
            link,
            _("If it was not you, do nothing, and you will not hear from us again."),
        )  # fmt: skip


def read_token(token: str, player: Player) -> str:
    """Return the address that the player's link is about. VoidLink for a link of another, and one that is old or void.

    A new password, or another address, makes earlier links void.
    """
    try:
        player_id, address, before, proof = signing.loads(token, salt=_SALT, max_age=AGE)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise VoidLink from error
    is_theirs = player_id == player.pk and player.is_active and before == player.email
    if not is_theirs or _proof(player) != proof:
        raise VoidLink
    return str(address)


@transaction.atomic
def confirm_address(token: str, player: Player, request: HttpRequest) -> str:
    """Make the address of the link the player's and return it. VoidLink also where the link was used just now.

    MailRefused as by `set_address`.
    """
    address = read_token(token, Player.objects.select_for_update().get(pk=player.pk))
    set_address(player, address, request)
    return address


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
        order_mail("mail_address_changed", before, fresh.language or ENGLISH, fresh)


def send_change_notice(order: MailOrder) -> None:
    """Send the former address a notice that the account no longer uses it."""
    assert order.player is not None
    with override(order.language):
        deliver(
            order.address,
            _("this address is not used any more"),
            _("The account {name} does not use this e-mail address any more.", name=order.player.username),
            _("If you did not want that, sign in, change your password, and set the address again."),
        )


def queue_password_notice(player: Player) -> None:
    """Tell the confirmed address, if there is one, that the password was set anew: once that is certain.

    The password is set whether or not a mail can go out; what keeps it back is logged.
    """
    if player.email and is_configured():
        address, language = player.email, player.language or ENGLISH
        transaction.on_commit(lambda: order_mail("mail_password_set", address, language, player), robust=True)


def send_password_notice(address: str, name: str, language: str) -> None:
    """Tell the address that the account has another password."""
    with override(language):
        deliver(
            address,
            _("your password was set anew"),
            _("The password of the account {name} has just been changed.", name=name),
            _("If that was you, there is nothing to do."),
            _("If it was not you, set another one at once: “Forgotten your password?” on the sign-in page sends a "
                   "link to this address. Then make new recovery codes on your account page."),
        )  # fmt: skip


def _token(player: Player, address: str) -> str:
    return signing.dumps([player.pk, address, player.email, _proof(player)], salt=_SALT)


def _proof(player: Player) -> str:
    """Return text that changes with the password and does not reveal it."""
    return player.get_session_auth_hash()[:16]
