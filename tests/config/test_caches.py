"""Attempts and calls are counted whatever Redis does: nobody gets a 500, waits, or may try without end."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from redis import Redis
from redis.exceptions import OutOfMemoryError, TimeoutError

from config import caches as ours
from tests.lobby.factories import PASSWORD, PlayerFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    ours.pause.end()
    ours._client.cache_clear()
    yield
    ours.pause.end()
    ours._client.cache_clear()


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which somebody listens, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"redis://127.0.0.1:{silent.getsockname()[1]}/0"


@pytest.fixture
def counting(settings: Any, nobody: str) -> Any:
    settings.CACHES = {"default": {"BACKEND": "config.caches.Counting", "LOCATION": nobody}}
    caches["default"].clear()
    return caches["default"]


class Failing:
    """Redis as it is while something is wrong with it; counts how often it was asked."""

    def __init__(self, fault: Exception) -> None:
        self.fault, self.asked = fault, 0

    def __getattr__(self, name: str) -> Any:
        def fail(*arguments: Any, **named: Any) -> Any:
            self.asked += 1
            raise self.fault

        return fail


@pytest.mark.parametrize("fault", [ConnectionRefusedError, TimeoutError("slow"), OutOfMemoryError("no room")])
def test_while_redis_fails_the_process_counts_alone_and_leaves_it_alone(
    counting: Any, monkeypatch: pytest.MonkeyPatch, fault: Any
) -> None:
    if fault is ConnectionRefusedError:
        fault = ours.RedisError("refused")
    failing = Failing(fault)
    monkeypatch.setattr(counting, "_redis", failing)
    counting.add("tries", 0, timeout=60)
    assert [counting.incr("tries") for _ in range(3)] == [1, 2, 3]
    counting.set("known", "value")
    assert (counting.get("known"), counting.get("unknown", 7)) == ("value", 7)
    assert counting.delete("known") and counting.get("known") is None
    assert failing.asked == 1
    ours.pause.end()
    counting.get("known")
    assert failing.asked == 2


def test_what_redis_had_begun_to_count_is_counted_on(counting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_redis", Failing(ours.RedisError("gone between two words")))
    assert counting.incr("begun-in-redis") == 1
    assert counting.decr("begun-in-redis") == 0


def test_calls_are_answered_and_still_limited_while_redis_is_silent(
    counting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One wait of PATIENCE is all that a dead Redis costs a process in PAUSE."""
    monkeypatch.setattr(ours, "PAUSE", 600.0)
    monkeypatch.setattr("rest_framework.throttling.cache", counting, raising=False)
    PlayerFactory(username="asha")
    client = Client(raise_request_exception=False)
    answers = [
        client.post("/api/auth/login/", {"username": "asha", "password": PASSWORD}, "application/json").status_code
        for _ in range(21)
    ]
    assert answers == [200] * 20 + [429]


@pytest.mark.redis
def test_with_redis_all_processes_count_together(settings: Any) -> None:
    url = "redis://127.0.0.1:6379/7"
    Redis.from_url(url).delete(":1:tries", ":1:known")
    settings.CACHES = {"default": {"BACKEND": "config.caches.Counting", "LOCATION": url}}
    one, another = caches["default"], ours.Counting(url, {})
    assert (one.add("tries", 0, timeout=60), another.add("tries", 0, timeout=60)) == (True, False)
    assert [one.incr("tries"), another.incr("tries")] == [1, 2]
    one.set("known", [1.5, "value"], timeout=60)
    assert another.get("known") == [1.5, "value"]
    assert another.delete("known") and one.get("known") is None
    with pytest.raises(ValueError, match="not found"):
        one.incr("never-begun")
