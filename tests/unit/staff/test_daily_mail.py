"""Staff are e-mailed what waits for them, each by their rights, and nothing if nothing waits."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from lobby.accounts.models import MailOrder, SupportRecovery
from lobby.backoffice import recoveries, work_queue
from lobby.backoffice.work_queue import waiting_for
from lobby.models import Player
from tests.support import mail as workers
from tests.support.players import signed_up
from tests.support.staff import employ
from wallet.audit import heads, nightly
from wallet.audit_log.services import Actor
from wallet.models import DayHead

pytestmark = pytest.mark.django_db
handed_over, work = workers.handed_over, workers.work


@pytest.fixture
def waits(settings: Any) -> Player:
    """Return somebody of support with an e-mail address, for whom one recovery waits."""
    settings.EMAIL_SITE = "https://rummy.test"
    helper = employ("support")
    Player.objects.filter(pk=helper.pk).update(email="helper@example.com")
    recoveries.ask(employ("finance"), "Known", Actor("o", employ("support", "other_support")))
    return Player.objects.get(pk=helper.pk)


def test_each_mail_has_the_counts_of_the_first_page(waits: Player, work: Any) -> None:
    clerk = Player.objects.get(username="the_finance")
    Player.objects.filter(pk=clerk.pk).update(email="clerk@example.com")
    sent_count = work_queue.mail_staff()
    sent = work()
    assert (sent[0].to, sent[0].subject) == (["helper@example.com"], "Thirteen: 1 thing waits for you")
    assert sent_count == len(sent) == sum(bool(waiting_for(person)) for person in (waits, clerk))
    [line] = waiting_for(waits)
    assert f"{line.title}: 1\nhttps://rummy.test{line.href}" in sent[0].body


def test_no_mail_is_sent_without_waiting_work_or_without_e_mail(waits: Player, settings: Any, work: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert work_queue.mail_staff() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    Player.objects.filter(pk=waits.pk).update(is_active=False)
    assert (work_queue.mail_staff(), work()) == (0, [])


def test_work_done_meanwhile_is_not_mailed(waits: Player, work: Any) -> None:
    assert work_queue.mail_staff() == 1
    SupportRecovery.objects.update(status=SupportRecovery.Status.GRANTED)
    assert work() == []


def test_the_heads_go_to_who_keeps_them_in_a_form_that_the_audit_reads(settings: Any, work: Any) -> None:
    signed_up("asha")
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        nightly.run_nightly()
    settings.HEADS_TO = ["auditor@example.org", "notary@example.org"]
    work_queue.mail_heads()
    sent = work()
    assert [each.to for each in sent] == [["auditor@example.org"], ["notary@example.org"]]
    head = DayHead.objects.get()
    assert sent[0].subject == f"Thirteen: heads of the days up to {head.day}"
    [copy] = heads.read_heads(sent[0].body)
    assert (copy.day, copy.digest) == (head.day, head.digest)
    assert list(heads.compare_heads([copy])) == []
    assert not MailOrder.objects.exists()


def test_no_heads_go_out_where_there_are_none_or_no_mail(settings: Any, work: Any) -> None:
    settings.HEADS_TO = ["auditor@example.org"]
    work_queue.mail_heads()
    assert work() == []
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    work_queue.mail_heads()
    assert not MailOrder.objects.exists()
