"""The Celery tasks of the lobby."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from celery import shared_task
from django.conf import settings

from lobby.accounts import guests, mail
from lobby.accounts.mail import FAILURES, forget_orders
from lobby.accounts.models import MailOrder, Player
from lobby.accounts.recovery import by_mail
from lobby.backoffice import work_queue
from lobby.collusion import services as collusion
from lobby.friends import invitations
from lobby.puzzles import stock
from lobby.ratings import services as ratings
from lobby.reports import services
from lobby.reports.models import Report
from lobby.stakes import services as stakes

#: Seconds between two tries to send a mail, and how many there are: three hours. The broker gives a task that waits
#: longer than its visibility timeout to another worker as well.
PAUSE, TRIES = 60, 180


def mail_task(send: Callable[..., None]) -> Any:
    """Make a task that sends mails. It is tried again while the server cannot be reached; Celery logs each failure."""
    return shared_task(
        name=f"lobby.tasks.{send.__name__}",
        ignore_result=True,
        autoretry_for=FAILURES,
        default_retry_delay=PAUSE,
        max_retries=TRIES,
    )(send)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def keep_tables_open() -> None:
    """Open a table of every stake on offer that has none left to join."""
    stakes.ensure_tables()


@shared_task(name="lobby.tasks.forget_guests", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_guests() -> None:
    """Lock, once a day, guests who came long ago and never finished a deal."""
    guests.forget_guests()


@shared_task(name="lobby.tasks.forget_invitations", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_invitations() -> None:
    """Delete, once an hour, invitations that are not valid any more, and orders of mails that could not go out."""
    invitations.forget_invitations()
    forget_orders()


@shared_task(name="lobby.tasks.forget_sessions", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_sessions() -> None:
    """Delete, once a day, sessions that have ended."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


@shared_task(name="lobby.tasks.tell_staff", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_staff() -> None:
    """Have a mail on what waits sent to each person of the staff, and the heads to who keeps them, once a day."""
    work_queue.mail_staff()
    work_queue.mail_heads()


@shared_task(name="lobby.tasks.keep_puzzles", ignore_result=True)  # type: ignore[untyped-decorator]
def keep_puzzles() -> None:
    """Take in the puzzles that come with the product, where they are not."""
    stock.ensure_stock()


@shared_task(name="lobby.tasks.make_puzzles", ignore_result=True)  # type: ignore[untyped-decorator]
def make_puzzles() -> None:
    """Make a few puzzles of the day's deals of people who share theirs, once a day."""
    stock.make_from_people()


@shared_task(name="lobby.tasks.rate", ignore_result=True)  # type: ignore[untyped-decorator]
def rate() -> None:
    """Rate what has finished since the last time."""
    ratings.take_up()


@shared_task(name="lobby.tasks.mend_ratings", ignore_result=True)  # type: ignore[untyped-decorator]
def mend_ratings() -> None:
    """Reckon all ratings anew, once a day, and replace them where one differs."""
    ratings.mend()


@shared_task(name="lobby.tasks.look_at_pairs", ignore_result=True)  # type: ignore[untyped-decorator]
def look_at_pairs() -> None:
    """Count, once a night, how pairs of players played together, and judge them for staff."""
    collusion.nightly()


def mail_order(send: Callable[[MailOrder], None]) -> Any:
    """Make a task that carries out an order; of one that is carried out nothing is left, so that is done once."""

    @wraps(send)
    def carry_out(order_id: int) -> None:
        order = MailOrder.objects.select_related("player").filter(pk=order_id).first()
        if order is not None:
            send(order)
            order.delete()

    return mail_task(carry_out)


@mail_order
def mail_proof(order: MailOrder) -> None:
    """Send the mail with the link that confirms the player's address."""
    mail.send_confirmation(order)


@mail_order
def mail_address_changed(order: MailOrder) -> None:
    """Send the former address a notice that the account no longer uses it."""
    mail.send_change_notice(order)


@mail_order
def mail_password_set(order: MailOrder) -> None:
    """Tell the address that the account has another password."""
    assert order.player is not None
    mail.send_password_notice(order.address, order.player.username, order.language)


@mail_order
def mail_reset(order: MailOrder) -> None:
    """Send a link that sets a new password, to each account with the address."""
    by_mail.send_reset_links(order)


@mail_order
def mail_latest_heads(order: MailOrder) -> None:
    """Send the heads of the latest days to somebody who keeps them."""
    work_queue.send_heads(order)


@mail_task
def mail_support_link(player_id: int) -> None:
    """Send a link that sets a new password, to the player whom support lets back in."""
    by_mail.send_support_link(Player.objects.get(pk=player_id))


@mail_task
def mail_waiting(person_id: int) -> None:
    """Send a person of the staff what waits for them."""
    work_queue.send_waiting(Player.objects.get(pk=person_id))


@mail_task
def mail_complaint_received(report_id: int) -> None:
    """Send the number of a complaint, and by when it is answered, to the address in it."""
    services.send_received(Report.objects.get(pk=report_id))


@mail_task
def mail_complaint_answer(report_id: int) -> None:
    """Send the answer to a complaint to the address in it."""
    services.send_answer(Report.objects.get(pk=report_id))
