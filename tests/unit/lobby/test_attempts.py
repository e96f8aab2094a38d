"""Guessed passwords: few guesses reach the hasher, however they are spread, and nobody locks the owner out."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import time_machine
from django.core import signing
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.test.client import MULTIPART_CONTENT

from lobby.account_data import closing
from lobby.accounts import devices, services as accounts, sign_in
from lobby.accounts.passwords import LONGEST
from lobby.accounts.sign_in import SignUpThrottle, too_many_sign_ups
from lobby.models import Player, SignIn
from tests.support.database import rolled_back
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit

pytestmark = pytest.mark.django_db


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect the name of each attempt that reaches the password hasher."""
    tried: list[str] = []
    real = sign_in.authenticate

    def counting(request: Any, *, username: str, password: str) -> Any:
        tried.append(username)
        return real(request, username=username, password=password)

    monkeypatch.setattr(sign_in, "authenticate", counting)
    yield tried


def guess(name: str, address: str, password: str = "a wrong guess", path: str = "/login/", **client: Any) -> int:
    return Client(REMOTE_ADDR=address, **client).post(path, {"username": name, "password": password}).status_code


def refusal(name: str, address: str) -> int:
    """Return the status of a wrong guess, without rendering the page."""
    with pytest.raises(sign_in.SignInRefused) as refused:
        sign_in.authenticate_player(
            RequestFactory().post("/", REMOTE_ADDR=address), username=name, password="a wrong guess"
        )
    return refused.value.status


def test_a_thousand_guesses_from_a_thousand_addresses_reach_the_hasher_forty_times(hashed: list[str]) -> None:
    signed_up("asha")
    statuses = [refusal("asha", f"10.1.{n // 250}.{n % 250}") for n in range(1_000)]
    assert len(hashed) == sign_in.NAME.tries == statuses.count(400)
    assert statuses.count(429) == 1_000 - sign_in.NAME.tries


@pytest.mark.databases
@pytest.mark.parametrize("path", ["/api/auth/token/", "/login/forgotten/"])
def test_no_spelling_of_a_name_is_a_name_of_its_own(path: str) -> None:
    """The database finds the player by full-width letters, capitals and, in PostgreSQL, an i without its dot."""
    player = signed_up("vivi")
    spellings = ["vivi", "VIVI", "ｖｉｖｉ", "ｖivi", "vｉvi", "viｖi", "ViｖI", "vivⅰ", "𝐯ivi", " vivi "]
    statuses = []
    for number in range(sign_in.NAME.tries + 5):
        fields = {"username": spellings[number % len(spellings)], "password": "a wrong guess", "code": "wrong"}
        kind = "application/json" if path.startswith("/api/") else MULTIPART_CONTENT
        sent = fields if kind == MULTIPART_CONTENT else json.dumps(fields)
        statuses.append(Client(REMOTE_ADDR=f"10.7.0.{number}").post(path, sent, content_type=kind).status_code)
    assert statuses == [400] * sign_in.NAME.tries + [429] * 5
    assert set(SignIn.objects.filter(succeeded=False).values_list("player_id", flat=True)) == {player.pk}
    known, counted = Player.objects.filter(username__iexact="vıvı").exists(), sign_in.limits_for(None, "vıvı")
    assert not known or counted == sign_in.limits_for(None, "vivi")


def test_one_address_trying_many_names_is_limited(hashed: list[str]) -> None:
    for _ in range(sign_in.ADDRESS.tries - 20):
        rate_limits.count_tries([(sign_in.ADDRESS, sign_in.ADDRESS.key("10.2.0.1"))])
    statuses = [refusal(f"player{n}", "10.2.0.1") for n in range(40)]
    assert statuses == [400] * 20 + [429] * 20
    assert len(hashed) == 20


@pytest.mark.parametrize("path", ["auth/login/", "auth/token/"])
def test_many_players_sign_in_from_one_address(path: str) -> None:
    """A hundred of its players have just mistyped; successful sign-ins do not count."""
    for _ in range(100):
        rate_limits.count_tries([(sign_in.ADDRESS, sign_in.ADDRESS.key("127.0.0.1"))])
    for n in range(25):
        name = signed_up(f"player{n}").username
        assert Program().post(path, {"username": name, "password": PASSWORD})[0] == 200


