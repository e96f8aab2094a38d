"""The mails of a complaint: its number when it has come in, and the answer."""

from django.conf import settings
from django.core.signing import Signer
from django.urls import reverse
from django.utils.translation import override

from lobby.about import operator
from lobby.accounts.mail.sending import MailRefused, deliver, is_configured, queue_mail
from lobby.reports.models import Report
from wallet.base.report_zone import format_moment
from wallet.language import ENGLISH, gettext as _

SIGNER = Signer(salt="lobby.reports.complaint")


def link_token(complaint: Report) -> str:
    """Return what opens the complaint to whoever has it."""
    return SIGNER.sign(str(complaint.pk))


def queue(task: str, complaint: Report) -> None:
    """Have a worker send the mail about the complaint, where it has an address and e-mail is sent at all.

    The complaint stands without it: a mail that no worker can be told of is missed, and the page shows the same.
    """
    if complaint.email and is_configured():
        try:
            queue_mail(task, complaint.pk)
        except MailRefused:
            return


def send_received(complaint: Report) -> None:
    """Send the number, the link and both times. For a worker."""
    if not complaint.email:
        return
    with override(complaint.language or ENGLISH):
        acknowledged, answered = format_moment(complaint.acknowledge_by), format_moment(complaint.answer_by)
        deliver(
            complaint.email,
            _("your complaint no. {number}", number=complaint.pk),
            _("Your complaint has come in. Its number is {number}.", number=complaint.pk),
            _("Somebody takes it up by {acknowledged}, and answers it by {answered}.",
                   acknowledged=acknowledged, answered=answered),
            _("This page shows how far it is:"),
            _link(complaint),
            _("If the answer does not settle it, turn to: {instance}.", instance=operator().next_instance),
        )  # fmt: skip


def send_answer(complaint: Report) -> None:
    """Send the answer, and forget the address: it is needed no more. For a worker."""
    if not complaint.email or not complaint.answer:
        return
    with override(complaint.language or ENGLISH):
        deliver(
            complaint.email,
            _("the answer to your complaint no. {number}", number=complaint.pk),
            complaint.answer,
            _("If the answer does not settle it, turn to: {instance}.", instance=operator().next_instance),
            _link(complaint),
        )
    Report.objects.filter(pk=complaint.pk).update(email="")


def _link(complaint: Report) -> str:
    return settings.EMAIL_SITE + reverse("lobby:complaint_by_link", args=[link_token(complaint)])
