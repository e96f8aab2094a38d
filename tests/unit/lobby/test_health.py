"""Probes, metrics and the staff's health page."""

import asyncio
import contextlib
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import time_machine
from channels.db import database_sync_to_async
from channels.testing import HttpCommunicator
from django.contrib.auth.models import Group
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client import REGISTRY
from redis import Redis

from config.asgi import application
from config.health import heartbeats, probes, report
from config.health.models import Heartbeat
from lobby.backoffice.roles import ensure_roles
from lobby.stakes import services as stakes
from tables.models import ServerHeartbeat, Table
from tables.play import broadcast, executors, services as play
from tables.play.protocol import Frame
from tables.play.store import now_ms
from tables.tasks import sweep
from tests.support.players import signed_up
from tests.support.redis_server import redis_server
from wallet.models import Freeze

pytestmark = pytest.mark.django_db
LOCAL = ["127.0.0.1", 5000]


@pytest.fixture(autouse=True)
def nothing_written_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_written", {})


def all_at_work() -> None:
    heartbeats.task_published(sender=heartbeats.SWEEP)
    heartbeats.task_ended(task=sweep, state="SUCCESS")


async def request(path: str, *headers: tuple[bytes, bytes], client: list[Any] = LOCAL) -> tuple[int, bytes]:
    asking = HttpCommunicator(application, "GET", path, headers=list(headers))
    asking.scope["client"] = client
    answer = await asking.get_response(timeout=10)
    return answer["status"], answer["body"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_healthz_answers_any_host_and_without_a_database(settings: Any) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["play.test"], True
    assert await request("/healthz", (b"host", b"10.1.2.3")) == (200, b'{"alive": true}')


@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_readyz_needs_every_part_working(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "FRESH", 0.0)
    status, body = await request("/readyz")
    parts = json.loads(body)["parts"]
    assert status == 503
    assert {name for name, part in parts.items() if not part["ok"]} == {"beat", "worker", "sweep"}
    await database_sync_to_async(all_at_work)()
    status, body = await request("/readyz")
    assert (status, json.loads(body)["ready"]) == (200, True)
    expected = {"database", "layer", "beat", "worker", "sweep", "clock", "deadlines", "settlement", "calls", "moves"}
    assert set(json.loads(body)["parts"]) == expected


def unwell() -> set[str]:
    return {part.name for part in report.report() if not part.ok}


@pytest.mark.databases
@pytest.mark.parametrize("name", ["beat", "worker", "sweep"])
def test_a_silent_part_is_reported_within_five_seconds(name: str) -> None:
    all_at_work()
    assert unwell() == set()
    Heartbeat.objects.filter(name=name).update(at_ms=now_ms() - report.SILENT_AFTER_MS - 1)
    assert unwell() == {name}
    assert report.SILENT_AFTER_MS <= 5_000


def test_a_failed_sweep_is_no_heartbeat() -> None:
    heartbeats.task_ended(task=sweep, state="FAILURE")
    assert set(Heartbeat.objects.values_list("name", flat=True)) == {"worker"}
    heartbeats.task_published(sender="tables.tasks.nudge")
    assert not Heartbeat.objects.filter(name="beat").exists()


@pytest.mark.databases
def test_heartbeats_are_written_every_two_seconds_at_most() -> None:
    all_at_work()
    Heartbeat.objects.update(at_ms=1)
    all_at_work()
    assert set(Heartbeat.objects.values_list("at_ms", flat=True)) == {1}
    heartbeats._written["beat"] -= heartbeats.EVERY
    all_at_work()
    assert Heartbeat.objects.get(name="beat").at_ms > 1


@pytest.mark.databases
@pytest.mark.parametrize(("late", "message"), [(-19_800_000, "in the future"), (6_000, "silent")])
def test_a_heartbeat_that_contradicts_the_clock_is_reported(late: int, message: str) -> None:
    """For web processes and every other part: one last seen in the future may have been dead for hours."""
    all_at_work()
    ServerHeartbeat.objects.update_or_create(pk=1, defaults={"at_ms": now_ms()})
    assert unwell() == set()
    ServerHeartbeat.objects.update(at_ms=now_ms() - late)
    Heartbeat.objects.filter(name="worker").update(at_ms=now_ms() - late)
    details = {part.name: part.detail for part in report.report() if not part.ok}
    assert set(details) == {"clock", "worker"}
    assert all(message in detail for detail in details.values())


@pytest.mark.databases
@pytest.mark.parametrize("seconds", [-3_600, 19_800])
def test_a_clock_that_differs_from_the_database_is_reported(seconds: int) -> None:
    all_at_work()
    with time_machine.travel(time.time() + seconds):
        [part] = [part for part in report.report() if part.name == "clock"]
    assert not part.ok
    assert ("behind" in part.detail) == (seconds > 0)


@pytest.mark.databases
def test_an_overdue_clock_is_reported() -> None:
    all_at_work()
    seating = stakes.practice(user=signed_up(), book_key="standard-points", players=2)
    Table.objects.filter(pk=seating.table_id).update(deadline_ms=now_ms() - report.OVERDUE_AFTER_MS - 1_000)
    assert unwell() == {"deadlines"}
    Table.objects.filter(pk=seating.table_id).update(status=Table.Status.FROZEN)
    assert unwell() == set()


def test_a_frozen_settlement_is_reported() -> None:
    all_at_work()
    freeze = Freeze.objects.create(since=timezone.now(), reason="an audit found a difference")
    [part] = [part for part in report.report() if not part.ok]
    assert part.name == "settlement" and "stands still" in part.detail
    Freeze.objects.filter(pk=freeze.pk).update(lifted_at=timezone.now())
    assert unwell() == set()


@pytest.mark.databases
def test_without_a_database_nothing_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> int:
        raise OperationalError("could not connect to server at 10.0.0.7")

    monkeypatch.setattr(report, "now_ms", away)
    assert [(part.name, part.ok) for part in report.report()][:2] == [("database", False), ("layer", True)]
    assert "10.0.0.7" not in str(report.report())


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_a_process_that_answers_no_move_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if everything that moves do not need is healthy."""
    monkeypatch.setattr(probes, "FRESH", -1.0)
    monkeypatch.setattr(report, "MOVE_WITHIN", 0.2)
    monkeypatch.setattr(report, "HANGS_AFTER_MS", -1)
    await database_sync_to_async(all_at_work)()
    go_on = threading.Event()
    stuck = [asyncio.create_task(executors.MOVES.read(go_on.wait, 20)) for _ in range(executors.MOVES.threads)]
    async with asyncio.timeout(10):
        while executors.oldest_ms() < 100:
            await asyncio.sleep(0.01)
    parts = json.loads((await request("/readyz"))[1])["parts"]
    assert {name for name, part in parts.items() if not part["ok"]} == {"moves", "calls"}
    assert parts["calls"]["age_ms"] >= 100
    go_on.set()
    await asyncio.gather(*stuck)
    monkeypatch.setattr(report, "MOVE_WITHIN", 20)
    assert json.loads((await request("/readyz"))[1])["parts"]["moves"]["ok"]


@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_a_hanging_database_is_reported_by_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "FRESH", -1.0)
    monkeypatch.setattr(probes, "PATIENCE", 0.2)
    answered, begun = threading.Event(), []

    def hangs() -> list[report.Part]:
        begun.append(answered.wait(20))
        return []

    monkeypatch.setattr(report, "report", hangs)
    status, body = await request("/readyz")
    assert (status, json.loads(body)["parts"]["database"]["ok"]) == (503, False)
    assert (await request("/healthz"))[0] == 200
    answered.set()
    async with asyncio.timeout(10):
        while not begun:  # what is asked here is not to answer whoever asks next
            await asyncio.sleep(0.01)


def test_metrics_need_the_token(settings: Any) -> None:
    def may(client: str, token: bytes = b"") -> bool:
        return probes.may_read_metrics({"client": [client, 1], "headers": [(b"authorization", token)]})

    assert may("127.0.0.1") and not may("10.0.0.1")
    settings.PRODUCTION = True
    assert not may("127.0.0.1")
    settings.METRICS_TOKEN = "a-token-of-24-characters"
    assert may("10.0.0.1", b"Bearer a-token-of-24-characters")
    assert not may("127.0.0.1") and not may("127.0.0.1", b"Bearer a-token-of-24-character")


@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_metrics_describe_the_platform() -> None:
    status, body = await request("/metrics")
    assert status == 200
    for name in (b"rummy_moves_total", b"rummy_play_seconds_bucket", b"rummy_overdue_tables", b"rummy_sockets",
                 b"rummy_ledger_postings", b"rummy_audit_differences", b"rummy_pushes_total"):  # fmt: skip
        assert b"# TYPE " + name.removesuffix(b"_total").removesuffix(b"_bucket") in body, name
    assert (await request("/metrics", client=["10.0.0.1", 1]))[0] == 404


def metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0


def test_moves_are_counted_by_type_and_verdict() -> None:
    player = signed_up()
    seating = stakes.practice(user=player, book_key="standard-points", players=2)

    def before_and_after(table_id: int, kind: str, verdict: str) -> float:
        before = metric("rummy_moves_total", type=kind, verdict=verdict)
        with contextlib.suppress(play.TableError):
            play.play(table_id=table_id, user_id=player.pk, connection="c", frame=Frame(type=kind))
        return metric("rummy_moves_total", type=kind, verdict=verdict) - before

    timed = metric("rummy_play_seconds_count")
    assert before_and_after(seating.table_id, "drop", "wrong_phase") == 1
    assert before_and_after(seating.table_id, "leave", "ack") == 1
    assert before_and_after(999_999, "leave", "not_found") == 1
    assert metric("rummy_play_seconds_count") == timed + 3


def test_pushes_that_fail_are_counted() -> None:
    class Done:
        def cancelled(self) -> bool:
            return False

        def exception(self) -> Exception:
            return ConnectionError("gone")

    before = metric("rummy_pushes_total", outcome="failed")
    broadcast._note_failure(Done())
    assert metric("rummy_pushes_total", outcome="failed") == before + 1


def test_operations_see_the_page_and_its_part(client: Client) -> None:
    operator = signed_up("operator", is_staff=True)
    operator.groups.add(Group.objects.get_or_create(name="operations")[0])
    ensure_roles()
    client.force_login(operator)
    page = client.get("/admin/health/heartbeat/").content.decode()
    assert "Something is not well." in page and "js/staff/health.js" in page
    all_at_work()
    part = client.get("/admin/health/heartbeat/?part=1").content.decode()
    assert part.lstrip().startswith("<p") and "Everything is at work." in part
    assert "Last posting of the ledger" in part


def test_beat_works_only_while_the_broker_accepts_tasks() -> None:
    heartbeats.task_due(sender=heartbeats.SWEEP, headers={})
    assert "beat" in unwell()
    heartbeats.task_published(sender=heartbeats.SWEEP)
    assert "beat" not in unwell()


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_a_process_that_stops_is_not_ready_and_still_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "FRESH", 0.0)
    await database_sync_to_async(all_at_work)()
    assert (await request("/readyz"))[0] == 200
    monkeypatch.setattr(probes.connections, "open", False)
    status, body = await request("/readyz")
    assert (status, json.loads(body)["ready"]) == (503, False)
    assert [name for name, part in json.loads(body)["parts"].items() if not part["ok"]] == ["server"]
    assert (await request("/healthz"))[0] == 200


@pytest.mark.redis
def test_a_redis_that_is_full_is_not_well(tmp_path: Path, settings: Any) -> None:
    with redis_server(tmp_path) as url, Redis.from_url(url) as redis:
        settings.CELERY_BROKER_URL = url
        assert report.layer() == report.Part("layer", True, "Redis")
        redis.config_set("maxmemory", "1mb")
        full = report.layer()
        assert not full.ok and full.detail.startswith("Redis refuses what is new: ")
    assert report.layer().detail == "Redis does not answer"


def test_a_slow_redis_is_named_and_asked_for_one_thing_once(settings: Any) -> None:
    """So the report waits for it as long as it says, and no longer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        assert report.layer() == report.Part("layer", False, "Redis is slow: it takes more than 0.5 s for an answer")
        silent.setblocking(False)
        with silent.accept()[0] as line:
            assert line.recv(4_096).count(b"*") == 1
        with pytest.raises(BlockingIOError):
            silent.accept()
