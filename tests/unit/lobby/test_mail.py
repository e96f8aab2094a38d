"""The e-mail address of an account, and a forgotten password reset by it."""

import re
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

import pytest
from celery.exceptions import Retry
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.http import urlsafe_base64_encode
from kombu.exceptions import OperationalError

from config.settings.databases import IDLE_IN_TRANSACTION
from config.signed_tasks import MOST_AGE
from lobby import tasks
from lobby.accounts import services
from lobby.accounts.mail import AFTER_COMMIT, HOURS
from lobby.accounts.recovery import by_mail, codes
from lobby.models import MailOrder, Player
from tests.support import mail as workers
from tests.support.players import PASSWORD
from tests.support.program import Program
from tests.support.staff import browser_of, employ
from wallet.audit_log.models import AuditEntry

pytestmark = pytest.mark.django_db

NEW, ADDRESS = "fourteen louder cards", "asha@example.com"


handed_over, work = workers.handed_over, workers.work


def link_in(sent: Any) -> str:
    return re.findall(r"http://testserver(/\S+)", sent.body)[0]


def wish(client: Client, address: str, password: str = PASSWORD) -> int:
    return client.post("/account/email/", {"email": address, "password": password}).status_code


def test_an_address_is_confirmed_by_the_link_sent_to_it(client: Client, asha: Player, work: Any) -> None:
    client.force_login(asha)
    assert (wish(client, ADDRESS, "wrong"), work()) == (400, [])
    assert wish(client, ADDRESS) == 302
    [sent] = work()
    assert sent.to == [ADDRESS]
    assert client.get(link_in(sent)).status_code == 200, "opened by a program that looks into mails"
    asha.refresh_from_db()
    assert asha.email == ""
    assert client.post(link_in(sent)).status_code == 302
    asha.refresh_from_db()
    assert asha.email == ADDRESS
    assert ADDRESS in client.get("/account/").content.decode()
    entry = AuditEntry.objects.get(action="player.email")
    assert (entry.user_id, entry.after) == (asha.pk, {"email": "(confirmed)"})


def test_a_link_is_void_after_another_password_or_address(client: Client, asha: Player, work: Any) -> None:
    client.force_login(asha)
    wish(client, ADDRESS), wish(client, "second@example.com")
    first, second = map(link_in, work())
    assert client.post(second).status_code == 302
    assert client.post(first).status_code == 410
    wish(client, "third@example.com")
    [third] = map(link_in, work())
    asha.refresh_from_db()
    asha.set_password(NEW)
    asha.save()
    client.force_login(asha)
    assert [client.post(link).status_code for link in (third, f"{third[:-2]}x/", "/account/email/x/")] == [410] * 3


def test_only_who_it_is_about_confirms_an_address_in_a_session_of_their_own(
    client: Client, asha: Player, ravi: Player, work: Any
) -> None:
    client.force_login(asha)
    wish(client, ADDRESS)
    link, thief, stranger = link_in(work()[0]), Client(), Client()
    thief.force_login(ravi)
    for method in ("get", "post"):
        assert getattr(thief, method)(link).status_code == 410
        assert getattr(stranger, method)(link)["Location"].startswith("/login/?next=/account/email/")
    assert set(Player.objects.values_list("email", flat=True)) == {""}
    assert client.post(link).status_code == 302
    assert Player.objects.get(pk=asha.pk).email == ADDRESS


@pytest.mark.databases
def test_the_broker_is_told_no_address_and_an_order_is_carried_out_once(
    client: Client, asha: Player, handed_over: Any, work: Any
) -> None:
    client.force_login(asha)
    wish(client, ADDRESS)
    request_link(ADDRESS)
    told = list(handed_over)
    assert [type(argument) for _, arguments in told for argument in arguments] == [int, int]
    assert [sent.to for sent in work()] == [[ADDRESS]], "nobody has it yet, so no link to a new password"
    handed_over.extend(told)
    assert work() == []
    assert not MailOrder.objects.exists()


