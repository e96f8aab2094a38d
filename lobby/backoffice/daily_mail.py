"""The daily e-mail to each person of the staff on what waits for them, with the counts of their first page."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.utils.translation import override

from lobby.accounts.mail.sending import deliver, is_configured
from lobby.accounts.models import Player
from lobby.backoffice.waiting import waiting_for
from wallet.language import ENGLISH

log = logging.getLogger(__name__)


def mail_staff() -> int:
    """Send one mail to each person for whom anything waits, and return how many were sent.

    People without a confirmed address get none. A mail that cannot be sent is logged, and the others are sent.
    """
    if not is_configured():
        return 0
    staff = Player.objects.filter(is_staff=True, is_active=True).exclude(email="").order_by("pk")
    return sum(_mail_person(person) for person in staff)


def _mail_person(person: Player) -> bool:
    waiting = waiting_for(person)
    if not waiting:
        return False
    total = sum(item.count for item in waiting)
    lines = [f"{item.title}: {item.count}\n{settings.EMAIL_SITE}{item.href}" for item in waiting]
    with override(ENGLISH):
        try:
            deliver(person.email, f"{total} {'thing waits' if total == 1 else 'things wait'} for you", *lines)
        except (SMTPException, OSError) as error:
            log.error("what waits could not be sent to player %s: %r", person.pk, error)
            return False
    return True
