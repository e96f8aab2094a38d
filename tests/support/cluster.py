"""A whole installation that tests may break: PostgreSQL, Redis, two web processes, two workers, a beat.

A supervisor restarts processes that have died, as the service manager of a real installation does.
"""

import os
import pwd
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import redis

from tests.support.platform import PATIENCE, Platform, free_port
from tests.support.postgresql import program

WEBS = ("web1", "web2")
WORKERS = ("worker1", "worker2")
HELPERS = (*WORKERS, "beat", "redis")
#: Connections that an installation with two processors needs, with room for those left over from a crash.
CONNECTIONS = 120


class Cluster(Platform):
    """An installation with every process on a port of its own; `address` is that of the first web process."""

    def __init__(self, data: Path) -> None:
        self.ports = {name: free_port() for name in (*WEBS, "postgres", "redis")}
        super().__init__(
            data,
            RUMMY_DATABASE_URL=f"postgres://postgres@127.0.0.1:{self.ports['postgres']}/rummy",
            RUMMY_REDIS_URL=f"redis://127.0.0.1:{self.ports['redis']}/0",
            RUMMY_SOCKETS_PER_ADDRESS="5000",
        )
        self.port = self.ports["web1"]
        #: Names of the processes that the supervisor does not restart.
        self.down: set[str] = set()
        self._stopping = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def start(self) -> None:
        self._make_database()
        self._launch("postgres")
        self._launch("redis")
        self._wait_for_services()
        self.migrate()
        for name in (*WEBS, *WORKERS, "beat"):
            self._launch(name)
        for name in WEBS:
            self.port = self.ports[name]
            self.processes["web"] = self.processes[name]
            self.wait_until_up()
        del self.processes["web"]
        self._supervisor.start()

    def stop(self) -> None:
        self._stopping.set()
        self._supervisor.join()
        services = {name: self.processes.pop(name) for name in ("postgres", "redis") if name in self.processes}
        try:
            super().stop()
        finally:
            for process in services.values():
                process.send_signal(signal.SIGINT)
            for process in services.values():
                process.wait(30)

    def strike(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        """Send the process a signal: by default it dies at once."""
        self.processes[name].send_signal(how)

    def connect(self) -> psycopg.Connection:
        """Return a connection to the database, to look at the books."""
        return psycopg.connect(self.environment["RUMMY_DATABASE_URL"], autocommit=True)

    def _supervise(self) -> None:
        while not self._stopping.wait(0.1):
            for name, process in list(self.processes.items()):
                if process.poll() is not None and name not in self.down:
                    self._launch(name)

    def _launch(self, name: str) -> None:
        user = "postgres" if name == "postgres" and os.getuid() == 0 else None
        with (self.data / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self._command(name), cwd=self.data if user else None, env=self.environment, stdout=log, stderr=log,
                user=user, start_new_session=True,
            )  # fmt: skip

    def _command(self, name: str) -> Sequence[str]:
        port, root = self.ports.get(name, 0), str(Path(__file__).resolve().parents[2])
        if name == "postgres":
            options = f"-D {self.data}/postgres -p {port} -k {self.data}/postgres -c listen_addresses=127.0.0.1"
            # After a crash PostgreSQL syncs its whole folder to disk, by default file by file.
            settings = (f"max_connections={CONNECTIONS}", "recovery_init_sync_method=syncfs")
            return [program("postgres"), *options.split(), *(word for pair in settings for word in ("-c", pair))]
        if name == "redis":
            return ["redis-server", "--port", str(port), "--save", "", "--dir", str(self.data), "--bind", "127.0.0.1"]
        if name in WEBS:
            return [sys.executable, f"{root}/manage.py", "serve", "--port", str(port)]
        celery = [sys.executable, "-m", "celery", "--workdir", root, "-A", "config.celery"]
        if name == "beat":
            return [*celery, "beat", "--schedule", str(self.data / "beat.schedule")]
        return [*celery, "worker", "-P", "threads", "-c", "4", "-n", name]

    def _make_database(self) -> None:
        folder = self.data / "postgres"
        folder.mkdir()
        user = None
        if os.getuid() == 0:
            user = "postgres"
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
            for part in (self.data, *self.data.parents):
                if part.owner() == "root" and str(part).startswith("/tmp/"):
                    part.chmod(0o755)
        command = [program("initdb"), "-D", str(folder), "-A", "trust", "-U", "postgres", "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, user=user, cwd="/")

    def _wait_for_services(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                server = f"postgres://postgres@127.0.0.1:{self.ports['postgres']}/postgres"
                with psycopg.connect(server, autocommit=True) as database:
                    database.execute("CREATE DATABASE rummy")
                redis.Redis.from_url(self.environment["RUMMY_REDIS_URL"]).ping()
            except (psycopg.OperationalError, redis.RedisError):
                assert time.monotonic() < give_up, self.log("postgres") + self.log("redis")
                time.sleep(0.1)
            else:
                return


@contextmanager
def cluster(data: Path) -> Iterator[Cluster]:
    """Run a cluster for the block."""
    running = Cluster(data)
    try:
        running.start()
        yield running
    finally:
        running.stop()
