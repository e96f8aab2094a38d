"""Signing up, in and out, by page and by API."""

from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lobby.accounts import services as accounts, sign_in
from lobby.accounts.sign_in import SignUpThrottle
from lobby.friends import friends
from lobby.models import Player, SignIn as SignInRow
from tests.support.database import rolled_back
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program
from wallet.base.rate_limits import AccountThrottle
from wallet.ledger import selectors as ledger

pytestmark = pytest.mark.django_db

GOOD = {"username": "Nila.01", "password": PASSWORD}


def test_sign_up_gives_chips_and_redirects_to_next(client: Client) -> None:
    answer = client.post("/signup/", {**GOOD, "next": "/how-to-play/"})
    assert (answer.status_code, answer.context["next"]) == (200, "/how-to-play/")
    assert 'href="/how-to-play/">I have kept them' in answer.content.decode()
    assert client.post("/signup/", {**GOOD, "next": "/how-to-play/"})["Location"] == "/how-to-play/", "sent again"
    player = Player.objects.get(username="Nila.01")
    assert ledger.balances(player) == [{"currency": "FUN", "free": 10_000, "in_play": 0}]
    assert client.get("/account/").status_code == 200


@pytest.mark.parametrize("page", ["/signup/", "/login/"])
@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\e.example"]
)
def test_redirects_stay_on_this_site(client: Client, page: str, elsewhere: str) -> None:
    signed_up("asha")
    credentials = {"username": "asha", "password": PASSWORD} if page == "/login/" else GOOD
    answer = client.post(page, {**credentials, "next": elsewhere})
    led_on = answer["Location"] if page == "/login/" else answer.context["next"]
    assert led_on == "/"


@pytest.mark.parametrize(("page", "default"), [("/signup/", "/"), ("/friends/answer/", "/friends/"), ("/login/", "")])
def test_a_word_is_no_place_to_go_back_to_and_no_fault(client: Client, page: str, default: str) -> None:
    asha, other = signed_up("asha"), signed_up("ravi")
    client.force_login(asha)
    friends.ask_friend(player=other, other=asha)
    for word in ("x", "lobby:lobby", "None", "x?y=/", "", "/no such page/"):
        with rolled_back():
            answer = client.post(page, {"next": word, "player": other.pk, "act": "accept"})
        assert answer.status_code == 302, word
        if default and not word.startswith("/"):
            assert answer["Location"] == default, word


BAD = [
    ("ab", PASSWORD),
    ("a" * 21, PASSWORD),
    ("with space", PASSWORD),
    ("<script>", PASSWORD),
    ("नीlा", PASSWORD),
    ("аsha", PASSWORD),
    ("аsһа", PASSWORD),
    ("as\u200bha", PASSWORD),
    ("asha.", PASSWORD),
    ("A5ha", PASSWORD),
    ("a\u0334sha1", PASSWORD),
    ("नी\u0951\u0951\u0951\u0951ला", PASSWORD),
    ("नीला\u034f", PASSWORD),
    ("नीला\ufe0f", PASSWORD),
    ("\u115f\u1160\u115f", PASSWORD),
    ("សុខ\u17b4", PASSWORD),
    ("ꓮꓢꓧꓮ", PASSWORD),
    ("ΝΙΝΑ", PASSWORD),
    ("ьот", PASSWORD),
    ("...", PASSWORD),
    ("Support-Desk", PASSWORD),
    ("SupportTeam", PASSWORD),
    ("Thirteen", PASSWORD),
    ("official", PASSWORD),
    ("0ff1cial", PASSWORD),
    ("Adm1n", PASSWORD),
    ("аdmin", PASSWORD),
    ("सपोर्ट", PASSWORD),
    ("asha\n", "x"),
    ("ASHA", PASSWORD),
    ("Computer.3", PASSWORD),
    ("admin_1", PASSWORD),
    ("s.t.a.f.f", PASSWORD),
    ("Meera", PASSWORD),
    ("k_A.b-i_r", PASSWORD),
    ("nila", "short"),
    ("nila", "password1"),
    ("nilamber", "nilamber"),
    ("nila", "x" * 129),
]


