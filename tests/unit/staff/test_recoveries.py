"""Support recovers accounts without ever seeing a password; for accounts of staff it takes two people."""

import hashlib
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from lobby.accounts.recovery import codes
from lobby.backoffice import recoveries
from lobby.backoffice.services import acts_on
from lobby.models import PasswordCode, Player, SupportRecovery
from lobby.two_factor.codes import LETTERS
from tables.models import Seating
from tables.play.opening import open_table
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import act, browser_of, employ, enrol
from tests.support.stakes import StakeFactory
from wallet import adjustments
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import Refusal, WalletError

pytestmark = pytest.mark.django_db

NEW, OWN = "fourteen louder cards", "fifteen quiet evenings"


def answer_to(answer: Any) -> str:
    return str(answer.content.decode())


def code_in(text: str) -> str:
    return re.findall(r": ([0-9a-z]{4}(?:-[0-9a-z]{2,4}){3,})", text)[0]


def set_by(code: str, name: str = "asha", password: str = NEW) -> int:
    return Client().post("/login/forgotten/", {"username": name, "code": code, "password": password}).status_code


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel("2026-02-03T04:05:06Z", tick=False) as clock:
        yield clock


def test_a_code_that_support_reads_out_sets_a_new_password_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asha, helper = signed_up("asha"), employ("support")
    browser, helpers = browser_of(asha), browser_of(helper)
    monkeypatch.setattr(recoveries, "ACTIVE_DAYS", 0)
    text = answer_to(act(helpers, "lobby_player_recover", asha.pk, reason="Told me their last deals"))
    code = code_in(text)
    assert (set_by(code), set_by(code)) == (302, 400)
    assert browser.get("/account/").status_code == 302, "other sessions have ended"
    acts = acts_on(asha).filter(action__in=["recovery.ask", "recovery.grant", codes.ACT]).order_by("pk")
    assert [(entry.action, entry.user_id) for entry in acts] == [
        ("recovery.ask", helper.pk),
        ("recovery.grant", helper.pk),
        ("player.password", asha.pk),
    ]
    assert acts[2].after == {"password": "(set)", "with": "a code of support"}
    assert code not in str(list(AuditEntry.objects.values_list()))
    assert audit.audit().differences == []
    assert code not in str(helpers.cookies) and code not in helpers.get("/admin/").content.decode()


def warned(name: str, password: str) -> bool:
    page = Client().post("/login/", {"username": name, "password": password}, follow=True).content.decode()
    assert "Log out" in page or "logout" in page
    return "Our staff let you back" in page


def test_whoever_came_in_by_support_does_not_end_the_warning_of_the_player(clock: Any) -> None:
    asha = signed_up("asha")
    own = codes.new_codes(asha)[0]
    clock.shift(3600 * 24 * 31)
    code = code_in(recoveries.ask(asha, "Says so", Actor("h", employ("support"))))
    assert set_by(code) == 302
    clock.shift(60)
    assert [warned("asha", NEW) for _ in range(2)] == [True, True]
    assert set_by(own, password=OWN) == 302
    assert [warned("asha", OWN) for _ in range(2)] == [True, False]
    page = browser_of(Player.objects.get(pk=asha.pk)).get("/account/").content.decode()
    assert "Our staff let somebody into this account" in page


def test_recovery_codes_made_after_the_recovery_are_not_the_players_own(clock: Any) -> None:
    asha = signed_up("asha")
    clock.shift(3600 * 24 * 31)
    assert set_by(code_in(recoveries.ask(asha, "Says so", Actor("h", employ("support"))))) == 302
    clock.shift(60)
    assert set_by(codes.new_codes(asha)[0], password=OWN) == 302
    assert [warned("asha", OWN) for _ in range(2)] == [True, True]
    clock.shift(3600 * 24 * codes.WARNED_DAYS)
    assert not warned("asha", OWN)


def test_a_player_whose_code_was_not_used_is_warned_once_and_again_when_it_is(clock: Any) -> None:
    asha = signed_up("asha")
    clock.shift(3600 * 24 * 31)
    code = code_in(recoveries.ask(asha, "Says so", Actor("h", employ("support"))))
    assert [warned("asha", PASSWORD) for _ in range(2)] == [True, False]
    assert set_by(code) == 302
    assert [warned("asha", NEW) for _ in range(2)] == [True, True]


@pytest.mark.parametrize("sign", ["signed in", "at a table"])
def test_one_person_of_support_cannot_open_an_account_that_is_in_use(clock: Any, sign: str) -> None:
    asha, first, second = signed_up("asha"), employ("support"), employ("support", "other_support")
    if sign == "signed in":
        Client().post("/login/", {"username": "asha", "password": PASSWORD})
    else:
        table = open_table(terms=StakeFactory().terms(), title="x", currency="FUN")
        Seating.objects.create(table=table, seat=0, user=asha, name="asha", left_at=timezone.now())
    clock.shift(3600 * 24 * 29)
    text = answer_to(act(browser_of(first), "lobby_player_recover", asha.pk))
    assert "second person" in text and "recovery code of the player’s own" in text
    assert not PasswordCode.objects.exists()
    [recovery] = SupportRecovery.objects.all()
    with pytest.raises(Refusal):
        recoveries.grant(recovery, "Yes", Actor("h", first))
    assert set_by(code_in(recoveries.grant(recovery, "Yes", Actor("s", second)))) == 302


