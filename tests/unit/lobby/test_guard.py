"""The second factor of staff, and how long sessions last."""

import re
from typing import Any

import pytest
import time_machine
from django.test import Client, RequestFactory
from rest_framework.authtoken.models import Token

from lobby.models import Player, SignIn
from lobby.two_factor import services as two_factor, sessions, totp
from lobby.two_factor.models import SECRETS, Authenticator, RecoveryCode
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program
from tests.support.second_factor import app, enrolled, with_password
from wallet.audit_log.models import AuditEntry
from wallet.keys import key_rotation
from wallet.keys.api_tokens import token_text
from wallet.keys.models import StoredSession

pytestmark = pytest.mark.django_db
#: Appendix B of RFC 6238, SHA-1, the last six digits.
RFC = [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (2000000000, "279037"),
       (20000000000, "353130")]  # fmt: skip


@pytest.fixture(autouse=True)
def codes_required(settings: Any) -> None:
    settings.STAFF_TOTP = True


@pytest.fixture
def boss() -> Player:
    return signed_up("boss", is_staff=True, is_superuser=True)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel("2026-02-03T04:05:06Z", tick=False) as clock:
        yield clock


@pytest.mark.parametrize(("seconds", "expected"), RFC)
def test_codes_are_those_of_the_standard(seconds: int, expected: str) -> None:
    secret = b"12345678901234567890"
    assert totp.code(secret, seconds // totp.STEP) == expected
    assert totp.matching_step(secret, expected, seconds) == seconds // 30
    assert totp.matching_step(secret, expected, seconds + 30 - seconds % 30) is None
    assert totp.matching_step(secret, expected, seconds - seconds % 30 - 1) is None
    assert totp.matching_step(secret, expected, seconds, after=seconds // 30) is None


@pytest.mark.parametrize(
    "path",
    ["/admin/", "/admin/lobby/player/", "/admin/health/heartbeat/", "/finance/", "/finance/exports/", "/", "/account/"],
)
def test_a_password_alone_opens_nothing_of_staff(boss: Player, path: str) -> None:
    answer = with_password(boss).get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/account/code/?next=")


@pytest.mark.parametrize("path", ["me/", "finance/ledger/", "wallet/", "lobby/"])
def test_a_password_alone_opens_no_api_of_staff(boss: Player, path: str) -> None:
    session = with_password(boss).get(f"/api/{path}")
    token = Program(boss).get(path)
    assert (session.status_code, session.json()["code"]) == (403, "second_factor_needed")
    assert (token[0], token[1]["code"]) == (403, "second_factor_needed")


@pytest.mark.parametrize("path", ["/logout/", "/admin/logout/", "/api/auth/logout/", "/favicon.ico", "/account/code/"])
def test_a_password_alone_leads_to_the_code_and_out_again(boss: Player, path: str) -> None:
    browser = with_password(boss)
    answer = browser.post(path) if "logout" in path else browser.get(path)
    assert answer.status_code in (200, 204, 301, 302)
    assert "/account/code/" not in answer.headers.get("Location", "")
    assert ("_auth_user_id" in browser.session) is ("logout" not in path)


def test_players_and_the_trial_need_no_code(boss: Player, settings: Any) -> None:
    assert with_password(signed_up("asha")).get("/").status_code == 200
    settings.STAFF_TOTP = False
    assert with_password(boss).get("/admin/").status_code == 200
    assert with_password(boss).get("/account/code/").status_code == 404


def test_the_secret_is_shown_until_enrolment_is_confirmed(boss: Player) -> None:
    browser = with_password(boss)
    page = browser.get("/account/code/?next=/finance/")
    secret = totp.in_letters(SECRETS.unseal(Authenticator.objects.get(player=boss)))
    assert secret in page.content.decode() and "no-store" in page["Cache-Control"]
    picture = browser.get("/account/code/picture.svg")
    assert picture["Content-Type"] == "image/svg+xml" and b"style=" not in picture.content
    assert browser.post("/account/code/", {"code": "000000"}).status_code == 400
    assert browser.get("/admin/").status_code == 302
    answer = browser.post("/account/code/", {"code": app(boss), "next": "/finance/"})
    assert len(answer.context["codes"]) == two_factor.RECOVERY_CODES
    assert browser.get("/admin/").status_code == 200
    assert browser.get("/account/code/picture.svg").status_code == 404
    assert secret not in browser.get("/account/code/").content.decode()
    assert AuditEntry.objects.filter(action="player.authenticator").count() == 1


def test_a_code_opens_everything_and_works_once(boss: Player, clock: Any) -> None:
    enrolled(boss)
    clock.shift(30)
    code = app(boss)
    browser = with_password(boss)
    before = browser.session.session_key
    answer = browser.post("/account/code/", {"code": f" {code[:3]} {code[3:]} ", "next": "/finance/"})
    assert (answer.status_code, answer["Location"]) == (302, "/finance/")
    assert browser.session.session_key != before
    assert browser.get("/finance/").status_code == 200
    second = with_password(boss)
    assert second.post("/account/code/", {"code": code}).status_code == 400
    assert second.get("/admin/").status_code == 302


@pytest.mark.parametrize("spelling", ["hindi", "in groups", "recovery in hindi"])
def test_a_code_is_read_as_people_type_it(boss: Player, clock: Any, spelling: str) -> None:
    _, codes = enrolled(boss)
    clock.shift(30)
    hindi = str.maketrans("0123456789", "०१२३४५६७८९")
    code = app(boss)
    typed = {
        "hindi": f"{code[:3]} {code[3:]}".translate(hindi),
        "in groups": f"{code[:3]}-{code[3:]}",
        "recovery in hindi": codes[0].translate(hindi).replace("-", " "),
    }
    assert with_password(boss).post("/account/code/", {"code": typed[spelling]}).status_code == 302


def test_forms_for_codes_of_the_app_ask_for_them_alike(boss: Player, clock: Any) -> None:
    browser = with_password(boss)
    pages = [browser.get("/account/code/").content.decode()]
    browser, _ = enrolled(boss)
    pages.append(browser.get("/account/code/").content.decode())
    for page in pages:
        app_form = re.findall(r'<input type="text" name="code"[^>]*>', page)[-1]
        for attribute in ('autocomplete="one-time-code"', 'inputmode="numeric"', 'maxlength="40"', "required"):
            assert attribute in app_form, attribute
        assert "Six digits from your authenticator app." in page
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids))


