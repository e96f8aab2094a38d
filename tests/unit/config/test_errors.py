"""Errors that people and programs get while the database fails, after several attempts."""

from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from tests.support.players import signed_up
from wallet.keys.session_store import SessionStore

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def fail(error: Exception) -> Any:
    def failing(*args: Any, **kwargs: Any) -> Any:
        raise error

    return failing


@pytest.mark.parametrize("error", [OperationalError("server at 10.0.0.7 is away"), InterfaceError("closed")])
def test_a_page_without_database_has_retry_after(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    client.force_login(signed_up())
    monkeypatch.setattr(SessionStore, "load", fail(error))
    answer = client.get("/wallet/?currency=FUN")
    page = answer.content.decode()
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5" and "no-store" in answer["Cache-Control"]
    assert "Back in a moment" in page and 'href="/wallet/?currency=FUN"' in page and 'retry.js" data-seconds="' in page
    assert "10.0.0.7" not in page


def test_a_post_is_not_retried_by_the_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.accounts.sign_in.authenticate_player", fail(OperationalError()))
    answer = client.post("/login/", {"username": "asha", "password": "whatever it is"})
    assert answer.status_code == 503
    assert b"retry.js" not in answer.content and b'href="/"' in answer.content


def test_the_api_without_database_answers_503_json(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(signed_up())
    monkeypatch.setattr("wallet.ledger.selectors.balances", fail(OperationalError()))
    inside = client.get("/api/wallet/")
    monkeypatch.setattr(SessionStore, "load", fail(OperationalError()))
    outside = client.get("/api/wallet/")
    for answer in (inside, outside):
        assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "try_again", "5")


@pytest.mark.parametrize(("error", "status"), [(OperationalError(), 503), (ValueError("ours"), 500)])
def test_a_page_without_database_is_of_the_language_that_it_speaks(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    client.cookies["django_language"] = "hi"
    client.force_login(signed_up())
    monkeypatch.setattr(SessionStore, "load", fail(error))
    answer = client.get("/wallet/")
    assert (answer.status_code, 'lang="hi"' in answer.content.decode()) == (status, True)


def test_what_cannot_be_read_is_answered_in_words(client: Client, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["here.example"]
    page, told = (client.get(path, headers={"accept-language": "hi"}) for path in ("/about/", "/api/lobby/"))
    assert page.status_code == told.status_code == 400
    assert 'lang="hi"' in page.content.decode() and 'href="/"' in page.content.decode()
    assert told.json()["code"] == "parse_error"


def test_other_errors_remain_500(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(signed_up())
    monkeypatch.setattr(SessionStore, "load", fail(ValueError("ours")))
    assert client.get("/wallet/").status_code == 500
    assert client.get("/api/wallet/").json()["code"] == "server_error"
