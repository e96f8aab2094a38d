"""E-mail by Django's backends. Workers send it, so that no page waits or reveals by its delay what it found."""

import logging
from smtplib import SMTPException, SMTPRecipientsRefused

from celery import current_app
from django.conf import settings
from django.core.mail import send_mail
from django.http import HttpRequest
from kombu.exceptions import OperationalError

from wallet.base.errors import Refusal
from wallet.language import worded

log = logging.getLogger(__name__)

#: What sending raises while the server is away or refuses us.
FAILURES = (SMTPException, OSError)
#: From this code of SMTP on, a refusal is for good.
_FOR_GOOD = 500
_OFF = "django.core.mail.backends.dummy.EmailBackend"


class MailRefused(Refusal):
    """No e-mail is sent: `no_mail` for now, or `too_many_attempts`."""


def is_configured() -> bool:
    """Return whether this installation sends e-mail."""
    return bool(_OFF != settings.EMAIL_BACKEND)


def site_of(request: HttpRequest) -> str:
    """Return the origin of the links in mails."""
    return settings.EMAIL_SITE or f"{request.scheme}://{request.get_host()}"


def queue_mail(task: str, *arguments: object) -> None:
    """Have a worker run `lobby.tasks.TASK`, which sends a mail. MailRefused where the broker cannot be reached."""
    try:
        current_app.send_task(f"lobby.tasks.{task}", arguments, retry=False)
    except OperationalError as fault:
        message = worded("No e-mail can be sent right now. Please try again in a few minutes.")
        raise MailRefused("no_mail", message, status=503) from fault


def deliver(to: str, subject: str, *paragraphs: str) -> None:
    """Send the mail now, to one address. Not for pages, since a mail server may be slow.

    What goes wrong is logged, without the address, and raised as one of FAILURES; except where the server refuses the
    address for good: then it is not worth another try.
    """
    try:
        send_mail(f"Thirteen: {subject}", "\n\n".join(paragraphs) + "\n", None, [to])
    except SMTPRecipientsRefused as refusal:
        codes = [code for code, _ in refusal.recipients.values()]
        log.warning("an e-mail did not go out: its address is refused with %s", codes)
        if min(codes) < _FOR_GOOD:
            raise
    except FAILURES as fault:
        log.warning("an e-mail did not go out: %r", fault)
        raise