def test_bad_names_and_passwords_are_refused_the_same_by_page_and_api() -> None:
    signed_up("asha")
    for name, password in BAD:
        cache.clear()
        page = Client().post("/signup/", {"username": name, "password": password})
        status, content = Program().post("auth/signup/", {"username": name, "password": password})
        assert page.status_code == 400, name
        assert (status, content["code"]) == (400, "invalid"), name
        assert set(content["fields"]) & {"username", "password"}, name
        assert Player.objects.count() == 1, name


def test_what_a_new_password_must_be_is_told_in_sentences_of_their_own() -> None:
    browser = Client()
    browser.force_login(signed_up("asha"))
    page = browser.get("/account/password/").content.decode()
    assert "other personal information. Your password must contain" in page


def test_the_longest_name_and_password_are_accepted() -> None:
    status, content = Program().post("auth/signup/", {"username": "a.b-c_d" + "9" * 13, "password": "pq rs" * 25})
    assert (status, content["balances"]) == (201, [{"currency": "FUN", "free": 10_000, "in_play": 0}])


@pytest.mark.databases
def test_a_name_taken_between_check_and_insert_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    signed_up("nila.01")
    monkeypatch.setattr(Player, "validate_constraints", lambda *_, **__: None)
    monkeypatch.setattr(Player, "validate_unique", lambda *_, **__: None)
    assert Program().post("auth/signup/", GOOD)[0] == 400
    assert Client().post("/signup/", GOOD).status_code == 400


def test_wrong_name_wrong_password_and_locked_account_look_alike() -> None:
    signed_up("asha")
    signed_up("gone", is_active=False)
    tries = [("asha", "wrong password"), ("nobody", PASSWORD), ("gone", PASSWORD), ("asha", "x" * 500)]
    for path in ("auth/login/", "auth/token/"):
        answers = {str(Program().post(path, {"username": n, "password": p})) for n, p in tries[:3]}
        assert answers == {"(400, {'code': 'wrong_sign_in', 'message': 'Name or password is not right.'})"}
    pages = {Client().post("/login/", {"username": n, "password": p}).status_code for n, p in tries}
    assert pages == {400}


def test_an_unknown_name_costs_the_hasher_as_much_as_a_known_one(settings: Any, monkeypatch: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 10)
    signed_up("asha")
    hashed: list[str] = []
    encode = PBKDF2PasswordHasher.encode
    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", lambda *a, **k: hashed.append("x") or encode(*a, **k))
    for name in ("asha", "nobody"):
        hashed.clear()
        Program().post("auth/login/", {"username": name, "password": "wrong"})
        assert len(hashed) == 1


def test_guessing_stops_reaching_the_hasher_and_does_not_lock_the_player_out(monkeypatch: pytest.MonkeyPatch) -> None:
    signed_up("asha")
    tried: list[str] = []
    real = sign_in.authenticate
    monkeypatch.setattr(sign_in, "authenticate", lambda *a, **k: tried.append("x") or real(*a, **k))
    statuses = [
        Client(REMOTE_ADDR="10.0.0.9").post("/login/", {"username": "aSHa", "password": f"guess {n}"}).status_code
        for n in range(30)
    ]
    assert statuses == [400] * sign_in.PAIR.tries + [429] * (30 - sign_in.PAIR.tries)
    assert len(tried) == sign_in.PAIR.tries
    at_home = Client(REMOTE_ADDR="10.0.0.1").post("/login/", {"username": "asha", "password": PASSWORD})
    assert at_home.status_code == 302


def test_the_admin_counts_guesses_too() -> None:
    signed_up("boss", is_staff=True)
    for n in range(sign_in.PAIR.tries):
        Client().post("/admin/login/", {"username": "boss", "password": f"guess {n}"})
    Client().post("/admin/login/", {"username": "boss", "password": PASSWORD})
    assert Player.objects.get(username="boss").last_login is None