def test_a_recovery_code_works_once_and_new_ones_void_the_old(boss: Player, clock: Any) -> None:
    first, codes = enrolled(boss)
    browser = with_password(boss)
    assert browser.post("/account/code/", {"code": codes[0].upper()}).status_code == 302
    assert browser.get("/admin/").status_code == 200
    assert with_password(boss).post("/account/code/", {"code": codes[0]}).status_code == 400
    clock.shift(30)
    page = first.post("/account/code/recovery/", {"code": app(boss)})
    assert len(set(page.context["codes"]) & set(codes)) == 0
    assert with_password(boss).post("/account/code/", {"code": codes[1]}).status_code == 400
    assert codes[1].replace("-", "") not in str(list(RecoveryCode.objects.values_list("digest")))


def test_codes_outlive_a_change_of_the_key(boss: Player, clock: Any, settings: Any) -> None:
    _, codes = enrolled(boss)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "k" * 50, [settings.SECRET_KEY]
    key_rotation.reseal()
    settings.SECRET_KEY_FALLBACKS = []
    clock.shift(30)
    assert with_password(boss).post("/account/code/", {"code": app(boss)}).status_code == 302
    assert with_password(boss).post("/account/code/", {"code": codes[0]}).status_code == 302


#: Every address that takes a code of the app, and the fields beside it.
TAKES_CODE: dict[str, dict[str, str]] = {
    "/account/code/": {},
    "/account/code/recovery/": {},
    "/account/close/": {"password": PASSWORD, "sure": "on"},
    "/api/auth/login/": {"username": "boss", "password": PASSWORD},
    "/api/auth/token/": {"username": "boss", "password": PASSWORD},
}


