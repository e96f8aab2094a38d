"""The real platform in child processes: the embedded one, and the one with PostgreSQL, Redis and workers of its own."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.checks import KEPT
from tests.support import once, postgresql
from tests.support.commands import Commands

ROOT = Path(__file__).resolve().parents[2]
#: Seconds that a process may take to come up on a busy machine.
PATIENCE = postgresql.PATIENCE
#: The ports for the servers of tests: below those that the system gives to outgoing connections.
PORTS = range(20_000, 32_000)


def wait_until(true: Callable[[], bool], logs: Callable[[], str] = lambda: "", pause: float = 0.1) -> None:
    """Look every `pause` seconds until it is true; AssertionError with the logs if that takes longer than PATIENCE."""
    give_up = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < give_up, logs()
        time.sleep(pause)


def free_port() -> int:
    """Return a port on which nobody listens, and which nobody else in this run is given.

    It may take a while until a server listens there, and a killed one leaves it for seconds: a port from the system
    could meanwhile be given to the server of another test, or to an outgoing connection.
    """
    with once.shared("ports") as folder:
        last = folder / "last"
        begin = PORTS.index(int(last.read_text())) + 1 if last.exists() else random.randrange(len(PORTS))
        port = next(port for port in (*PORTS[begin:], *PORTS[:begin]) if _is_free(port))
        last.write_text(str(port))
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


DATABASE = "rummy.sqlite3"
#: A PostgreSQL that the shell names is not the embedded database.
EMBEDDED = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATABASE_URL": "", **KEPT}


def copy_migrated(data: Path) -> None:
    """Copy an empty embedded database there, migrated once for all platforms and tests of a run."""
    with once.shared("database") as folder:
        migrated = folder / once.MIGRATED
        if not migrated.exists():
            environment = {"RUMMY_DATA": str(folder), **EMBEDDED}
            command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=True, timeout=PATIENCE)
            (folder / DATABASE).rename(migrated)
        shutil.copy(migrated, data / DATABASE)


class Platform:
    """`manage.py play` on a data folder of its own; computer players think fast."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.port = free_port()
        self.data = data
        self.environment = {
            **os.environ,
            "RUMMY_DATA": str(data),
            "RUMMY_COMPUTER_PACE_PERCENT": "5",
            "PYTHONUNBUFFERED": "1",
            **EMBEDDED,
            **environment,
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._commands: Commands | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the platform on an empty, migrated database, and wait until the site answers."""
        if not (self.data / DATABASE).exists():
            copy_migrated(self.data)
        self.play()

    @contextmanager
    def started(self, code: str = "") -> Iterator[Self]:
        """Start the platform for the block, and run the code in it first."""
        self.start()
        try:
            if code:
                self.run_code(code)
            yield self
        finally:
            self.stop()

    def play(self) -> None:
        """Start the platform on what is in the data folder, if anything, and wait until the site answers."""
        self.run("web", ["manage.py", "play", "--port", str(self.port)])
        self.wait_until_up()

    def run(self, name: str, command: Sequence[str]) -> None:
        with (self.data / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, *command], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def wait_until_up(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            assert self.processes["web"].poll() is None, self.log("web")
            try:
                with urllib.request.urlopen(f"{self.address}/login/", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError("the site did not come up: " + self.log("web"))

    def log(self, name: str) -> str:
        return (self.data / f"{name}.log").read_text(errors="replace")

    def kill(self, name: str = "web") -> None:
        """Kill the process, which gets no time to tidy up, and wait for its end."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes.pop(name).wait()

    def stop(self) -> None:
        """Stop every process by SIGTERM; AssertionError names one that had to be killed."""
        self._end_commands()
        for name in reversed(list(self.processes)):
            process = self.processes.pop(name)
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise AssertionError(f"{name} did not stop: {self.log(name)}") from None

    def run_code(self, code: str, stdin: str = "") -> str:
        """Run the code in the platform with `stdin` as standard input, and return what it prints."""
        result = self.manage("shell", "--no-imports", "-c", code, stdin=stdin)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def manage(self, *arguments: str, stdin: str = "", patience: float = PATIENCE) -> subprocess.CompletedProcess[str]:
        """Run a management command on the same data."""
        if self._commands is None or self._commands.environment != self.environment:
            self._end_commands()
            self._commands = Commands(self.environment)
        return self._commands.run(arguments, stdin, patience)

    def migrate(self) -> None:
        """Migrate the platform's empty PostgreSQL database, or copy one that was migrated before in this run."""

        def migrate() -> None:
            migrated = self.manage("migrate", "--verbosity", "0")
            assert migrated.returncode == 0, migrated.stderr

        postgresql.migrate_once(self.environment["RUMMY_DATABASE_URL"], migrate)

    def _end_commands(self) -> None:
        if self._commands is not None:
            self._commands.stop()
            self._commands = None


class Distributed(Platform):
    """One web process, one worker and one beat, on PostgreSQL and a Redis of its own."""

    def __init__(self, data: Path, database: str) -> None:
        self.redis_port = free_port()
        url = f"redis://127.0.0.1:{self.redis_port}/0"
        super().__init__(data, RUMMY_DATABASE_URL=database, RUMMY_REDIS_URL=url)

    def start(self) -> None:
        own = ["--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.data)]
        with (self.data / "redis.log").open("ab") as log:
            self.processes["redis"] = subprocess.Popen(["redis-server", *own], stdout=log, stderr=log)
        self.migrate()
        self.start_web()
        self.start_worker()
        schedule = str(self.data / "beat.schedule")
        self.run("beat", ["-m", "celery", "-A", "config.celery", "beat", "--schedule", schedule])
        self.wait_until_up()

    def start_web(self) -> None:
        self.run("web", ["manage.py", "serve", "--port", str(self.port)])

    def start_worker(self) -> None:
        self.run("worker", ["-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-c", "4"])
