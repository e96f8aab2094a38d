"""Support recovers accounts without ever seeing a password; for accounts of staff it takes two people."""

import re
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from lobby.accounts.recovery import codes
from lobby.backoffice import recoveries
from lobby.backoffice.services import StaffRefusal
from lobby.models import PasswordCode, Player, SupportRecovery
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import act, browser_of, employ
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db

NEW = "fourteen louder cards"


def messages_of(answer: Any) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def code_in(text: str) -> str:
    return re.findall(r"[0-9a-z]{4}(?:-[0-9a-z]{4}){3}", text)[0]


def set_by(code: str, name: str = "asha") -> int:
    return Client().post("/login/forgotten/", {"username": name, "code": code, "password": NEW}).status_code


def test_a_code_that_support_reads_out_sets_a_new_password_once() -> None:
    asha, helper = signed_up("asha"), employ("support")
    browser = browser_of(asha)
    text = messages_of(act(browser_of(helper), "lobby_player_recover", asha.pk, reason="Told me her last deals"))
    code = code_in(text)
    assert (set_by(code), set_by(code)) == (302, 400)
    assert browser.get("/account/").status_code == 302, "other sessions have ended"
    acts = AuditEntry.objects.filter(what__in=[recoveries.ACT, codes.ACT], object_id=str(asha.pk)).order_by("pk")
    assert [(entry.what, entry.user_id) for entry in acts] == [
        ("player.recovery", helper.pk),
        ("player.password", asha.pk),
    ]
    assert acts[1].after == {"password": "(set)", "with": "a code of support"}
    assert code not in str(list(AuditEntry.objects.values_list()))
    assert audit.audit().differences == []
    signed_in = Client().post("/login/", {"username": "asha", "password": NEW}, follow=True)
    assert "Our staff let you back" in signed_in.content.decode()
    again = Client().post("/login/", {"username": "asha", "password": NEW}, follow=True)
    assert "Our staff let you back" not in again.content.decode()


def test_a_code_of_support_expires_and_is_not_counted_as_the_players_own() -> None:
    asha = signed_up("asha")
    code = code_in(recoveries.ask(asha, "Known", Actor("h", employ("support"))))
    assert codes.codes_left(asha) == 0
    PasswordCode.objects.update(expires_at="2026-01-01T00:00:00Z")
    assert set_by(code) == 400


def test_with_an_address_a_link_is_mailed_and_support_sees_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[Any] = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, arguments, **_: queued.append((name, arguments)))
    asha = signed_up("asha", email="asha@example.com")
    answer = recoveries.ask(asha, "Known", Actor("h", employ("support")))
    assert queued == [("lobby.tasks.mail_support_link", (asha.pk,))]
    assert "confirmed e-mail address" in answer
    assert not PasswordCode.objects.exists()


def test_an_account_of_the_staff_takes_two_people() -> None:
    clerk, first, second = employ("finance"), employ("support"), employ("support", "other_support")
    message = messages_of(act(browser_of(first), "lobby_player_recover", clerk.pk))
    assert "second person" in message and not PasswordCode.objects.exists()
    [recovery] = SupportRecovery.objects.all()
    for person in (first, clerk):
        with pytest.raises(StaffRefusal):
            recoveries.approve(recovery, "Yes", Actor(person.username, person))
    assert [recoveries.count_recoveries(person) for person in (first, clerk, second)] == [0, 0, 1]
    text = messages_of(act(browser_of(second), "lobby_supportrecovery_approve", recovery.pk))
    assert set_by(code_in(text), clerk.username) == 302
    assert recoveries.count_recoveries(second) == 0


def test_only_a_superuser_recovers_the_account_of_a_superuser() -> None:
    boss, first, second = employ("superuser"), employ("support"), employ("support", "other_support")
    recoveries.ask(boss, "Known", Actor("h", first))
    recovery = SupportRecovery.objects.get()
    with pytest.raises(StaffRefusal):
        recoveries.approve(recovery, "Yes", Actor("s", second))
    recoveries.refuse(recovery, "No", Actor("b", employ("superuser", "other_boss")))
    with pytest.raises(StaffRefusal):
        recoveries.approve(recovery, "Yes after all", Actor("b", boss))


@pytest.mark.parametrize("changes", [{"is_active": False}, {"is_guest": True}])
def test_guests_and_locked_accounts_are_not_recovered(changes: dict[str, bool]) -> None:
    asha = signed_up("asha", **changes)
    with pytest.raises(StaffRefusal):
        recoveries.ask(asha, "Known", Actor("h", employ("support")))


def test_nobody_recovers_their_own_account_and_only_support_does() -> None:
    helper, clerk = employ("support"), employ("finance")
    with pytest.raises(StaffRefusal):
        recoveries.ask(helper, "It is me", Actor("h", helper))
    asha = signed_up("asha", email="asha@example.com")
    assert browser_of(clerk).get(f"/admin/lobby/player/recover/?ids={asha.pk}").status_code == 403
    assert "asha@example.com" not in browser_of(clerk).get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()
    assert "asha@example.com" in browser_of(helper).get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()
    assert Player.objects.get(pk=asha.pk).check_password(PASSWORD)