@pytest.mark.parametrize("path", ["/login/", "/admin/login/", "/api/auth/login/", "/api/auth/token/"])
def test_page_admin_and_api_count_together(hashed: list[str], path: str) -> None:
    signed_up("asha", is_staff=True)
    for _ in range(sign_in.PAIR.tries):
        guess("asha", "127.0.0.1", path="/admin/login/")
    hashed.clear()
    if path.startswith("/api/"):
        assert Program().post(path.removeprefix("/api/"), {"username": "asha", "password": PASSWORD})[0] == 429
    else:
        client = Client()
        client.post(path, {"username": "asha", "password": PASSWORD})
        assert "_auth_user_id" not in client.session
    assert hashed == []


def under_attack() -> None:
    for n in range(sign_in.NAME.tries + 5):
        refusal("asha", f"10.3.0.{n}")


def test_a_known_device_signs_in_while_others_guess() -> None:
    signed_up("asha")
    known_device = Client(REMOTE_ADDR="10.4.0.1")
    assert known_device.post("/login/", {"username": "asha", "password": PASSWORD}).status_code == 302
    cookie = known_device.cookies[devices.COOKIE]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"
    known_device.post("/logout/")
    under_attack()
    assert known_device.post("/login/", {"username": "Asha", "password": PASSWORD}).status_code == 302
    assert guess("asha", "10.4.0.2", PASSWORD) == 429


def test_nobody_waits_longer_than_the_cool_off() -> None:
    signed_up("asha")
    with time_machine.travel("2026-01-05T10:00:00Z", tick=False) as clock:
        under_attack()
        assert guess("asha", "10.4.0.2", PASSWORD) == 429
        clock.shift(sign_in.COOL_OFF + 1)
        assert guess("asha", "10.4.0.2", PASSWORD) == 302


def test_a_known_device_is_limited_too_and_known_for_one_name_only(hashed: list[str]) -> None:
    signed_up("asha")
    signed_up("ravi")
    thief = Client()
    thief.post("/login/", {"username": "asha", "password": PASSWORD})
    thief.post("/logout/")
    hashed.clear()
    for _ in range(30):
        thief.post("/login/", {"username": "asha", "password": "a guess"})
    assert len(hashed) == sign_in.PAIR.tries
    under = RequestFactory().post("/login/")
    under.COOKIES[devices.COOKIE] = thief.cookies[devices.COOKIE].value
    assert devices.known_device(under, "asha") and devices.known_device(under, "ravi") is None


@pytest.mark.databases
def test_a_device_is_unknown_after_a_new_password_and_to_who_takes_the_name_later() -> None:
    asha = signed_up("asha")
    request = on_the_device_of("asha", PASSWORD)
    assert devices.known_device(request, "ASHA")
    accounts.change_hash(player=asha, password_hash=accounts.new_hash("fourteen louder cards"))
    assert devices.known_device(request, "asha") is None
    request = on_the_device_of("asha", "fourteen louder cards")
    assert devices.known_device(request, "asha")
    closing.close_account(asha, RequestFactory().get("/"))
    signed_up("asha", password="fourteen louder cards")
    assert devices.known_device(request, "asha") is None


def test_who_changes_their_own_password_stays_on_a_known_device() -> None:
    signed_up("asha")
    new = {"old_password": PASSWORD, "new_password1": "fresh quiet decks", "new_password2": "fresh quiet decks"}
    assert devices.known_device(on_the_device_of("asha", PASSWORD, new), "asha")


def on_the_device_of(name: str, password: str, new: dict[str, str] | None = None) -> HttpRequest:
    """Return a request of a browser in which this player has signed in, and may have set a new password."""
    browser = Client()
    browser.post("/login/", {"username": name, "password": password})
    if new is not None:
        assert browser.post("/account/password/", new).status_code == 302
    request = RequestFactory().post("/login/")
    request.COOKIES[devices.COOKIE] = browser.cookies[devices.COOKIE].value
    return request


@pytest.mark.parametrize(
    "value",
    ["", "x", "a:b:c", signing.dumps(["asha", "1"]), signing.dumps(1, salt="lobby.accounts.devices")],
    ids=["empty", "short", "unsigned", "signed for something else", "signed and no device"],
)
def test_a_forged_device_cookie_is_ignored(value: str) -> None:
    request = RequestFactory().post("/login/")
    request.COOKIES[devices.COOKIE] = value
    assert devices.known_device(request, "asha") is None


def test_successful_sign_ins_use_up_no_limit() -> None:
    signed_up("asha")
    for n in range(sign_in.NAME.tries + 10):
        assert guess("asha", f"10.5.0.{n % 5}", PASSWORD) == 302


