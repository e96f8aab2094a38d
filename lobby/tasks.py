"""The Celery tasks of the lobby."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db.models import Model

from lobby.accounts import guests, mail
from lobby.accounts.mail import FAILURES, forget_orders
from lobby.accounts.models import MailOrder, Player
from lobby.accounts.recovery import by_mail
from lobby.backoffice import work_queue
from lobby.collusion import services as collusion
from lobby.friends import invitations
from lobby.puzzles import stock
from lobby.ratings import services as ratings
from lobby.reports import services as reports
from lobby.reports.models import Report
from lobby.stakes import services as stakes

#: Seconds between two tries to send a mail, and how many there are: three hours. The broker gives a task that waits
#: longer than its visibility timeout to another worker as well.
PAUSE, TRIES = 60, 180


@shared_task
def keep_tables_open() -> None:
    """Open a table of every stake on offer that has none left to join."""
    stakes.ensure_tables()


@shared_task
def forget_guests() -> None:
    """Lock, once a day, guests who came long ago and never finished a deal."""
    guests.forget_guests()


@shared_task
def forget_invitations() -> None:
    """Delete, once an hour, invitations that are not valid any more, and what is kept for mails that did not go out."""
    invitations.forget_invitations()
    forget_orders()
    reports.forget_late_addresses()


@shared_task
def forget_sessions() -> None:
    """Delete, once a day, sessions that have ended."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


@shared_task
def tell_staff() -> None:
    """Have a mail on what waits sent to each person of the staff, and the heads to who keeps them, once a day."""
    work_queue.mail_staff()
    work_queue.mail_heads()


@shared_task
def keep_puzzles() -> None:
    """Take in the puzzles that come with the product, where they are not."""
    stock.ensure_stock()


@shared_task
def make_puzzles() -> None:
    """Make a few puzzles of the day's deals of people who share theirs, once a day."""
    stock.make_from_people()


@shared_task
def rate() -> None:
    """Rate what has finished since the last time."""
    ratings.take_up()


@shared_task
def mend_ratings() -> None:
    """Reckon all ratings anew, once a day, and replace them where one differs."""
    ratings.mend()


@shared_task
def look_at_pairs() -> None:
    """Count, once a night, how pairs of players played together, and judge them for staff."""
    collusion.nightly()


def mail_task(name: str, send: Callable[[Any], None], about: type[Model], *, once: bool = False) -> Any:
    """Make the task of that name, which sends the mail about the row of that id, if there is one.

    It is tried again while the server cannot be reached; Celery logs each failure. A row that is only for `once`, as an
    order is, goes with its mail.
    """

    def send_mail(row_id: int) -> None:
        row = about._default_manager.filter(pk=row_id).first()
        if row is not None:
            send(row)
            if once:
                row.delete()

    send_mail.__name__ = send_mail.__qualname__ = name
    return shared_task(autoretry_for=FAILURES, default_retry_delay=PAUSE, max_retries=TRIES)(send_mail)


mail_proof = mail_task("mail_proof", mail.send_confirmation, MailOrder, once=True)
mail_address_changed = mail_task("mail_address_changed", mail.send_change_notice, MailOrder, once=True)
mail_password_set = mail_task("mail_password_set", mail.send_password_notice, MailOrder, once=True)
mail_reset = mail_task("mail_reset", by_mail.send_reset_links, MailOrder, once=True)
mail_latest_heads = mail_task("mail_latest_heads", work_queue.send_heads, MailOrder, once=True)
mail_support_link = mail_task("mail_support_link", by_mail.send_support_link, Player)
mail_waiting = mail_task("mail_waiting", work_queue.send_waiting, Player)
mail_complaint_received = mail_task("mail_complaint_received", reports.send_received, Report)
mail_complaint_answer = mail_task("mail_complaint_answer", reports.send_answer, Report)