def test_support_opens_one_account_at_a_time() -> None:
    asha, ravi, helpers = signed_up("asha"), signed_up("ravi"), browser_of(employ("support"))
    act(helpers, "lobby_player_recover", asha.pk, ravi.pk)
    assert not SupportRecovery.objects.exists()
    listed = helpers.get("/admin/lobby/player/").content.decode()
    assert 'value="recover"' not in listed and 'value="note"' in listed


def test_a_code_of_support_expires_and_is_not_counted_as_the_players_own() -> None:
    asha = signed_up("asha")
    code = code_in(recoveries.ask(asha, "Known", Actor("h", employ("support"))))
    assert codes.codes_left(asha) == 0
    [stored] = PasswordCode.objects.values_list("digest", flat=True)
    tidy = code.replace("-", "")
    assert stored != hashlib.sha256(f"password code {asha.pk} {tidy}".encode()).hexdigest(), "keyed, since it is short"
    assert codes.MINUTES <= 10
    PasswordCode.objects.update(expires_at="2026-01-01T00:00:00Z")
    assert set_by(code) == 400


def test_codes_of_accounts_and_of_the_second_factor_have_128_bits() -> None:
    asha, boss = signed_up("asha"), employ("superuser")
    for code in (codes.new_codes(asha)[0], enrol(boss)[0]):
        assert len(code.replace("-", "")) * math.log2(len(LETTERS)) >= 128


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
    message = answer_to(act(browser_of(first), "lobby_player_recover", clerk.pk))
    assert "second person" in message and not PasswordCode.objects.exists()
    [recovery] = SupportRecovery.objects.all()
    for person in (first, clerk):
        with pytest.raises(Refusal):
            recoveries.grant(recovery, "Yes", Actor(person.username, person))
    assert [recoveries.count_recoveries(person) for person in (first, clerk, second)] == [0, 0, 1]
    text = answer_to(act(browser_of(second), "lobby_supportrecovery_grant", recovery.pk))
    assert set_by(code_in(text), clerk.username) == 302
    assert recoveries.count_recoveries(second) == 0


def test_who_reads_a_code_out_is_no_second_person_of_who_comes_in_by_it() -> None:
    """They could use it themselves, and then both ask and decide."""
    asha, fina = signed_up("asha"), employ("finance")
    asks, approves = employ("support"), employ("support", "sunil")
    approves.groups.add(fina.groups.get())
    recoveries.ask(fina, "Told me their last deals", Actor("the_support", asks))
    text = recoveries.grant(SupportRecovery.objects.get(), "Called back", Actor("sunil", approves))
    assert set_by(code_in(text), fina.username) == 302
    asked = {"request_id": "a", "player": asha, "currency": "FUN", "amount": 900_000, "reason": "A gift"}
    adjustment = adjustments.ask(**asked, actor=Actor(fina.username, Player.objects.get(pk=fina.pk)))
    with pytest.raises(WalletError, match="their rights"):
        adjustments.grant(adjustment, "Sure", Actor("sunil", approves))
    assert audit.audit().differences == []
    adjustments.grant(adjustment, "Sure", Actor("another", employ("finance", "another")))
    assert audit.audit().differences == []


def test_only_a_superuser_recovers_the_account_of_a_superuser() -> None:
    boss, first, second = employ("superuser"), employ("support"), employ("support", "other_support")
    recoveries.ask(boss, "Known", Actor("h", first))
    recovery = SupportRecovery.objects.get()
    with pytest.raises(Refusal):
        recoveries.grant(recovery, "Yes", Actor("s", second))
    recoveries.refuse(recovery, "No", Actor("b", employ("superuser", "other_boss")))
    with pytest.raises(Refusal):
        recoveries.grant(recovery, "Yes after all", Actor("b", boss))


@pytest.mark.parametrize("changes", [{"is_active": False}, {"is_guest": True}])
def test_guests_and_locked_accounts_are_not_recovered(changes: dict[str, bool]) -> None:
    asha = signed_up("asha", **changes)
    with pytest.raises(Refusal):
        recoveries.ask(asha, "Known", Actor("h", employ("support")))


def test_nobody_recovers_their_own_account_and_only_support_does() -> None:
    helper, clerk = employ("support"), employ("finance")
    with pytest.raises(Refusal):
        recoveries.ask(helper, "It is me", Actor("h", helper))
    asha = signed_up("asha", email="asha@example.com")
    assert browser_of(clerk).get(f"/admin/lobby/player/recover/?ids={asha.pk}").status_code == 403
    assert "asha@example.com" not in browser_of(clerk).get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()
    assert "asha@example.com" in browser_of(helper).get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()
    assert Player.objects.get(pk=asha.pk).check_password(PASSWORD)
