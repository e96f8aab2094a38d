"""Attempts and calls are counted whatever Redis does: nobody gets a 500, waits, or gets endless attempts."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import time_machine
from django.core.cache import caches
from django.test import Client
from redis import Redis
from redis.exceptions import OutOfMemoryError, TimeoutError

from config import caches as ours
from lobby.accounts import sign_in
from tests.support.players import PASSWORD, signed_up

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    ours.pause.end()
    ours._client.cache_clear()
    caches["default"].clear()
    yield
    ours.pause.end()
    ours._client.cache_clear()


@pytest.fixture
def nobody() -> Iterator[str]:
    """Yield an address at which somebody listens and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"redis://127.0.0.1:{silent.getsockname()[1]}/0"


@pytest.fixture
def counting(settings: Any, nobody: str) -> Any:
    settings.CACHES = {"default": {"BACKEND": "config.caches.RedisCounts", "LOCATION": nobody}}
    caches["default"].clear()
    return caches["default"]


class Failing:
    """A Redis with a fault, which counts its calls."""

    def __init__(self, fault: Exception) -> None:
        self.fault, self.asked = fault, 0

    def __getattr__(self, name: str) -> Any:
        def fail(*args: Any, **kwargs: Any) -> Any:
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


def test_counts_begun_in_redis_go_on(counting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_redis", Failing(ours.RedisError("gone between two words")))
    assert counting.incr("begun-in-redis") == 1
    assert counting.decr("begun-in-redis") == 0


def test_tries_are_answered_and_still_limited_while_redis_is_silent(
    counting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead Redis costs a process no more than one wait of PATIENCE in PAUSE."""
    monkeypatch.setattr(ours, "PAUSE", 600.0)
    signed_up("asha")
    client = Client(raise_request_exception=False)
    answers = [
        client.post("/api/auth/login/", {"username": "asha", "password": password}, "application/json").status_code
        for password in [PASSWORD, *["a wrong guess"] * sign_in.PAIR.tries, PASSWORD]
    ]
    assert answers == [200, *[400] * sign_in.PAIR.tries, 429]


def hit_at_once(counter: Any, many: int) -> list[int]:
    start = threading.Barrier(many)

    def hit(_: int) -> int:
        start.wait(30)
        return int(counter.hit("at-once", 60))

    with ThreadPoolExecutor(many) as pool:
        return sorted(pool.map(hit, range(many)))


def test_concurrent_counts_are_distinct() -> None:
    assert hit_at_once(caches["default"], 64) == list(range(1, 65))


def test_an_expired_count_starts_anew_and_is_not_decremented() -> None:
    with time_machine.travel("2026-01-05T10:00:00Z", tick=False) as clock:
        assert [caches["default"].hit("tries", 60) for _ in range(2)] == [1, 2]
        clock.shift(61)
        caches["default"].give_back("tries")
        assert caches["default"].hit("tries", 60) == 1
        caches["default"].give_back("tries")
        caches["default"].give_back("tries")
        assert caches["default"].hit("tries", 60) == 1


def test_many_names_do_not_evict_counts() -> None:
    counter = caches["default"]
    counter.hit("asha", 60)
    for number in range(2_000):
        counter.hit(f"nobody-{number}", 60)
    assert counter.hit("asha", 60) == 2


@pytest.mark.redis
def test_with_redis_all_processes_count_together(settings: Any) -> None:
    url = "redis://127.0.0.1:6379/7"
    Redis.from_url(url).delete(":1:tries", ":1:known")
    settings.CACHES = {"default": {"BACKEND": "config.caches.RedisCounts", "LOCATION": url}}
    counter, other_counter = caches["default"], ours.RedisCounts(url, {})
    assert (counter.add("tries", 0, timeout=60), other_counter.add("tries", 0, timeout=60)) == (True, False)
    assert [counter.incr("tries"), other_counter.incr("tries")] == [1, 2]
    counter.set("known", [1.5, "value"], timeout=60)
    assert other_counter.get("known") == [1.5, "value"]
    assert other_counter.delete("known") and counter.get("known") is None
    with pytest.raises(ValueError, match="not found"):
        counter.incr("never-begun")


@pytest.mark.redis
def test_concurrent_counts_in_redis_are_distinct_and_expire(settings: Any) -> None:
    url, names = "redis://127.0.0.1:6379/7", [":1:at-once", ":1:run-out"]
    redis = Redis.from_url(url)
    redis.delete(*names)
    counter = ours.RedisCounts(url, {})
    assert hit_at_once(counter, 64) == list(range(1, 65))
    assert 0 < redis.ttl(names[0]) <= 60
    counter.give_back("at-once")
    assert counter.hit("at-once", 60) == 64
    counter.give_back("run-out")
    assert not redis.exists(names[1])
    redis.delete(*names)