def test_200_concurrent_sign_ups_do_not_pass_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long reading and writing the count take."""
    read = LocMemCache.get
    monkeypatch.setattr(LocMemCache, "get", lambda *args, **kwargs: (read(*args, **kwargs), time.sleep(0.02))[0])
    request, start = RequestFactory().post("/signup/", REMOTE_ADDR="10.7.0.1"), threading.Barrier(200)

    def refused(_: int) -> bool:
        start.wait(30)
        return too_many_sign_ups(request)

    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(refused, range(200)))
    assert answers.count(False) == SignUpThrottle().num_requests == 60
    elsewhere = RequestFactory().post("/signup/", REMOTE_ADDR="10.7.0.2")
    assert not too_many_sign_ups(elsewhere)


def test_concurrent_guesses_are_counted() -> None:
    limit, admitted = RateLimit("test", 5, 60), []
    barrier = threading.Barrier(16)

    def attempt() -> None:
        barrier.wait()
        admitted.append(rate_limits.count_tries([(limit, limit.key("x"))]))

    threads = [threading.Thread(target=attempt) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert admitted.count(True) == 5


def test_counters_do_not_reveal_names() -> None:
    guess("asha", "10.6.0.1")
    assert not any("asha" in key or "10.6" in key for key in cache._cache)  # type: ignore[attr-defined]


#: Passwords, and whether they are taken for nila.k.
PASSWORDS = [
    ("x" * 7, False),
    ("qwertyuiop", False),
    ("12345678", False),
    ("Rummy2026!", False),
    ("thirteen13", False),
    ("nila.k12", False),
    ("x" * (LONGEST + 1), False),
    ("ोषधिपति", False),
    ("zebra!!!", True),
    ("four words in a row", True),
    ("ಕನ್ನಡದಲ್ಲಿ ಗುಪ್ತಪದ", True),
    ("🂡🂢🂣🂤🂥🂦🂧🂨", True),
    ("play rummy with thirteen cards", True),
    ("y z" * 42 + "ab", True),
]


def test_passwords() -> None:
    for password, good in PASSWORDS:
        with rolled_back():
            status, _ = Program().post("auth/signup/", {"username": "nila.k", "password": password})
            assert status == (201 if good else 400), password
            if good:
                assert Program().post("auth/token/", {"username": "nila.k", "password": password})[0] == 200
                assert Program().post("auth/token/", {"username": "nila.k", "password": password[:-1]})[0] == 400


def test_a_password_is_the_same_from_every_keyboard() -> None:
    Program().post("auth/signup/", {"username": "nila.k", "password": "pâté de Zürich"})
    decomposed = "pa\u0302te\u0301 de Zu\u0308rich"
    assert Program().post("auth/token/", {"username": "nila.k", "password": decomposed})[0] == 200
    assert Player.objects.get(username="nila.k").check_password(decomposed)


def test_a_password_that_could_never_sign_in_is_not_set(client: Client) -> None:
    client.force_login(signed_up())
    long = "ab cd ef " * 20
    fields = {"old_password": PASSWORD, "new_password1": long, "new_password2": long}
    assert client.post("/account/password/", fields).status_code == 400


def test_signing_in_makes_a_new_session(client: Client) -> None:
    signed_up("asha")
    client.get("/login/")
    session = client.session
    session["planted"] = "by a thief"
    session.save()
    before = session.session_key
    client.cookies["sessionid"] = before
    client.post("/login/", {"username": "asha", "password": PASSWORD})
    assert client.session.session_key != before
    assert not client.session.exists(before)


@pytest.mark.parametrize("page", ["/account/password/", "/admin/password_change/"])
def test_a_stolen_session_guesses_the_password_as_rarely_as_the_sign_in_and_is_recorded(page: str) -> None:
    thief, boss = Client(), signed_up("boss", is_staff=True)
    thief.force_login(boss)
    new = {"new_password1": "fresh quiet decks", "new_password2": "fresh quiet decks"}
    statuses = [thief.post(page, {"old_password": f"guess {n}", **new}).status_code for n in range(12)]
    assert statuses == [400] * sign_in.PAIR.tries + [429] * (12 - sign_in.PAIR.tries)
    answer = thief.post(page, {"old_password": PASSWORD, **new})
    assert answer.status_code == 429 and str(sign_in.TOO_MANY) in answer.content.decode()
    assert SignIn.objects.filter(player=boss, succeeded=False).count() == sign_in.PAIR.tries
    assert Player.objects.get(pk=boss.pk).check_password(PASSWORD)
