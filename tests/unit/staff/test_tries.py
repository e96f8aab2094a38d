"""Every address that accepts something that could be guessed: wrong tries are counted, told with 429, and recorded.

A new address fails until it has a row in secrets.txt.
"""

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from lobby.accounts import sign_in
from lobby.models import Player, SignIn
from lobby.two_factor.sessions import VERIFIED_AT
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import browser_of, enrol
from tests.unit.staff import walking

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bare_heads")]

FILE = Path(__file__).parent / "secrets.txt"
#: The pages that Django makes of a model.
OF_A_MODEL = re.compile(r"/admin/[a-z_]+/[a-z]+/(add/|<object_id>/(history/|delete/|change/)?)?$")
NEW = {"new_password1": "fresh quiet decks", "new_password2": "fresh quiet decks"}
#: More tries than any of them allows.
MANY = 30


def kinds_by_address() -> dict[str, list[str]]:
    lines = [line.split() for line in FILE.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {path: kinds for path, *kinds in lines}


def takes_secrets() -> list[tuple[str, str]]:
    return [(path, kind) for path, kinds in kinds_by_address().items() for kind in kinds if kind != "-"]


@pytest.fixture
def boss(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Player:
    """Return somebody of the staff who has everything that can be guessed, where e-mail is sent."""
    cache.clear()
    settings.STAFF_TOTP = True
    monkeypatch.setattr("lobby.accounts.views.is_configured", lambda: True)
    assert sign_in.LINKS.tries == 60
    monkeypatch.setattr(sign_in, "LINKS", replace(sign_in.LINKS, tries=6))
    boss = signed_up("boss", is_staff=True, is_superuser=True)
    enrol(boss)
    return boss


def browser_for(path: str, boss: Player) -> Client:
    """Return a browser that the page lets in: signed in with the second factor, except where one signs in."""
    if path.startswith(("/login/", "/admin/login/", "/api/auth/")):
        return Client()
    browser = browser_of(boss)
    session = browser.session
    session[VERIFIED_AT] = int(boss.authenticator.confirmed_at.timestamp()) + 1  # type: ignore[attr-defined]
    session.save()
    return browser


def try_wrongly(browser: Client, path: str, kind: str, boss: Player, number: int) -> Any:
    password = PASSWORD if kind == "code" else f"wrong guess {number}"
    fields = {
        "username": "boss", "password": password, "old_password": password, **NEW, "email": "boss@example.com",
        "code": f"{number:06}", "sure": "on", "player": boss.pk,
    }  # fmt: skip
    if path.endswith(".svg"):
        return browser.get(path)
    if path.startswith("/api/"):
        return browser.post(path, fields, content_type="application/json")
    return browser.post(path, fields)


@pytest.mark.parametrize(("pattern", "kind"), takes_secrets())
def test_wrong_tries_are_counted_recorded_and_in_time_refused_in_words(boss: Player, pattern: str, kind: str) -> None:
    samples = defaultdict(lambda: "wrong", uidb64=urlsafe_base64_encode(force_bytes(boss.pk)))
    [path] = [each.path for each in walking.addresses(samples) if f"/{each.pattern}" == pattern]
    browser = browser_for(path, boss)
    answers = [try_wrongly(browser, path, kind, boss, 0)]
    while answers[-1].status_code != 429 and len(answers) < MANY:
        answers.append(try_wrongly(browser, path, kind, boss, len(answers)))
    statuses = [answer.status_code for answer in answers]
    assert statuses[-1] == 429, statuses
    assert len(statuses) > 1 and 500 not in statuses
    assert re.search("oo many|a lot in a short time", answers[-1].content.decode())
    failures = SignIn.objects.filter(succeeded=False)
    assert failures.count() == len(statuses) - 1
    assert set(failures.values_list("player", "address")) == {(boss.pk, "127.0.0.1")}


def test_every_address_is_classified() -> None:
    matrix = walking.read()
    asked = {
        path
        for (method, path), answers in matrix.items()
        if method == "POST" and not set(answers) <= {"405", "login"} and not OF_A_MODEL.match(path)
    }
    asked |= {path for method, path in matrix if method == "GET" and re.search("<(token|code|uidb64)>", path)}
    assert set(kinds_by_address()) == asked