@pytest.mark.parametrize("path", TAKES_CODE)
def test_guesses_of_codes_are_limited_and_recorded_wherever_they_are_made(boss: Player, clock: Any, path: str) -> None:
    browser, _ = enrolled(boss)
    guesses = 2 * two_factor.CODES[0].tries
    kind = {"content_type": "application/json"} if path.startswith("/api/") else {}
    fields = [{**TAKES_CODE[path], "code": f"{n:06}"} for n in range(guesses)]
    statuses = [browser.post(path, each, **kind).status_code for each in fields]  # type: ignore[arg-type]
    assert statuses == [400] * two_factor.CODES[0].tries + [429] * (guesses - two_factor.CODES[0].tries)
    failures = SignIn.objects.filter(player=boss, how=SignIn.How.CODE, succeeded=False)
    assert failures.count() == two_factor.CODES[0].tries
    other = with_password(boss)
    clock.shift(30)
    assert other.post("/account/code/", {"code": app(boss)}).status_code == 429, "one count for all of them"
    clock.shift(two_factor.CODES[0].seconds)
    assert other.post("/account/code/", {"code": app(boss)}).status_code == 302


def test_the_wait_after_wrong_codes_grows(boss: Player, clock: Any, rf: RequestFactory) -> None:
    """Whoever guesses again as soon as they may has 20 tries a day, however often they are refused."""
    enrolled(boss)
    answers: list[str] = []

    def guess() -> bool:
        """Try a wrong code, and return whether it was looked at."""
        with pytest.raises(two_factor.CodeRefused) as refusal:
            two_factor.check_code(boss, "no code", rf.post("/account/code/"))
        answers.append(refusal.value.code)
        return answers[-1] == "wrong_code"

    for _ in range(24 * 12 - 1):
        while guess():
            pass
        clock.shift(two_factor.CODES[0].seconds)
    assert answers.count("wrong_code") == two_factor.CODES[-1].tries == 20
    assert answers.count("too_many_attempts") == 24 * 12 - 1


def test_a_password_alone_makes_no_recovery_codes_and_these_verify_no_session(boss: Player, clock: Any) -> None:
    verified, _ = enrolled(boss)
    clock.shift(30)
    browser, before = with_password(boss), set(RecoveryCode.objects.values_list("digest", flat=True))
    answer = browser.post("/account/code/recovery/", {"code": app(boss)})
    assert answer["Location"].startswith("/account/code/?next=")
    assert browser.get("/admin/").status_code == 302
    assert set(RecoveryCode.objects.values_list("digest", flat=True)) == before
    clock.shift(sessions.FRESH_TO_BEGIN)
    assert verified.post("/account/code/recovery/", {"code": app(boss)}).status_code == 200
    page = "/admin/wallet/adjustment/add/"
    assert verified.get(page).status_code == 302, "the session is as old as it was"


def test_redirects_after_the_code_stay_on_this_site(boss: Player, clock: Any) -> None:
    enrolled(boss)
    clock.shift(30)
    answer = with_password(boss).post("/account/code/", {"code": app(boss), "next": "//evil.example/"})
    assert answer["Location"] == "/admin/"


@pytest.mark.parametrize("path", ["auth/login/", "auth/token/"])
def test_the_api_signs_staff_in_with_a_code_only(boss: Player, clock: Any, path: str) -> None:
    credentials = {"username": "boss", "password": PASSWORD}
    assert Program().post(path, {**credentials, "code": "123456"})[1]["code"] == "second_factor_needed"
    enrolled(boss)
    assert Program().post(path, credentials)[0] == 400
    assert Program().post(path, {**credentials, "code": "123456"})[1]["code"] == "wrong_code"
    clock.shift(30)
    program = Program()
    status, content = program.post(path, {**credentials, "code": app(boss)})
    assert status == 200
    if path == "auth/token/":
        program = Program()
        program.headers = {"authorization": f"Token {content['token']}"}
    assert program.get("me/")[0] == 200


def test_a_token_issued_without_a_code_is_replaced(boss: Player, clock: Any) -> None:
    old = Token.objects.create(user=boss)
    enrolled(boss)
    clock.shift(30)
    _, content = Program().post("auth/token/", {"username": "boss", "password": PASSWORD, "code": app(boss)})
    assert content["token"] != token_text(old)
    program = Program()
    program.headers = {"authorization": f"Token {token_text(old)}"}
    assert program.get("me/")[0] == 401


def test_a_player_made_staff_needs_a_code_at_once(clock: Any) -> None:
    asha = signed_up("asha")
    browser, program = with_password(asha), Program(asha)
    assert (browser.get("/").status_code, program.get("me/")[0]) == (200, 200)
    Player.objects.filter(pk=asha.pk).update(is_staff=True)
    assert (browser.get("/").status_code, program.get("me/")[0]) == (302, 403)


