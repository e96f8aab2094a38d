"""What works once works once, also when it is sent several times at the same moment."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import time_machine
from django.contrib.auth.tokens import default_token_generator
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from lobby.accounts import guests, mail, services, sign_in
from lobby.accounts.recovery import codes
from lobby.models import PasswordCode, Player
from lobby.two_factor.models import RecoveryCode
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import browser_of, enrol, from_the_app
from wallet.audit_log.models import AuditEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

TIMES = 6
Send = Callable[[int], Any]


def together(*sends: Callable[[], Any]) -> Counter[int]:
    """Send all of these at the same moment, in threads of their own; return the statuses of the answers."""
    start = threading.Barrier(len(sends))

    def run(send: Callable[[], Any]) -> int:
        start.wait(30)
        try:
            return int(send().status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(sends)) as pool:
        return Counter(pool.map(run, sends))


@pytest.fixture(autouse=True)
def no_codes_at_sign_in(settings: Any) -> Iterator[None]:
    cache.clear()
    settings.STAFF_TOTP = True
    yield


def new_password(number: int) -> str:
    return f"fourteen louder cards {number}"


def of_a_recovery_code(asha: Player) -> Send:
    return _forgotten(asha, codes.new_codes(asha)[0])


def of_a_code_of_support(asha: Player) -> Send:
    return _forgotten(asha, codes.temporary_code(asha))


def _forgotten(asha: Player, code: str) -> Send:
    def send(number: int) -> Any:
        fields = {"username": asha.username, "code": code, "password": new_password(number)}
        return Client().post("/login/forgotten/", fields)

    return send


def of_a_mail_link(asha: Player) -> Send:
    uid, token = urlsafe_base64_encode(force_bytes(asha.pk)), default_token_generator.make_token(asha)
    browsers = [Client() for _ in range(TIMES)]
    pages = [browser.get(reverse("lobby:reset", args=[uid, token]))["Location"] for browser in browsers]

    def send(number: int) -> Any:
        fields = {"new_password1": new_password(number), "new_password2": new_password(number)}
        return browsers[number].post(pages[number], fields)

    return send


@pytest.mark.parametrize("way", [of_a_recovery_code, of_a_code_of_support, of_a_mail_link])
def test_of_many_new_passwords_at_once_one_is_set(way: Callable[[Player], Send]) -> None:
    asha = signed_up("asha")
    send = way(asha)
    answers = together(*(lambda number=number: send(number) for number in range(TIMES)))
    assert answers == {302: 1, 400: TIMES - 1}
    fresh = Player.objects.get(pk=asha.pk)
    assert [fresh.check_password(new_password(number)) for number in range(TIMES)].count(True) == 1
    assert AuditEntry.objects.filter(action=codes.ACT, target_id=str(asha.pk)).count() == 1
    assert PasswordCode.objects.exclude(used_at=None).count() <= 1


def test_a_proof_of_an_address_sent_many_times_at_once_is_one_act() -> None:
    asha = signed_up("asha")
    page = reverse("lobby:email_proof", args=[mail._token(asha, "asha@example.com")])
    browsers = [browser_of(asha) for _ in range(TIMES)]
    posts = [lambda browser=browser: browser.post(page) for browser in browsers]
    assert together(*posts) == {302: 1, 410: TIMES - 1}
    assert Player.objects.get(pk=asha.pk).email == "asha@example.com"
    assert AuditEntry.objects.filter(action=mail.ACT).count() == 1


@pytest.mark.parametrize("kind", ["of the app", "for recovery"])
@time_machine.travel("2026-02-03T04:05:06Z", tick=False)
def test_a_code_of_the_second_factor_sent_many_times_at_once_opens_one_session(kind: str) -> None:
    boss = signed_up("boss", is_staff=True)
    recovery_codes = enrol(boss)
    boss.authenticator.last_step = 0  # type: ignore[attr-defined]
    boss.authenticator.save()  # type: ignore[attr-defined]
    code = from_the_app(boss) if kind == "of the app" else recovery_codes[0]
    browsers = [Client() for _ in range(4)]
    for browser in browsers:
        browser.force_login(boss)
    answers = together(
        *(lambda browser=browser: browser.post("/account/code/", {"code": code}) for browser in browsers)
    )
    assert answers == {302: 1, 400: 3}
    assert [browser.get("/admin/").status_code for browser in browsers].count(200) == 1
    assert RecoveryCode.objects.exclude(used_at=None).count() == (kind == "for recovery")


@pytest.mark.parametrize("path", ["/signup/", "/api/auth/signup/"])
def test_a_guest_who_is_named_many_times_at_once_gets_one_name(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = guests.create_guest()
    browsers = [Client() for _ in range(4)]
    # All come as the guest: the session of one that came after the first was done would be over.
    came, new_hash = threading.Barrier(len(browsers)), services.new_hash

    def hash_when_all_are_in(password: str) -> str:
        came.wait(30)
        return new_hash(password)

    monkeypatch.setattr(services, "new_hash", hash_when_all_are_in)
    for browser in browsers:
        browser.force_login(guest)
    kind: dict[str, Any] = {"content_type": "application/json"} if path.startswith("/api/") else {}
    sends = [
        lambda browser=browser, name=f"asha{number}": browser.post(
            path, {"username": name, "password": PASSWORD}, **kind
        )
        for number, browser in enumerate(browsers)
    ]
    answers = together(*sends)
    assert set(answers) <= {200, 201, 302, 400, 409} and answers[200] + answers[201] == 1, answers
    named = Player.objects.get(pk=guest.pk)
    assert re.fullmatch("asha[0-3]", named.username) and not named.is_guest
    assert Player.objects.count() == 1


def test_one_display_name_taken_by_many_at_once_is_given_to_one() -> None:
    browsers = [Client() for _ in range(4)]
    for number, browser in enumerate(browsers):
        browser.force_login(signed_up(f"player{number}"))
    sends = [lambda browser=browser: browser.post("/account/", {"display_name": "Moonlight"}) for browser in browsers]
    assert together(*sends) == {302: 1, 400: 3}
    assert Player.objects.filter(display_name="Moonlight").count() == 1


def test_the_row_of_the_player_is_locked_before_a_code_is_looked_up() -> None:
    """PostgreSQL looks again at a row it has waited for, but not at the inside of `IN (SELECT …)`."""
    asha = signed_up("asha")
    send = of_a_recovery_code(asha)
    with CaptureQueriesContext(connection) as captured:
        assert send(0).status_code == 302
    statements = [query["sql"] for query in captured]
    looked_up = next(n for n, sql in enumerate(statements) if sql.startswith("SELECT") and "lobby_passwordcode" in sql)
    if connection.features.has_select_for_update:
        assert any("FOR UPDATE" in sql and "lobby_player" in sql for sql in statements[:looked_up])
    assert not [sql for sql in statements if re.match(r"UPDATE .*\bIN \(SELECT\b", sql)]


def test_a_link_of_a_locked_player_opens_nothing() -> None:
    asha = signed_up("asha")
    send = of_a_mail_link(asha)
    Player.objects.filter(pk=asha.pk).update(is_active=False)
    send(0)
    assert Player.objects.get(pk=asha.pk).check_password(PASSWORD)
    assert sign_in.player_id_of("asha") == asha.pk
