"""Limits on pages, and the answers to whoever asks for too much."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.authtoken.models import Token

from config.browser import crowds
from tables.history import kept
from tests.support.players import signed_up
from wallet.base import rate_limits
from wallet.base.errors import TooBusy, TooMany
from wallet.base.rate_limits import WorkLimit, WorkLimits
from wallet.keys.api_tokens import token_text

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counts() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def test_pages_for_visitors_are_counted_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "VISITORS", replace(crowds.VISITORS, tries=2))
    here, there = Client(REMOTE_ADDR="10.1.0.1"), Client(REMOTE_ADDR="10.1.0.2")
    answers = [here.get("/login/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2]["Retry-After"] == "60" and b"Wait a minute" in answers[2].content
    assert there.get("/login/").status_code == 200
    assert here.get("/api/schema/").status_code == 200, "the API counts its own calls"
    here.force_login(signed_up())
    assert here.get("/how-to-play/").status_code == 200, "whoever has an account is counted by it"


def test_pages_for_a_player_are_counted_by_account(
    monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr(crowds, "PLAYERS", replace(crowds.PLAYERS, tries=1))
    player, one, two = signed_up(), Client(), Client()
    one.force_login(player)
    two.force_login(player)
    assert one.get("/wallet/").status_code == 200
    with django_assert_max_num_queries(3):
        refused = two.get("/wallet/", headers={"accept-language": "hi"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert 'lang="hi"' in refused.content.decode()


def test_visitors_who_find_no_place_are_told_when_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "PLACES", WorkLimit(at_once=1, waiting=0, patience=0))
    with crowds.PLACES.place():
        refused = Client().get("/login/")
        assert (refused.status_code, refused["Retry-After"]) == (503, "5")
        refused = Client().get("/api/schema/")
        assert (refused.status_code, refused.json()["code"]) == (503, "try_again")
        assert Client().get("/api/schema/", headers={"authorization": "Token none"}).status_code == 401
        inside = Client()
        inside.force_login(signed_up())
        assert inside.get("/wallet/").status_code == 200, "players do not queue with visitors"
    assert Client().get("/login/").status_code == 200


def test_what_visitors_send_is_done_in_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "VISITORS_SEND", WorkLimit(at_once=1, waiting=0, patience=0))
    inside = Client()
    inside.force_login(signed_up())
    with crowds.VISITORS_SEND.place():
        refused = Client().post("/api/auth/token/", {"username": "asha", "password": "wrong"}, "application/json")
        assert (refused.status_code, refused.json()["code"]) == (503, "try_again")
        assert Client().get("/login/").status_code == 200, "reading has places of its own"
        assert inside.post("/logout/").status_code == 302
    answered = Client().post("/api/auth/token/", {"username": "asha", "password": "wrong"}, "application/json")
    assert answered.status_code == 400


@pytest.mark.parametrize("sent", ["Token made-up", "Basic made-up", "made-up"])
def test_nobody_passes_for_an_account_by_a_header_that_nobody_reads(monkeypatch: pytest.MonkeyPatch, sent: str) -> None:
    monkeypatch.setattr(crowds, "PLACES", WorkLimit(at_once=1, waiting=0, patience=0))
    monkeypatch.setattr(crowds, "VISITORS_SEND", WorkLimit(at_once=1, waiting=0, patience=0))
    stranger = Client(headers={"authorization": sent})
    with crowds.PLACES.place(), crowds.VISITORS_SEND.place():
        assert [stranger.get("/login/").status_code, stranger.post("/login/").status_code] == [503, 503]
        expected = 401 if sent.startswith("Token ") else 503
        assert [stranger.get(path).status_code for path in ("/api/schema/", "/api/me/")] == [expected, expected]
        for name in ("signup", "login", "token"):
            wrong = {"username": "asha", "password": "wrong"}
            assert stranger.post(f"/api/auth/{name}/", wrong, "application/json").status_code == 503


@pytest.mark.parametrize("in_transaction", [False, True])
def test_who_only_waits_leaves_the_place_to_others_but_for_within_a_transaction(
    monkeypatch: pytest.MonkeyPatch, *, in_transaction: bool
) -> None:
    limit, connection = WorkLimit(at_once=1, waiting=1, patience=0), Connection()
    monkeypatch.setattr(rate_limits, "connection", connection)
    connection.in_atomic_block = in_transaction
    taken = list[bool]()

    def take() -> None:
        try:
            with limit.place():
                taken.append(True)
        except TooBusy:
            taken.append(False)

    with limit.place():
        with rate_limits.place_left():
            at_once(1, take)
        at_once(1, take)
    at_once(1, take)
    assert taken == [not in_transaction, False, True]


def test_one_account_asks_for_so_much_at_once_and_keeps_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "OWN_PLACES", WorkLimits(at_once=1, waiting=0, patience=0))
    player, own, other = signed_up(), Client(), Client()
    own.force_login(player)
    other.force_login(signed_up("another"))
    token = {"authorization": f"Token {token_text(Token.objects.create(user=player))}"}
    with crowds.OWN_PLACES.place(player.pk):
        assert [own.get(path).status_code for path in ("/wallet/", "/api/me/")] == [503, 503]
        assert [other.get("/wallet/").status_code, Client().get("/login/").status_code] == [200, 200]
        assert own.post("/logout/").status_code == 302, "what is sent once is not kept waiting"
        assert Client().get("/api/me/", headers=token).status_code == 200, "a program is counted by its token"
    with crowds.OWN_PLACES.place(token["authorization"]):
        assert Client().get("/api/me/", headers=token).json()["code"] == "try_again"
    own.force_login(player)
    assert own.get("/wallet/").status_code == 200


class Connection:
    in_atomic_block = False

    def __init__(self) -> None:
        self.closed = threading.Event()

    def close(self) -> None:
        self.closed.set()


def test_who_waits_for_a_place_holds_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    limit, connection, order = WorkLimit(at_once=1, waiting=1, patience=60), Connection(), list[str]()
    monkeypatch.setattr(rate_limits, "connection", connection)

    def second() -> None:
        with limit.place():
            order.append("second")

    with limit.place():
        assert not connection.closed.is_set()
        thread = threading.Thread(target=second)
        thread.start()
        assert connection.closed.wait(60)
        with pytest.raises(TooBusy), limit.place():
            pass
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def at_once(calls: int, work: Callable[[], object]) -> None:
    threads = [threading.Thread(target=work) for _ in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_an_answer_that_many_ask_for_at_once_is_made_once() -> None:
    made, all_ask = list[int](), threading.Barrier(8)

    def make() -> bytes:
        made.append(1)
        return b"an answer" * 100

    def ask() -> None:
        all_ask.wait()
        assert kept.kept("asked by many", make).content() == b"an answer" * 100

    at_once(8, ask)
    assert made == [1]


def test_what_was_not_used_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(kept.kept("a", lambda: b"0" * 50_000).packed)
    monkeypatch.setattr(kept, "MOST_BYTES", 2 * size)
    made = list[str]()

    def ask(key: str) -> None:
        kept.kept(key, lambda: made.append(key) or b"0" * 50_000)  # type: ignore[func-returns-value]

    for key in "bacab":
        ask(key)
    assert made == ["b", "c", "b"], "when c came, a had been used since b"


def test_costly_answers_are_counted_by_account_and_cheap_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "ANEW", replace(kept.ANEW, tries=1))
    for number in range(3):
        kept.kept(("cheap", number), lambda: b"", account=7)
    monkeypatch.setattr(kept, "COSTLY", 0)
    kept.kept("costly", lambda: b"", account=7)
    with pytest.raises(TooMany) as refusal:
        kept.kept("another", lambda: b"", account=7)
    assert (refusal.value.code, refusal.value.status, refusal.value.retry_after) == ("rate_limited", 429, 60)
    kept.kept("costly", lambda: b"", account=7)
    kept.kept("another", lambda: b"", account=8)


def test_the_schema_is_made_once_for_each_format_and_sent_as_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    client, gzip = Client(), {"accept-encoding": "gzip"}
    plain, packed = client.get("/api/schema/"), client.get("/api/schema/", headers=gzip)
    as_json = client.get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    assert as_json.json()["openapi"] and plain.content.startswith(b"openapi:")
    assert packed["Content-Encoding"] == "gzip" and len(packed.content) < len(plain.content) / 4
    assert kept.zlib.decompress(packed.content, wbits=31) == plain.content
    monkeypatch.setattr("drf_spectacular.generators.SchemaGenerator.get_schema", None)
    assert client.get("/api/schema/").content == plain.content
    again = client.get("/api/schema/", headers={"if-none-match": plain["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "Accept-Encoding" in plain["Vary"] and plain["ETag"] != packed["ETag"]