@pytest.mark.databases
def test_an_order_that_no_worker_carries_out_is_forgotten_in_the_end(asha: Player) -> None:
    [old, young] = [MailOrder.objects.create(address=ADDRESS, language="en") for _ in range(2)]
    made_at = old.made_at - timedelta(hours=HOURS, minutes=1)
    MailOrder.objects.filter(pk=old.pk).update(made_at=made_at)
    tasks.forget_invitations()
    assert MailOrder.objects.get() == young
    assert tasks.PAUSE * tasks.TRIES < 3_600 * HOURS == MOST_AGE
    assert AFTER_COMMIT * 1_000 > IDLE_IN_TRANSACTION


def test_the_former_address_is_notified_of_its_removal(client: Client, asha: Player, work: Any) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS)
    client.force_login(asha)
    assert wish(client, "") == 302
    assert [sent.to for sent in work()] == [[ADDRESS]]
    assert Player.objects.get(pk=asha.pk).email == ""


def request_link(address: str) -> Any:
    return Client().post("/login/forgotten/email/", {"email": address}, follow=True)


def test_a_link_sets_a_new_password_once(asha: Player, work: Any) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS)
    program = Program(asha)
    request_link("ASHA@example.com")
    [sent] = work()
    page = Client()
    form = page.get(link_in(sent))["Location"]
    assert page.post(form, {"new_password1": NEW, "new_password2": NEW})["Location"] == "/login/"
    assert Player.objects.get(pk=asha.pk).check_password(NEW)
    assert program.get("me/")[0] == 401
    assert "token" not in page.session
    assert Client().get(link_in(sent)).status_code == 200, "says that it was used"
    assert not Client().get(link_in(sent)).context["validlink"]
    entry = AuditEntry.objects.get(action="player.password")
    assert (entry.user_id, entry.after) == (asha.pk, {"password": "(set)", "with": "a link by e-mail"})


def test_the_answer_does_not_reveal_who_has_an_address(
    asha: Player, ravi: Player, work: Any, django_assert_num_queries: Any
) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS)
    Player.objects.filter(pk=ravi.pk).update(email="locked@example.com", is_active=False)
    tried = (ADDRESS, "nobody@example.com", "locked@example.com")
    # One row each, whoever has the address or nobody.
    with django_assert_num_queries(len(tried)):
        answers = [Client().post("/login/forgotten/email/", {"email": address}) for address in tried]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(302, "/login/")}
    assert [sent.to for sent in work()] == [[ADDRESS]]


def test_requests_for_links_are_limited(asha: Player, handed_over: Any) -> None:
    statuses = [request_link(address).status_code for address in ("a@example.com",) * (by_mail.TO.tries + 1)]
    assert statuses == [200] * by_mail.TO.tries + [429]
    assert len(handed_over) == by_mail.TO.tries


def test_strangers_cannot_keep_the_owner_from_asking_for_a_link(asha: Player, ravi: Player, handed_over: Any) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS)
    page, device, of_ravi = "/login/forgotten/email/", Client(REMOTE_ADDR="10.9.0.1"), Client(REMOTE_ADDR="10.9.0.9")
    for browser, name in ((device, "asha"), (Client(REMOTE_ADDR="10.9.0.2"), "asha"), (of_ravi, "ravi")):
        assert browser.post("/login/", {"username": name, "password": PASSWORD}).status_code == 302
        browser.post("/logout/")
    strangers = [Client(REMOTE_ADDR=f"10.8.0.{n}").post(page, {"email": ADDRESS}).status_code for n in range(9)]
    assert strangers == [302] * by_mail.TO.tries + [429] * (9 - by_mail.TO.tries)
    assert of_ravi.post(page, {"email": ADDRESS}).status_code == 429, "a device of somebody else"
    device.defaults["REMOTE_ADDR"] = "10.7.0.1"
    assert device.post(page, {"email": ADDRESS.upper()}).status_code == 302, "a known device elsewhere"
    at_home = [Client(REMOTE_ADDR="10.9.0.2").post(page, {"email": ADDRESS}).status_code for _ in range(3)]
    assert at_home == [302, 302, 429], "another device at home, within a limit of its own"


def test_mails_are_in_the_language_of_the_account(asha: Player, work: Any) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS, language="hi")
    request_link(ADDRESS)
    [sent] = work()
    assert "पासवर्ड" in sent.subject
    assert "पासवर्ड" in sent.body


