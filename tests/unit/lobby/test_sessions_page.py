"""The page on which players see where they are signed in, and sign out there."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.authtoken.models import Token

from lobby.account_data.own_sessions import device_of
from lobby.accounts.models import Player
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program
from wallet.keys.models import StoredSession

pytestmark = pytest.mark.django_db

PAGE = "/account/sessions/"
PHONE = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36"


def signed_in(name: str = "asha", client: str = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Firefox/132.0") -> Client:
    browser = Client(headers={"user-agent": client})
    browser.post("/login/", {"username": name, "password": PASSWORD})
    return browser


def is_in(browser: Client) -> bool:
    return bool(browser.get("/account/").status_code == 200)


def end(browser: Client, what: str, password: str = PASSWORD) -> int:
    return browser.post(PAGE, {"end": what, "password": password}).status_code


def test_the_page_lists_own_sessions_alone_with_device_and_address(asha: Player) -> None:
    signed_up("ravi")
    signed_in("ravi", "Curious/1.0")
    here = signed_in()
    signed_in(client=PHONE)
    page = " ".join(here.get(PAGE).content.decode().split())
    assert page.count("127.0.0.1") == 2
    assert "Firefox, Linux</strong> · 127.0.0.1 · this one" in page and "Chrome, Android" in page
    assert "Curious" not in page and "your token" not in page


def test_one_session_is_ended_and_its_sockets_close(
    asha: Player, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    here, phone, third = signed_in(), signed_in(client=PHONE), signed_in()
    key = phone.session.row_key  # type: ignore[attr-defined]
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        assert end(here, key) == 302
    assert [is_in(browser) for browser in (here, phone, third)] == [True, False, True]
    assert sent == [(f"user.{asha.pk}", {"type": "user.signed_out", "session": key})]


def test_all_others_are_ended_at_once_and_the_token_with_them(asha: Player) -> None:
    here, phone, program = signed_in(), signed_in(client=PHONE), Program(asha)
    assert "Programs with your token" in here.get(PAGE).content.decode()
    assert end(here, "others") == 302
    assert [is_in(here), is_in(phone), program.get("me/")[0]] == [True, False, 401]


def test_the_token_is_ended_alone(asha: Player) -> None:
    here, phone, program = signed_in(), signed_in(client=PHONE), Program(asha)
    assert end(here, "token") == 302
    assert [is_in(here), is_in(phone), program.get("me/")[0]] == [True, True, 401]


def test_nothing_ends_without_the_password_or_of_somebody_else(asha: Player) -> None:
    ravi = signed_up("ravi")
    here, phone, other = signed_in(), signed_in(client=PHONE), signed_in("ravi")
    Token.objects.create(user=ravi)
    assert end(here, "others", "not the password") == 400
    for what in (other.session.row_key, "", "-", "\x00"):  # type: ignore[attr-defined]
        end(here, what)
    assert all(map(is_in, (here, phone, other))) and Token.objects.filter(user=ravi).exists()


def test_sessions_that_open_nothing_any_more_are_not_listed(asha: Player) -> None:
    here, phone = signed_in(), signed_in(client=PHONE)
    StoredSession.objects.filter(pk=phone.session.row_key).update(  # type: ignore[attr-defined]
        expire_date=timezone.now() - timedelta(seconds=1)
    )
    StoredSession.objects.create(
        session_key="planted", session_data="x", expire_date=timezone.now() + timedelta(days=1), user_id=asha.pk
    )
    assert here.get(PAGE).content.decode().count("127.0.0.1") == 1


def test_a_new_password_ends_every_other_row(asha: Player) -> None:
    here, _ = signed_in(), signed_in(client=PHONE)
    new = "fourteen louder cards"
    fields = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post("/account/password/", fields).status_code == 302
    assert is_in(here) and StoredSession.objects.filter(user_id=asha.pk).count() == 1


@pytest.mark.parametrize(
    ("client", "device"),
    [
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130 Safari/537.36 Edg/130.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile Safari/604.1", "Safari, iPhone"),
        ("python-httpx/0.28.1", "python-httpx/0.28.1"),
        ("<script>alert(1)</script>", ""),
        ("", ""),
    ],
)
def test_a_device_is_named_by_browser_and_system(client: str, device: str) -> None:
    assert device_of(client) == device


def test_an_answer_to_a_token_or_a_password_is_not_kept_either(asha: Player) -> None:
    answers = [
        Client(headers=Program(asha).headers).get("/api/me/"),
        Client().post("/api/auth/token/", {"username": "asha", "password": PASSWORD}, content_type="application/json"),
        Client().post("/signup/", {"username": "tara", "password": PASSWORD}),
    ]
    assert all("no-store" in answer["Cache-Control"] for answer in answers)
    assert not Client().get("/").has_header("Cache-Control")
