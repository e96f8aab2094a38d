"""E-mail by Django's backends, and the address of an account, which is set only once its link was opened and confirmed.

Workers send all mail, so that no page waits or reveals by its delay what it found.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Any

from celery import current_app
from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.core.management.base import BaseCommand
from django.db import connection, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, override
from kombu.exceptions import OperationalError

from lobby.accounts.models import MailOrder, Player
from wallet.audit_log.services import of_request, record
from wallet.base.errors import Refusal
from wallet.language import ENGLISH, gettext as _, gettext_lazy

log = logging.getLogger(__name__)

#: What sending raises while the server is away or refuses us.
FAILURES = (SMTPException, OSError)
#: From this code of SMTP on, a refusal is for good.
_FOR_GOOD = 500
#: Seconds after which a transaction of now is over: the database ends one that stands idle for three.
AFTER_COMMIT = 4.0
#: Hours for which a mail is tried.
HOURS = 4
_OFF = "django.core.mail.backends.dummy.EmailBackend"
#: In the tokens of links that are under way, so it stays as it is.
_SALT = "lobby.accounts.mail.addresses"
#: Seconds for which the link confirms an address.
AGE = 24 * 3_600
VOID_LINK = gettext_lazy(
    "This link is too old, or something newer has taken its place. Ask for another one on your account page."
)
#: The name of the act in the trail, which never holds the address itself, since its entries are never deleted.
ACT = "player.email"


class MailRefused(Refusal):
    """No e-mail is sent: `no_mail` for now, or `too_many_attempts`."""


def is_configured() -> bool:
    """Return whether this installation sends e-mail."""
    return bool(_OFF != settings.EMAIL_BACKEND)


def queue_mail(task: str, row_id: int, *, countdown: float = 0) -> None:
    """Have a worker run that task of `lobby.tasks`, which sends a mail about that row. MailRefused without a broker.

    The broker is told an id and no more: whoever reads along there learns no address.
    """
    try:
        current_app.send_task(f"lobby.tasks.{task}", (row_id,), countdown=countdown, retry=False)
    except OperationalError as fault:
        message = _("No e-mail can be sent right now. Please try again in a few minutes.")
        raise MailRefused("no_mail", message, status=503) from fault


def order_mail(task: str, address: str, language: str, player: Player | None = None) -> None:
    """Have a worker send the mail to this address. MailRefused where the broker cannot be reached."""
    order = MailOrder.objects.create(player=player, address=address, language=language)
    # Within a transaction the worker must not come before its end.
    queue_mail(task, order.pk, countdown=AFTER_COMMIT if connection.in_atomic_block else 0)


def forget_orders() -> None:
    """Delete the orders that no worker could carry out in time."""
    MailOrder.objects.filter(made_at__lt=timezone.now() - timedelta(hours=HOURS)).delete()


def deliver(to: str, subject: str, *paragraphs: str) -> None:
    """Send the mail now, to one address. Not for pages, since a mail server may be slow.

    What goes wrong is logged, without the address, and raised as one of FAILURES; except where the server refuses the
    address for good: then it is not worth another try.
    """
    try:
        send_mail(f"Thirteen: {subject}", "\n\n".join(paragraphs) + "\n", None, [to])
    except SMTPRecipientsRefused as refusal:
        codes = [code for code, _text in refusal.recipients.values()]
        log.warning("an e-mail did not go out: its address is refused with %s", codes)
        if min(codes) < _FOR_GOOD:
            raise
    except FAILURES as fault:
        log.warning("an e-mail did not go out: %r", fault)
        raise


def deliver_here(command: BaseCommand, send: Callable[..., None], *arguments: Any) -> None:
    """Have `send` deliver a mail from a command, at once, since no worker may run, if e-mail is configured.

    The person at the terminal sees a failure, which undoes nothing.
    """
    if is_configured():
        try:
            send(*arguments)
        except FAILURES as fault:
            command.stderr.write(f"No e-mail about it could be sent: {fault}")


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
    if not is_theirs or player.password_mark != proof:
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
    record(of_request(request, fresh), ACT, fresh, after=after)
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


def send_password_notice(order: MailOrder) -> None:
    """Tell the address that the account has another password."""
    assert order.player is not None
    with override(order.language):
        deliver(
            order.address,
            _("your password was set anew"),
            _("The password of the account {name} has just been changed.", name=order.player.username),
            _("If that was you, there is nothing to do."),
            _("If it was not you, set another one at once: “Forgotten your password?” on the sign-in page sends a "
                   "link to this address. Then make new recovery codes on your account page."),
        )  # fmt: skip


def _token(player: Player, address: str) -> str:
    return signing.dumps([player.pk, address, player.email, player.password_mark], salt=_SALT)
