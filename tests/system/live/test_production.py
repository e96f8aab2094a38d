"""The Procfile's own commands under production settings, on PostgreSQL and Redis, and a backup restored."""

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, build_opener

import psycopg
import pytest
import redis

from tests.support.client import Player, has_result
from tests.support.platform import PATIENCE, ROOT, Platform

pytestmark = [pytest.mark.redis, pytest.mark.slow]

SERVER = "postgres://root@127.0.0.1:5432"
DATABASE, RESTORED = "rummy_production_test", "rummy_production_restored"
REDIS = "redis://127.0.0.1:6379/10"
#: The table that changes as long as the site runs.
ALIVE = "tables_serverheartbeat"
TOKEN = "metrics-for-this-test-only"


def procfile() -> dict[str, list[str]]:
    """Return the commands by name, as arguments of this machine's Python."""
    commands = {}
    for line in (ROOT / "config/deploy/Procfile").read_text().splitlines():
        name, _, command = line.partition(": ")
        here = {".venv/bin/python": [], ".venv/bin/celery": ["-m", "celery"]}
        first, *rest = shlex.split(command)
        commands[name] = [*here[first], *rest]
    return commands


class Production(Platform):
    """The commands of the Procfile, each a process."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        rest = {name: value for name, value in os.environ.items() if not name.startswith("RUMMY_")}
        self.environment = {
            **rest,
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "RUMMY_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "RUMMY_ALLOWED_HOSTS": "127.0.0.1",
            "RUMMY_DATABASE_URL": f"{SERVER}/{DATABASE}",
            "RUMMY_REDIS_URL": REDIS,
            "RUMMY_DATA": str(data),
            "RUMMY_SSL_REDIRECT": "0",
            "RUMMY_PROXIES": "1",
            "RUMMY_METRICS_TOKEN": TOKEN,
        }

    def start(self) -> None:
        self.manage(*self.command("release")[1:]).check_returncode()
        self.run_parts("web", "worker", "beat")

    def command(self, name: str) -> list[str]:
        """Return the Procfile's command, with its variables filled in."""
        variables = {"${PORT:-8000}": str(self.port), "${RUMMY_DATA:-var}": str(self.data)}
        command = procfile()[name]
        for variable, value in variables.items():
            command = [word.replace(variable, value) for word in command]
        return command

    def run_parts(self, *names: str) -> None:
        for name in names:
            self.run(name, self.command(name))
        self.wait_until(lambda: self.ready()[0] == 200)

    @contextmanager
    def without(self, *names: str) -> Iterator[None]:
        """Let these parts end what they are at, stay away for the block, and come back."""
        for name in names:
            process = self.processes.pop(name)
            process.terminate()
            process.wait(PATIENCE)
        try:
            yield
        finally:
            self.run_parts(*reversed(names))

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Let nothing change for the block, whatever the time of day asks of the worker."""
        # Computer players end what was left to them.
        self.wait_until(lambda: not still_played(DATABASE))
        with self.without("beat", "worker"):
            yield

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Wait until it is true; raise an AssertionError with the logs if that takes longer than PATIENCE."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            assert all(process.poll() is None for process in self.processes.values()), self.logs()
            if true():
                return
            time.sleep(0.1)
        raise AssertionError(self.logs())

    def logs(self) -> str:
        return "\n".join(self.log(name) for name in self.processes)

    def ask(self, path: str, **headers: str) -> tuple[int, str]:
        request = Request(
            self.address + path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        try:
            with build_opener().open(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def ready(self) -> tuple[int, str]:
        return self.ask("/readyz")

    def parts(self) -> dict[str, Any]:
        parts: dict[str, Any] = json.loads(self.ready()[1])["parts"]
        return parts


def recreate(*names: str) -> None:
    with psycopg.connect(f"{SERVER}/test", autocommit=True) as server:
        for name in names:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            server.execute(f"CREATE DATABASE {name}")


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    recreate(DATABASE, RESTORED)
    redis.Redis.from_url(REDIS).flushdb()
    running = Production(Path(tmp_path_factory.mktemp("production")))
    running.start()
    yield running
    running.stop()
    with psycopg.connect(f"{SERVER}/test", autocommit=True) as server:
        for name in (DATABASE, RESTORED):
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def play_a_deal(platform: Production) -> None:
    player = Player(platform.address)
    await player.sign_up()
    seat = await player.post("/api/practice/", book="standard-points", players=2)
    async with player.at(seat["table"]):
        while "drop" not in (player.view["me"] or {}).get("moves", []) and not has_result(player.view):
            await player.receive()
        if not has_result(player.view):
            await player.ask("drop")
        await player.ask("leave")


def test_strangers_play_and_the_books_are_right(platform: Production) -> None:
    asyncio.run(play_a_deal(platform))
    audited = platform.manage("audit_ledger")
    assert audited.returncode == 0, audited.stdout


def test_measures_need_their_token(platform: Production) -> None:
    assert platform.ask("/metrics")[0] == 404
    status, metrics = platform.ask("/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200 and 'rummy_moves_total{type="leave",verdict="ack"}' in metrics
    # What the worker, another process, has done is told as well.
    assert 'rummy_tasks_total{outcome="done",task="tables.tasks.sweep"}' in metrics


def first_line(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(request)
        return line.makefile("rb").readline()


@pytest.mark.parametrize(
    "header", [b"X-Forwarded-For: 1.2.3.4\x00", b"Bad Name: x", b"Host: evil.test", b"Host: 127.0.0.1, x"]
)
def test_forged_headers_do_not_come_through(platform: Production, header: bytes) -> None:
    host = b"" if header.startswith(b"Host") else b"Host: 127.0.0.1\r\n"
    line = first_line(
        platform.port, b"GET /how-to-play/ HTTP/1.1\r\n" + host + header + b"\r\nConnection: close\r\n\r\n"
    )
    assert b" 400 " in line, line


def test_a_client_does_not_move_the_site(platform: Production) -> None:
    status, page = platform.ask("/how-to-play/", Daphne_Root_Path="/elsewhere")
    assert status == 200 and "/elsewhere" not in page


def test_a_worker_that_hangs_shows_and_play_goes_on_after_it(platform: Production) -> None:
    worker = platform.processes["worker"]
    worker.send_signal(signal.SIGSTOP)
    try:
        platform.wait_until(lambda: not platform.parts()["sweep"]["ok"])
        parts = platform.parts()
        assert not parts["sweep"]["ok"] and parts["beat"]["ok"] and parts["database"]["ok"]
        assert platform.ready()[0] == 503
        assert platform.ask("/healthz")[0] == 200
    finally:
        worker.send_signal(signal.SIGCONT)
    platform.wait_until(lambda: platform.ready()[0] == 200)


def test_a_worker_tells_systemd_that_it_lives_though_beat_does_not(platform: Production) -> None:
    file = platform.data / "notify"
    with platform.without("beat"), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(file))
        systemd.settimeout(PATIENCE)
        watched = platform.environment | {"NOTIFY_SOCKET": str(file), "WATCHDOG_USEC": "2000000"}
        worker = [sys.executable, *platform.command("worker"), "-n", "watched"]
        with (platform.data / "watched.log").open("ab") as log:
            process = subprocess.Popen(worker, cwd=ROOT, env=watched, stdout=log, stderr=log)
        try:
            # More than there could be of a sweep that beat has left behind.
            assert [systemd.recv(100) for _ in range(9)] == [b"READY=1", *[b"WATCHDOG=1"] * 8]
        finally:
            process.terminate()
            process.wait(PATIENCE)


def test_tables_are_measured_as_production_has_them(platform: Production) -> None:
    """On a database of its own, dropped afterwards; those who play notice nothing."""
    with platform.at_rest():
        before = rows(DATABASE)
        measured = platform.manage("bench", "tables", "--size", "5")
        assert rows(DATABASE) == before
    assert measured.returncode == 0, measured.stderr
    assert json.loads(measured.stdout)["count"] == 5 and not measured.stderr
    with psycopg.connect(f"{SERVER}/test") as server:
        left = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [f"test_{DATABASE}"]).fetchall()
    assert left == []


def rows(database: str) -> dict[str, str]:
    """Return a fingerprint of the content of every table."""
    with psycopg.connect(f"{SERVER}/{database}") as connection:
        names = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> %s", [ALIVE]
        ).fetchall()
        return {
            name: str(connection.execute(
                f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {name} t"  # type: ignore[arg-type]
            ).fetchone())
            for (name,) in names
        }  # fmt: skip


def still_played(database: str) -> int:
    """Return how many practice tables are not closed yet."""
    query = "SELECT count(*) FROM tables_table WHERE practice_for_id IS NOT NULL AND status <> 'closed'"
    with psycopg.connect(f"{SERVER}/{database}") as connection:
        row = connection.execute(query).fetchone()
        assert row is not None
        return int(row[0])


def test_a_backup_restored_into_an_empty_database_is_the_same(platform: Production, tmp_path: Path) -> None:
    """By the README's own commands."""
    readme = (ROOT / "config/deploy/README.md").read_text().splitlines()
    commands = [line for line in readme if line.startswith(("pg_dump ", "pg_restore "))]
    assert len(commands) == 2
    addresses = platform.environment | {"NEW_DATABASE_URL": f"{SERVER}/{RESTORED}"}
    with platform.at_rest():
        subprocess.run(["sh", "-ec", "\n".join(commands)], cwd=tmp_path, env=addresses, check=True)
        before = platform.manage("audit_ledger", "--json")
        platform.environment["RUMMY_DATABASE_URL"] = f"{SERVER}/{RESTORED}"
        try:
            after = platform.manage("audit_ledger", "--json")
            assert (after.returncode, after.stdout) == (0, before.stdout), (before.stdout, after.stdout)
            assert rows(RESTORED) == rows(DATABASE)
            with psycopg.connect(f"{SERVER}/{RESTORED}") as restored:
                ended = "SELECT max(id) FROM tables_deal WHERE ended_at IS NOT NULL"
                (deal,) = restored.execute(ended).fetchone() or (0,)
            assert platform.manage("verify_deal", str(deal)).returncode == 0
            with psycopg.connect(f"{SERVER}/{RESTORED}") as restored, pytest.raises(psycopg.Error):
                restored.execute("DELETE FROM wallet_transfer")
        finally:
            platform.environment["RUMMY_DATABASE_URL"] = f"{SERVER}/{DATABASE}"
