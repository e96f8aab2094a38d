"""Staff are told by e-mail what waits for them, each by their rights, and nothing where nothing waits."""

from typing import Any

import pytest
from django.core import mail

from lobby.backoffice import daily_mail, recoveries
from lobby.backoffice.waiting import waiting_for
from lobby.models import Player
from tests.support.staff import employ
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def waits(settings: Any) -> Player:
    """Somebody of support, with an address, for whom one recovery waits."""
    settings.EMAIL_SITE = "https://rummy.test"
    helper = employ("support")
    Player.objects.filter(pk=helper.pk).update(email="helper@example.com")
    recoveries.ask(employ("finance"), "Known", Actor("o", employ("support", "other_support")))
    return Player.objects.get(pk=helper.pk)


def test_each_is_told_what_their_first_page_counts(waits: Player) -> None:
    clerk = Player.objects.get(username="the_finance")
    Player.objects.filter(pk=clerk.pk).update(email="clerk@example.com")
    told = daily_mail.mail_staff()
    assert [(each.to, each.subject) for each in mail.outbox][:1] == [
        (["helper@example.com"], "Thirteen: 1 thing waits for you")
    ]
    assert told == len(mail.outbox) == sum(bool(waiting_for(each)) for each in (waits, clerk))
    [line] = waiting_for(waits)
    assert f"{line.title}: 1\nhttps://rummy.test{line.href}" in mail.outbox[0].body


def test_nothing_goes_out_where_nothing_waits_or_no_e_mail_is_sent(waits: Player, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert daily_mail.mail_staff() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    Player.objects.filter(pk=waits.pk).update(is_active=False)
    assert (daily_mail.mail_staff(), mail.outbox) == (0, [])


def test_one_mail_that_does_not_go_out_keeps_no_other_back(waits: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    boss = employ("superuser")
    Player.objects.filter(pk=boss.pk).update(email="boss@example.com")
    sent: list[str] = []

    def deliver(to: str, *text: str) -> None:
        if to == "helper@example.com":
            raise ConnectionRefusedError
        sent.append(to)

    monkeypatch.setattr(daily_mail, "deliver", deliver)
    assert (daily_mail.mail_staff(), sent) == (1, ["boss@example.com"])