def test_a_superuser_removes_a_lost_authenticator_and_sessions_with_it(boss: Player, clock: Any) -> None:
    helper = signed_up("helper", is_staff=True)
    session, _ = enrolled(helper)
    assert session.get("/").status_code == 200
    chief, _ = enrolled(boss)
    page = f"/admin/lobby/player/authenticator/?ids={helper.pk}"
    assert chief.get(page).status_code == 200
    assert chief.post(page, {"ids": helper.pk, "reason": "Telephone lost"}).status_code == 302
    assert not two_factor.is_enrolled(helper)
    assert session.get("/").status_code == 302
    clock.shift(5)
    assert enrolled(helper)[0].get("/").status_code == 200
    assert session.get("/").status_code == 302


def test_moving_money_by_hand_needs_a_fresh_code(boss: Player, clock: Any) -> None:
    browser, _ = enrolled(boss)
    page = "/admin/wallet/adjustment/add/"
    assert browser.get(page).status_code == 200
    clock.shift(sessions.FRESH_TO_BEGIN + 1)
    assert browser.get("/admin/wallet/adjustment/").status_code == 200
    assert browser.get(page)["Location"].startswith("/account/code/?next=%2Fadmin%2Fwallet%2Fadjustment")
    assert browser.post(page, {}).status_code == 200
    clock.shift(sessions.FRESH_TO_END - sessions.FRESH_TO_BEGIN)
    assert browser.post(page, {}).status_code == 302
    assert browser.post("/account/code/", {"code": app(boss), "next": page})["Location"] == page
    assert browser.get(page).status_code == 200


def over(browser: Client, path: str = "/account/") -> bool:
    answer = browser.get(path)
    return answer.status_code == 302 and answer["Location"].startswith("/login/")


TOLD = "You were signed out: sign in, and you come back to where you were."


def test_whose_session_has_ended_is_told_so_where_they_sign_in_and_comes_back() -> None:
    asha, visitor = signed_up("asha"), Client()
    browser = with_password(asha)
    StoredSession.objects.all().delete()
    assert visitor.get("/account/care/")["Location"] == "/login/?next=/account/care/"
    assert TOLD not in visitor.get("/login/?next=/account/care/").content.decode()
    page = browser.get("/account/care/", follow=True)
    assert page.request["QUERY_STRING"] == "next=%2Faccount%2Fcare%2F&ended=1" and TOLD in page.content.decode()
    form = {"username": "asha", "password": PASSWORD, "next": "/account/care/"}
    assert browser.post("/login/", form)["Location"] == "/account/care/"
    browser.post("/logout/")
    assert TOLD not in browser.get("/account/care/", follow=True).content.decode(), "they signed out themselves"


@pytest.mark.usefixtures("no_codes")
def test_staff_whose_session_has_ended_are_told_so_too(boss: Player, clock: Any) -> None:
    browser = with_password(boss)
    clock.shift(sessions.STAFF_IDLE + 1)
    page = browser.get("/admin/lobby/player/?q=a", follow=True).content.decode()
    assert TOLD in page and "/admin/lobby/player/?q=a" in page


@pytest.fixture
def no_codes(settings: Any) -> None:
    settings.STAFF_TOTP = False


@pytest.mark.usefixtures("no_codes")
def test_idle_staff_are_signed_out_after_half_an_hour(boss: Player, clock: Any) -> None:
    idle, busy = with_password(boss), with_password(boss)
    for _ in range(4):
        clock.shift(sessions.STAFF_IDLE // 2)
        assert not over(busy)
    assert sessions.STAFF_IDLE <= 30 * 60
    assert over(idle)


@pytest.mark.usefixtures("no_codes")
@pytest.mark.parametrize(("staff", "most"), [(True, sessions.STAFF_MOST), (False, sessions.PLAYER_MOST)])
def test_every_session_expires(clock: Any, settings: Any, staff: bool, most: int) -> None:
    settings.SESSION_COOKIE_AGE = 10 * most
    browser = with_password(signed_up("somebody", is_staff=staff))
    step = sessions.STAFF_IDLE - 60
    for _ in range(most // step if staff else 1):
        clock.shift(step)
        assert not over(browser)
    clock.shift(step if staff else most)
    assert over(browser)
