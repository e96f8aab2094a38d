"""The daily e-mail to each person of the staff on what waits for them, with the counts of their first page."""

from django.conf import settings
from django.utils.translation import override

from lobby.accounts.mail.sending import deliver, is_configured, queue_mail
from lobby.accounts.models import Player
from lobby.backoffice.waiting import waiting_for
from wallet.language import ENGLISH


def mail_staff() -> int:
    """Have one mail sent to each person for whom anything waits, and return how many.

    People without a confirmed address get none.
    """
    if not is_configured():
        return 0
    staff = Player.objects.filter(is_staff=True, is_active=True).exclude(email="").order_by("pk")
    persons = [person for person in staff if waiting_for(person)]
    for person in persons:
        queue_mail("mail_waiting", person.pk)
    return len(persons)


def send_waiting(person: Player) -> None:
    """Send the person what waits for them now, if anything does. For a worker."""
    waiting = waiting_for(person)
    if not waiting:
        return
    total = sum(item.count for item in waiting)
    lines = [f"{item.title}: {item.count}\n{settings.EMAIL_SITE}{item.href}" for item in waiting]
    with override(ENGLISH):
        deliver(person.email, f"{total} {'thing waits' if total == 1 else 'things wait'} for you", *lines)
