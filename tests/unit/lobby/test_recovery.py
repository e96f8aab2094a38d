"""A forgotten password, and the recovery codes that set a new one."""

import re
from typing import Any

import pytest
from django.test import Client

from lobby.accounts import sign_in
from lobby.accounts.recovery import codes
from lobby.models import Player, SignIn
from tests.support.players import PASSWORD
from tests.support.program import Program
from wallet.audit_log.models import AuditEntry

pytestmark = pytest.mark.django_db

NEW = "fourteen louder cards"
PAGE = "/login/forgotten/"


def recovered(name: str, code: str, password: str = NEW) -> Any:
    return Client().post(PAGE, {"username": name, "code": code, "password": password})


def test_every_way_of_signing_up_shows_the_codes_once() -> None:
    page = Client().post("/signup/", {"username": "nila", "password": PASSWORD})
    page_codes = re.findall(r"<code data-code>([^<]+)</code>", page.content.decode())
    status, content = Program().post("auth/signup/", {"username": "ravi", "password": PASSWORD})
    assert (status, len(set(page_codes)), len(set(content["recovery_codes"]))) == (201, codes.CODES, codes.CODES)
    assert "no-store" in page["Cache-Control"]
    assert (
        recovered("nila", page_codes[-1]).status_code
        == recovered("RAVI", content["recovery_codes"][0]).status_code
        == 302
    )


@pytest.mark.databases
def test_a_code_sets_a_new_password_once_and_ends_sessions_and_tokens(
    asha: Player, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    recovery_codes, program, other_browser = codes.new_codes(asha), Program(asha), Client()
    other_browser.force_login(asha)
    with django_capture_on_commit_callbacks(execute=True):
        assert recovered("asha", recovery_codes[0].replace("-", " ").upper())["Location"] == "/login/"
    assert other_browser.get("/account/").status_code == 302
    assert program.get("me/")[0] == 401
    assert (f"user.{asha.pk}", {"type": "user.signed_out", "session": None}) in sent
    assert Client().post("/login/", {"username": "asha", "password": NEW}).status_code == 302
    assert recovered("asha", recovery_codes[0], PASSWORD).status_code == 400, "used"
    assert Player.objects.get(pk=asha.pk).check_password(NEW)
    entry = AuditEntry.objects.get(action="player.password", target_id=str(asha.pk))
    assert (entry.user_id, entry.after) == (asha.pk, {"password": "(set)", "with": "a recovery code"})


def test_the_answer_does_not_tell_whether_a_name_exists(asha: Player, ravi: Player) -> None:
    of_ravi, locked = codes.new_codes(ravi), codes.new_codes(asha)
    Player.objects.filter(pk=asha.pk).update(is_active=False)
    tries = [("asha", locked[0]), ("asha", of_ravi[0]), ("nobody", of_ravi[0]), ("ravi", "x"), ("ravi\0", of_ravi[1])]
    answers = [recovered(name, code) for name, code in tries]
    assert {(answer.status_code, str(answer.context["form"].errors)) for answer in answers[:4]} == {
        (400, str(answers[0].context["form"].errors))
    }
    assert answers[4].status_code == 400
    assert Player.objects.get(pk=ravi.pk).check_password(PASSWORD)
    assert SignIn.objects.filter(succeeded=False, player=ravi).count() == 1


def test_guesses_count_with_failed_sign_ins(asha: Player) -> None:
    recovery_codes = codes.new_codes(asha)
    for _ in range(sign_in.PAIR.tries - 1):
        assert recovered("asha", "wrong").status_code == 400
    assert Client().post("/login/", {"username": "asha", "password": "wrong"}).status_code == 400
    assert recovered("asha", recovery_codes[0]).status_code == 429
    assert codes.codes_left(asha) == codes.CODES


def test_a_weak_password_uses_no_code_up(asha: Player) -> None:
    recovery_codes = codes.new_codes(asha)
    for weak in ("short", "password1", "thirteen1", "x" * 129):
        assert recovered("asha", recovery_codes[0], weak).status_code == 400
    assert codes.codes_left(asha) == codes.CODES


def test_new_codes_need_the_password_and_void_the_old_ones(client: Client, asha: Player) -> None:
    old = codes.new_codes(asha)
    client.force_login(asha)
    assert client.post("/account/recovery-codes/", {"password": "wrong"}).status_code == 400
    assert codes.codes_left(asha) == codes.CODES
    page = client.post("/account/recovery-codes/", {"password": PASSWORD})
    assert len(page.context["codes"]) == codes.CODES
    assert recovered("asha", old[0]).status_code == 400
    assert recovered("asha", page.context["codes"][0]).status_code == 302


def test_a_guest_needs_a_name_before_codes(client: Client) -> None:
    client.post("/play-now/")
    assert client.get("/account/recovery-codes/")["Location"] == "/signup/"


def test_players_without_codes_are_offered_some_until_they_decline(asha: Player, ravi: Player) -> None:
    first, second = Client(), Client()
    first.force_login(asha), second.force_login(ravi)
    assert all("codes-notice" in browser.get("/").content.decode() for browser in (first, second))
    assert first.post("/account/recovery-codes/later/")["Location"] == "/"
    codes.new_codes(ravi)
    assert not any("codes-notice" in browser.get("/").content.decode() for browser in (first, second))


def test_guests_and_new_players_are_offered_no_codes(client: Client) -> None:
    signed_up = Client()
    signed_up.post("/signup/", {"username": "nila", "password": PASSWORD})
    client.post("/play-now/")
    assert not any("codes-notice" in browser.get("/").content.decode() for browser in (client, signed_up))