def test_page_and_api_count_the_sign_ups_of_one_address_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignUpThrottle, "THROTTLE_RATES", {"sign-up": "4/min"})
    bad = {"username": "x", "password": "y"}
    statuses = [Program().post("auth/signup/", bad)[0] for _ in range(3)]
    statuses += [Client().post("/signup/", bad).status_code for _ in range(2)]
    assert [*statuses, Program().post("auth/signup/", bad)[0]] == [400] * 4 + [429] * 2
    assert Client(REMOTE_ADDR="10.0.0.9").post("/signup/", bad).status_code == 400


def test_the_api_limits_calls_of_an_account_from_all_addresses_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AccountThrottle, "THROTTLE_RATES", {"user": "3/min"})
    asha, ravi = signed_up("asha"), signed_up("ravi")

    def calls(player: Player, address: str) -> Any:
        client = Client(REMOTE_ADDR=address)
        client.force_login(player)
        answer = client.get("/api/me/")
        assert client.post("/api/auth/logout/").status_code == 204, "signing out is no call that is counted"
        return answer

    answers = [calls(asha, f"10.0.0.{n}") for n in range(4)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429]
    assert (answers[-1]["Retry-After"], answers[-1].json()["code"]) == ("60", "throttled")
    assert calls(ravi, "10.0.0.1").status_code == 200


@pytest.mark.databases
def test_sign_in_ignores_the_case_of_a_name() -> None:
    signed_up("Asha")
    status, content = Program().post("auth/login/", {"username": "aSHA", "password": PASSWORD})
    assert (status, content["username"]) == (200, "Asha")


def test_a_session_needs_the_csrf_token_and_a_new_visitor_does_not() -> None:
    asha = signed_up("asha")
    fresh = Program(enforce_csrf_checks=True)
    assert fresh.post("auth/login/", {"username": "asha", "password": PASSWORD})[0] == 200
    assert fresh.post("auth/logout/")[0] == 403
    assert fresh.post("practice/", {"book": "standard-points", "players": 2})[0] == 403
    token = fresh.client.cookies["csrftoken"].value
    assert fresh.post("auth/logout/", **{"x-csrftoken": token})[0] == 204
    assert fresh.get("me/")[0] == 401
    assert Program(asha, enforce_csrf_checks=True).get("me/")[0] == 200