# Ways in which a password is set anew. What support starts ends in one of the first two.
def by_a_code(asha: Player) -> None:
    tried = {"username": asha.username, "code": codes.temporary_code(asha), "password": NEW}
    assert Client().post("/login/forgotten/", tried).status_code == 302


def by_a_link(asha: Player) -> None:
    link = reverse(
        "lobby:reset", args=[urlsafe_base64_encode(b"%d" % asha.pk), default_token_generator.make_token(asha)]
    )
    page = Client()
    form = page.get(link)["Location"]
    assert page.post(form, {"new_password1": NEW, "new_password2": NEW}).status_code == 302


def by_a_change(asha: Player) -> None:
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert browser_of(asha).post("/account/password/", form).status_code == 302


def by_staff(asha: Player) -> None:
    form = {"password1": NEW, "password2": NEW, "usable_password": "true"}
    boss = browser_of(employ("superuser"))
    assert boss.post(f"/admin/lobby/player/{asha.pk}/password/", form).status_code == 302


@pytest.mark.parametrize("set_anew", [by_a_code, by_a_link, by_a_change, by_staff])
def test_a_new_password_is_announced_by_mail(
    asha: Player, work: Any, set_anew: Any, django_capture_on_commit_callbacks: Any
) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS, language="hi")
    asha.refresh_from_db()
    with django_capture_on_commit_callbacks(execute=True):
        set_anew(asha)
        assert work() == [], "before it is certain"
    [sent] = work()
    assert (sent.to, "पासवर्ड" in sent.subject, "asha" in sent.body) == ([ADDRESS], True, True)
    assert Player.objects.get(pk=asha.pk).check_password(NEW)
    assert NEW not in sent.body


def test_a_password_is_set_although_no_mail_can_be_sent(
    asha: Player, handed_over: Any, monkeypatch: pytest.MonkeyPatch, settings: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("The broker is away.")

    for number, (address, backend) in enumerate((("", "locmem"), (ADDRESS, "dummy"), (ADDRESS, "locmem"))):
        settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
        asha.email = address
        if number == 2:
            monkeypatch.setattr("celery.current_app.send_task", away)
        with django_capture_on_commit_callbacks(execute=True):
            services.change_hash(player=asha, password_hash=services.new_hash(f"{NEW} {number}"))
        assert Player.objects.get(pk=asha.pk).check_password(f"{NEW} {number}")
    assert handed_over == []


def test_pages_do_not_mention_e_mail_where_it_is_off(client: Client, asha: Player, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    client.force_login(asha)
    assert client.get("/account/email/")["Location"] == "/account/"
    assert Client().get("/login/forgotten/email/")["Location"] == "/login/forgotten/"
    assert "mail" not in client.get("/account/").content.decode().lower()


@pytest.mark.parametrize(
    ("fault", "goes_out_later"),
    [
        (ConnectionRefusedError(), True),
        (TimeoutError(), True),
        (SMTPServerDisconnected(), True),
        (SMTPRecipientsRefused({ADDRESS: (450, b"Greylisted")}), True),
        (SMTPRecipientsRefused({ADDRESS: (550, b"No such mailbox")}), False),
    ],
)
def test_a_mail_goes_out_once_the_server_is_back_unless_it_is_refused_for_good(
    asha: Player, monkeypatch: pytest.MonkeyPatch, caplog: Any, fault: Exception, goes_out_later: bool
) -> None:
    Player.objects.filter(pk=asha.pk).update(email=ADDRESS)

    def away(*_: Any, **__: Any) -> None:
        raise fault

    task, again, order = tasks.mail_reset, [], MailOrder.objects.create(address=ADDRESS, language="en")
    monkeypatch.setattr(task, "apply_async", lambda *_, **options: again.append(options))
    task.push_request(args=(order.pk,), kwargs={}, called_directly=False, is_eager=False)
    with monkeypatch.context() as patch:
        patch.setattr("lobby.accounts.mail.send_mail", away)
        try:
            task.run(order.pk)
        except Retry as retry:
            again.append(retry)
        finally:
            task.pop_request()
    assert bool(again) == goes_out_later
    assert "an e-mail did not go out" in caplog.text
    assert ADDRESS not in caplog.text
    tasks.mail_reset(order.pk)
    assert [sent.to for sent in mail.outbox] == [[ADDRESS]] * goes_out_later
