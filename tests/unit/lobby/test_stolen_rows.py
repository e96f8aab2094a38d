"""Rows of sessions and of tokens, read or written by somebody who has the database and no key: they open nothing."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core import signing
from django.test import Client
from django.utils import timezone
from rest_framework.authtoken.models import Token

from lobby.accounts.models import Player
from lobby.two_factor.sessions import STARTED_AT, VERIFIED_AT
from tables.sockets import credentials
from tests.support.players import signed_up
from tests.support.program import Program
from wallet.keys.api_tokens import LIFETIME, number, token_text
from wallet.keys.models import StoredSession
from wallet.keys.session_store import SessionStore, row_keys

pytestmark = pytest.mark.django_db

THIEF = "thief-of-sessions-0123456789abcd"


@pytest.fixture
def staff() -> Player:
    boss = signed_up("boss")
    boss.is_staff = boss.is_superuser = True
    boss.save()
    return boss


@pytest.fixture
def row(staff: Player) -> StoredSession:
    """Return the row of a session of staff."""
    client = Client()
    client.force_login(staff)
    assert client.get("/admin/").status_code == 200
    return StoredSession.objects.get()


def opens(key: str) -> bool:
    """Return whether that key, as the cookie, signs in to pages or to sockets."""
    client = Client()
    client.cookies["sessionid"] = key
    by_page = client.get("/account/").status_code == 200
    return by_page or credentials.bearers([credentials.HandshakeKey(session=key)])[0].user is not None


def test_a_session_opens_by_its_own_key_alone(staff: Player) -> None:
    client = Client()
    client.force_login(staff)
    assert opens(client.session.session_key or "")
    assert client.session.session_key != StoredSession.objects.get().session_key


def plant_under(key: str, row: StoredSession) -> str:
    StoredSession.objects.create(session_key=key, session_data=row.session_data, expire_date=row.expire_date)
    return key


def plant_in_own_row(row: StoredSession) -> str:
    """Put the data of the staff's session into the row of a session of one's own."""
    own = Client()
    own.force_login(signed_up("ravi"))
    key = own.session.session_key or ""
    StoredSession.objects.filter(session_key=row_keys(key)[0]).update(session_data=row.session_data)
    return key


def sign_in_as_django_does(row: StoredSession) -> str:
    """Plant a row as Django's own sessions are, whose key stands in clear."""
    boss = Player.objects.get(username="boss")
    data = {SESSION_KEY: str(boss.pk), BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend"}
    marks = {HASH_SESSION_KEY: boss.get_session_auth_hash(), STARTED_AT: 2**40, VERIFIED_AT: 2**40}
    signed = signing.dumps({**data, **marks}, salt="django.contrib.sessions.SessionStore")
    StoredSession.objects.create(session_key=THIEF, session_data=signed, expire_date=row.expire_date)
    return THIEF


THEFTS = {
    "the key of the row as a cookie": lambda row: row.session_key,
    "a copy under a key of one's own": lambda row: plant_under(THIEF, row),
    "a copy under the HMAC of a key of one's own": lambda row: plant_under(row_keys(THIEF)[0], row) and THIEF,
    "the data in a row of one's own": plant_in_own_row,
    "a row of Django's own": sign_in_as_django_does,
}


@pytest.mark.parametrize("theft", THEFTS.values(), ids=THEFTS.keys())
def test_a_row_of_a_session_opens_nothing(theft: Any, row: StoredSession) -> None:
    assert not opens(theft(row))


def test_the_data_of_a_moved_session_is_worth_nothing_to_an_open_socket(row: StoredSession, staff: Player) -> None:
    plant_under(THIEF, row)
    valid = credentials.still_valid([credentials.Credential(staff.pk, session=key) for key in (row.pk, THIEF)])
    assert valid == {credentials.Credential(staff.pk, session=row.pk)}


def test_a_session_is_found_under_a_former_key_and_moves_to_the_present_one(settings: Any) -> None:
    client = Client()
    client.force_login(signed_up("asha"))
    before = client.session.session_key or ""
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    assert credentials.bearers([credentials.HandshakeKey(session=before)])[0].user is not None
    assert client.get("/account/").status_code == 200
    after = client.session.session_key or ""
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/account/").status_code == 200
    assert StoredSession.objects.count() == 1
    assert not opens(before) and after != before


def test_a_session_of_a_visitor_is_kept_in_its_row_under_a_former_key(settings: Any) -> None:
    first = SessionStore()
    first["word"] = "pot"
    first.save()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    second = SessionStore(first.session_key)
    second["word"] += " luck"
    second.save()
    assert SessionStore(first.session_key)["word"] == "pot luck"
    second.flush()
    assert not StoredSession.objects.exists()


def program(token: str) -> Program:
    made = Program()
    made.headers = {"authorization": f"Token {token}"}
    return made


def admits(token: str) -> bool:
    by_call = program(token).get("me/")[0] == 200
    by_socket = credentials.bearers([credentials.HandshakeKey(token=token)])[0].user is not None
    assert by_call == by_socket
    return by_call


def test_a_row_of_a_token_opens_nothing_and_the_token_opens_its_own_account() -> None:
    asha = Token.objects.create(user=signed_up("asha"))
    ravi = Token.objects.create(user=signed_up("ravi"))
    assert admits(token_text(asha)) and admits(token_text(ravi))
    of_asha, of_ravi = number(asha.key), number(ravi.key)
    mixed = of_asha + token_text(ravi)[len(of_ravi) :]
    for guess in (of_asha, of_asha * 2, mixed, token_text(asha)[:-1], f"{token_text(asha)}0", "ü" * 80, ""):
        assert not admits(guess)


def test_the_row_that_was_just_made_carries_the_token_and_is_stored_without_it() -> None:
    made = Token.objects.create(user=signed_up("asha"))
    stored = Token.objects.get()
    assert admits(made.key) and made.key == token_text(stored)
    assert stored.key == number(made.key) and not admits(stored.key)


@pytest.mark.parametrize("column", ["user_id", "created"])
def test_a_token_is_bound_to_its_owner_and_its_date(column: str, staff: Player) -> None:
    token = Token.objects.create(user=signed_up("asha"))
    text = token_text(token)
    changed = {"user_id": staff.pk, "created": token.created + timedelta(seconds=1)}
    Token.objects.filter(key=number(token.key)).update(**{column: changed[column]})
    assert not admits(text)


def test_a_token_ends_after_half_a_year(monkeypatch: pytest.MonkeyPatch) -> None:
    asha = signed_up("asha")
    token = Token.objects.create(user=asha)
    passes = [credentials.Credential(asha.pk, token=number(token.key))]
    assert admits(token_text(token)) and credentials.still_valid(passes)
    later = timezone.now() + LIFETIME + timedelta(seconds=1)
    monkeypatch.setattr("wallet.keys.api_tokens.timezone.now", lambda: later)
    assert not admits(token_text(token)) and not credentials.still_valid(passes)


def test_a_token_is_the_same_until_it_ends_and_opens_under_a_former_key(settings: Any) -> None:
    signed_up("asha")
    ask = {"username": "asha", "password": "thirteen quiet cards"}
    _, first = Program().post("auth/token/", ask)
    assert Program().post("auth/token/", ask)[1] == first
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    assert admits(first["token"])
    settings.SECRET_KEY_FALLBACKS = []
    assert not admits(first["token"])
    assert admits(Program().post("auth/token/", ask)[1]["token"])