@pytest.mark.parametrize(
    "path", ["/signup/", "/login/", "/logout/", "/account/", "/account/password/", "/practice/", "/private/", "/sit/1/"]
)
def test_every_form_of_the_lobby_refuses_a_post_without_its_token(path: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(signed_up())
    assert strict.post(path).status_code == 403


def test_whoever_sends_a_form_from_before_they_signed_in_anew_is_told_to_go_back_and_send_it_again() -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(signed_up())
    page = strict.post("/complaints/").content.decode()
    assert "Go back and send it once more; what you wrote is still there." in page
    assert "Not for you" not in page and "load it again" not in page


@pytest.mark.parametrize("path", ["/logout/", "/practice/", "/play-now/"])
def test_a_get_changes_nothing(client: Client, path: str) -> None:
    client.force_login(signed_up())
    assert client.get(path).status_code == 405
    assert client.get("/account/").status_code == 200


def test_a_form_of_another_site_cannot_sign_a_visitor_in() -> None:
    """Cross-site forms cannot send JSON, and nothing else is accepted."""
    signed_up("asha")
    answer = Client().post("/api/auth/login/", {"username": "asha", "password": PASSWORD})
    assert answer.status_code == 415


def test_a_token_works_until_sign_out(sent: list[Any], django_capture_on_commit_callbacks: Any) -> None:
    player = signed_up("asha")
    _, content = Program().post("auth/token/", {"username": "asha", "password": PASSWORD})
    program = Program()
    program.headers = {"authorization": f"Token {content['token']}"}
    assert program.get("me/")[1]["username"] == "asha"
    with django_capture_on_commit_callbacks(execute=True):
        assert program.post("auth/logout/")[0] == 204
    assert program.get("me/")[0] == 401
    assert (f"user.{player.pk}", {"type": "user.signed_out", "session": None}) in sent


def test_signing_out_closes_the_sockets_of_this_session_only(sent: list[Any]) -> None:
    player = signed_up()
    this_browser, other_browser = Client(), Client()
    this_browser.force_login(player)
    other_browser.force_login(player)
    session = this_browser.session.row_key
    this_browser.post("/logout/")
    assert sent == [(f"user.{player.pk}", {"type": "user.signed_out", "session": session})]
    assert other_browser.get("/account/").status_code == 200


def test_a_new_password_ends_other_sessions_and_tokens(
    sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    player = signed_up()
    program, this_browser, other_browser = Program(player), Client(), Client()
    this_browser.force_login(player)
    other_browser.force_login(player)
    new = "fourteen louder cards"
    fields = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    with django_capture_on_commit_callbacks(execute=True):
        assert this_browser.post("/account/password/", fields)["Location"] == "/account/"
    assert this_browser.get("/account/").status_code == 200
    assert other_browser.get("/account/").status_code == 302
    assert program.get("me/")[0] == 401
    assert (f"user.{player.pk}", {"type": "user.signed_out", "session": None}) in sent


@pytest.mark.parametrize("wish", ["forbids_watching", "hides_rating"])
def test_players_hide_their_hands_or_their_rating_and_show_them_again(client: Client, wish: str) -> None:
    client.force_login(signed_up("asha"))
    assert not getattr(Player.objects.get(), wish)
    for posted, hidden in (({wish: "on"}, True), ({}, False)):
        assert client.post("/account/", posted).status_code == 302
        assert getattr(Player.objects.get(), wish) is hidden


@pytest.mark.databases
def test_a_wallet_that_cannot_be_opened_leaves_no_player_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(player: Player) -> None:
        raise RuntimeError("no wallet")

    monkeypatch.setattr(accounts.play_money, "open_wallet", broken)
    with pytest.raises(RuntimeError):
        accounts.sign_up(username="nila", password=PASSWORD)
    assert not Player.objects.exists()


def sign_in_rows() -> list[tuple[str | None, str, bool, str | None]]:
    rows = SignInRow.objects.order_by("id")
    return list(rows.values_list("player__username", "how", "succeeded", "address"))


@pytest.mark.databases
def test_the_history_of_sign_ins_has_tokens_and_failures() -> None:
    signed_up("asha")
    right, wrong = {"username": "asha", "password": PASSWORD}, {"username": "aSha", "password": "guess"}
    at_home = Program(REMOTE_ADDR="10.0.0.7")
    assert at_home.post("auth/token/", wrong)[0] == 400
    assert at_home.post("auth/token/", right)[0] == 200
    assert at_home.post("auth/login/", wrong)[0] == 400
    assert at_home.post("auth/login/", right)[0] == 200
    assert at_home.post("auth/token/", {"username": "nobody", "password": "guess"})[0] == 400
    address = "10.0.0.7"
    assert sign_in_rows() == [
        ("asha", "token", False, address),
        ("asha", "token", True, address),
        ("asha", "session", False, address),
        ("asha", "session", True, address),
        (None, "token", False, address),
    ]


def test_a_failure_is_noted_with_the_same_work_whether_the_name_exists_or_not() -> None:
    signed_up("asha")
    counts = []
    for name in ("asha", "nobody"):
        with CaptureQueriesContext(connection) as queries:
            Client().post("/login/", {"username": name, "password": "guess"})
        counts.append([query["sql"].split(" ", 1)[0] for query in queries.captured_queries])
    assert counts[0] == counts[1]
    assert counts[0].count("INSERT") == 2, "the attempt, and its mark in the trail"
