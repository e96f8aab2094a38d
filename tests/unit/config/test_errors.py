"""What people and programs are told while the database is not well, after it was asked again and again."""

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import InterfaceError, OperationalError
from django.test import Client

from tests.support.players import signed_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def fail(error: Exception) -> Any:
    def failing(*arguments: Any, **named: Any) -> Any:
        raise error

    return failing


@pytest.mark.parametrize("error", [OperationalError("server at 10.0.0.7 is away"), InterfaceError("closed")])
def test_a_page_without_its_database_says_when_to_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    client.force_login(signed_up())
    monkeypatch.setattr(SessionStore, "load", fail(error))
    answer = client.get("/wallet/?currency=FUN")
    page = answer.content.decode()
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5" and "no-store" in answer["Cache-Control"]
    assert "Back in a moment" in page and 'href="/wallet/?currency=FUN"' in page and 'again.js" data-seconds="' in page
    assert "10.0.0.7" not in page


def test_what_was_sent_is_not_sent_again_by_itself(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.accounts.sign_in.authenticate_player", fail(OperationalError()))
    answer = client.post("/login/", {"username": "asha", "password": "whatever it is"})
    assert answer.status_code == 503
    assert b"again.js" not in answer.content and b'href="/"' in answer.content


def test_a_program_reads_the_same_in_its_own_way(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(signed_up())
    monkeypatch.setattr("wallet.ledger.selectors.balances", fail(OperationalError()))
    inside = client.get("/api/wallet/")
    monkeypatch.setattr(SessionStore, "load", fail(OperationalError()))
    outside = client.get("/api/wallet/")
    for answer in (inside, outside):
        assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "try_again", "5")


def test_a_fault_of_ours_is_still_one(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(signed_up())
    monkeypatch.setattr(SessionStore, "load", fail(ValueError("ours")))
    assert client.get("/wallet/").status_code == 500
    assert client.get("/api/wallet/").json()["code"] == "server_error"
