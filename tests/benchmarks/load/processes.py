"""The platform as in production and the floor beside it: started, measured, and removed with all they made."""

import os
import re
import secrets
import socket
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
from django.core.management.base import CommandError

from tests.benchmarks.load import floor
from tests.support.platform import PATIENCE, Platform, free_port, wait_until

#: Sockets that one address may open: all clients come from one.
_SOCKETS = "20000"
#: Lets the benchmark read the metrics.
_TOKEN = secrets.token_hex(16)
_COUNTED = re.compile(r'^rummy_(?:processor_seconds_total{part=|fast_moves_total{outcome=)"(\w+)"} (\S+)', re.MULTILINE)
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Production(Platform):
    """`webs` web processes, two workers and a beat under production settings."""

    def __init__(self, data: Path, database: str, redis_url: str, webs: int) -> None:
        self.prefix = f"load-{secrets.token_hex(6)}"
        super().__init__(
            data,
            DJANGO_SETTINGS_MODULE="config.settings.production",
            RUMMY_SECRET_KEY=secrets.token_urlsafe(64),
            RUMMY_ALLOWED_HOSTS="127.0.0.1",
            RUMMY_DATABASE_URL=database,
            RUMMY_REDIS_URL=redis_url,
            RUMMY_REDIS_PREFIX=self.prefix,
            RUMMY_SSL_REDIRECT="off",
            RUMMY_STAFF_TOTP="off",
            RUMMY_METRICS_TOKEN=_TOKEN,
            RUMMY_SOCKETS_PER_ADDRESS=_SOCKETS,
        )
        # Production refuses what is for tests alone: how fast computer players think, and where the tests' database is.
        for name in ("RUMMY_COMPUTER_PACE_PERCENT", "RUMMY_TEST_POSTGRESQL"):
            self.environment.pop(name, None)
        self.ports = [free_port() for _ in range(webs)]

    def start(self) -> None:
        migrated = self.manage("migrate", "--verbosity", "0")
        assert migrated.returncode == 0, migrated.stderr
        for number, port in enumerate(self.ports):
            self.run(f"web{number}", ["manage.py", "serve", "--port", str(port)])
        celery = ["-m", "celery", "-A", "config.celery"]
        for name in ("worker0", "worker1"):
            self.run(name, [*celery, "worker", "-P", "threads", "-c", "4", "-n", f"{name}@%h"])
        self.run("beat", [*celery, "beat", "--schedule", str(self.data / "beat.schedule")])
        for number, port in enumerate(self.ports):
            self.port, self.processes["web"] = port, self.processes[f"web{number}"]
            self.wait_until_up()
        del self.processes["web"]


