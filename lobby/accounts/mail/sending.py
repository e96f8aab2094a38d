"""E-mail by Django's backends. Workers send it, so that no page waits or reveals by its delay what it found."""

import logging
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

from celery import current_app
from django.conf import settings
from django.core.mail import send_mail
from django.db import connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from lobby.accounts.models import MailOrder, Player
from wallet.base.errors import Refusal
from wallet.language import gettext as _

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
