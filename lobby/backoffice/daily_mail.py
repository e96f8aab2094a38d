"""The daily e-mails: to each person of the staff what waits for them, with the counts of their first page.

And to addresses outside the heads of the days, so that others hold them: see `wallet.audit.heads`.
"""

from django.conf import settings
from django.utils.translation import override

from lobby.accounts.mail import deliver, is_configured, order_mail, queue_mail
from lobby.accounts.models import MailOrder, Player
from lobby.backoffice.work_queue import waiting_for
from wallet.audit import heads
from wallet.language import ENGLISH

#: Each mail repeats the heads of this many days: one that went astray takes none with it.
DAYS = 31


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


def mail_heads() -> None:
    """Have the latest heads sent to each address of HEADS_TO."""
    for address in settings.HEADS_TO if is_configured() else ():
        order_mail("mail_latest_heads", address, ENGLISH)


def send_heads(order: MailOrder) -> None:
    """Send the latest heads to the address, in a form that `audit_ledger --heads` reads. For a worker."""
    title, *lines = heads.head_lines()
    if lines:
        how = "# Keep this. `manage.py audit_ledger --heads FILE` compares the books with this mail, saved as a file."
        latest = "\n".join([title, *lines[-DAYS:]])
        deliver(order.address, f"heads of the days up to {lines[-1].split()[0]}", how, latest)