class Embedded(Platform):
    """`manage.py play`, everything in one process."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, RUMMY_SOCKETS_PER_ADDRESS=_SOCKETS)
        self.ports = [self.port]


@contextmanager
def platform(data: Path, database: str | None, redis_url: str | None, webs: int) -> Iterator[Production | Embedded]:
    """Start the platform on a database of its own beside `database`, or the embedded one without."""
    if database is None:
        with _running(Embedded(data)) as installation:
            yield installation
        return
    address = redis_url or "redis://127.0.0.1:6379/0"
    with scratch_postgres(database, "platform") as own:
        production = Production(data, own, address, webs)
        try:
            with _running(production) as installation:
                yield installation
        finally:
            _forget_keys(address, production.prefix)


@contextmanager
def _running(installation: Production | Embedded) -> Iterator[Production | Embedded]:
    try:
        installation.start()
        yield installation
    finally:
        installation.stop()


@contextmanager
def floor_server(data: Path, database: str | None) -> Iterator[tuple[int, int]]:
    """Start the floor; yield its port and the number of its process."""
    if database is None:
        with _floor(data, str(data / "floor.sqlite3")) as server:
            yield server
        return
    with scratch_postgres(database, "floor") as own, _floor(data, own) as server:
        yield server


@contextmanager
def _floor(data: Path, where: str) -> Iterator[tuple[int, int]]:
    floor.make_database(where)
    server = Platform(data, FLOOR_DATABASE=where)
    command = ["-m", "uvicorn", f"{floor.__name__}:application", "--loop", "uvloop", "--log-level", "error"]
    server.run("floor", [*command, "--port", str(server.port), "--no-access-log"])
    try:
        wait_until(lambda: _listens(server, "floor"), lambda: server.log("floor"))
        yield server.port, server.processes["floor"].pid
    finally:
        server.stop()


def _listens(server: Platform, name: str) -> bool:
    """Return whether somebody listens at the port; AssertionError with the log once the process has ended."""
    assert server.processes[name].poll() is None, server.log(name)
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", server.port)) == 0


@contextmanager
def scratch_postgres(database: str, what: str) -> Iterator[str]:
    """Create an empty database on the server of `database`; yield its URL; drop it afterwards.

    CommandError if the server cannot be reached, or lets nobody create a database.
    """
    parts = urlsplit(database)
    name = f"{parts.path.strip('/')}_{what}_{secrets.token_hex(4)}"
    with ExitStack() as made:
        try:
            server = made.enter_context(psycopg.connect(database, autocommit=True))
            made.callback(lambda: server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
            # In a thread: who is told to end meanwhile waits for it, and then takes it away.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(server.execute, f'CREATE DATABASE "{name}"').result()
        except psycopg.Error as error:
            reason = " ".join(str(error).split())[:120]
            raise CommandError(f"No database can be made there to measure in: {reason}", returncode=2) from error
        yield urlunsplit(parts._replace(path=f"/{name}"))


def _forget_keys(address: str, prefix: str) -> None:
    store = redis.Redis.from_url(address)
    for key in store.scan_iter(f"*{prefix}*", count=1_000):
        store.delete(key)
    store.close()


def by_kind(installation: Production | Embedded) -> dict[str, list[int]]:
    """Return the processes of each kind: web, worker, beat, and those of the services on this machine."""
    kinds: dict[str, list[int]] = {}
    for name, process in installation.processes.items():
        kinds.setdefault(name.rstrip("0123456789"), []).append(process.pid)
    if isinstance(installation, Production):
        kinds |= {"postgres": _named("postgres"), "redis": _named("redis-server")}
    return kinds


def _named(program: str) -> list[int]:
    """Return the processes of `program` whose parent is another program: with their children they are all of it."""
    stats = _all_stats()
    of_program = {pid: int(stat[2]) for pid, stat in stats.items() if stat and stat[0] == program}
    return [pid for pid, parent in of_program.items() if parent not in of_program]


def processor_seconds(kinds: Mapping[str, list[int]]) -> dict[str, float]:
    """Return the processor time that the processes of each kind, their children included, have used so far."""
    return {kind: sum(_used(pid) for pid in _with_children(pids)) for kind, pids in kinds.items()}


def counted(installation: Production | Embedded) -> Counter[str]:
    """Return what the web processes have counted so far: seconds of processor by part, moves of the fast way by end."""
    counts: Counter[str] = Counter()
    for port in installation.ports:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {_TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            for name, value in _COUNTED.findall(answer.read().decode()):
                counts[name] += float(value)
    return counts


def memory(kinds: Mapping[str, list[int]]) -> dict[str, int]:
    """Return the bytes of memory that the processes of each kind hold."""
    return {kind: sum(int(stat[22]) * _PAGE for pid in pids if (stat := _stat(pid))) for kind, pids in kinds.items()}


def _with_children(pids: list[int]) -> list[int]:
    stats = _all_stats()
    family = list(pids)
    for parent in family:
        family += [pid for pid, stat in stats.items() if stat and int(stat[2]) == parent]
    return family


def _used(pid: int) -> float:
    """Return the processor seconds of the process and of its children that have ended."""
    stat = _stat(pid)
    return sum(int(stat[field]) for field in (12, 13, 14, 15)) / _TICKS if stat else 0.0


def _all_stats() -> dict[int, list[str]]:
    return {int(process.name): _stat(int(process.name)) for process in Path("/proc").glob("[0-9]*")}


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the name on (proc(5): the second field is the first here)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return []
    return [text[text.index("(") + 1 : text.rindex(")")], *text[text.rindex(")") + 2 :].split()]
