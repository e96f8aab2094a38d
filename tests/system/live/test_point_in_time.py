"""The shipped settings of PostgreSQL and its scripts: any moment since a base backup can be restored."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support import postgresql
from tests.support.platform import PATIENCE, ROOT, free_port, wait_until

pytestmark = [pytest.mark.redis, pytest.mark.slow]

DEPLOY = ROOT / "config/deploy"
#: Who runs PostgreSQL, which refuses to be run by root.
OWNER = "postgres" if os.getuid() == 0 else None


class Server:
    """A PostgreSQL server of the test's own that archives as the shipped file says."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.backups, self.port = folder, folder / "backups", free_port()
        for name in ("backups/wal", "backups/base", "first"):
            (folder / name).mkdir(parents=True)
        if OWNER is not None:
            subprocess.run(["chown", "-R", OWNER, folder], check=True)
        self.run("initdb", "-D", str(folder / "first"), "-A", "trust", "-U", "postgres", "--no-sync")
        shipped = (DEPLOY / "postgresql.conf").read_text()
        assert "/var/backups/rummy/" in shipped
        own = folder / "rummy.conf"
        own.write_text(shipped.replace("/var/backups/rummy/", f"{self.backups}/"))
        own.chmod(0o644)
        with (folder / "first/postgresql.conf").open("a") as settings:
            settings.write(f"include '{own}'\n")

    def run(self, program: str, *arguments: str, **more: str) -> str:
        """Return the program's output; raise an AssertionError with its errors if it fails."""
        path = f"{Path(postgresql.program('initdb')).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "BACKUPS": str(self.backups), "PGHOST": "127.0.0.1",
                       "PGPORT": str(self.port), "PGUSER": "postgres", **more}  # fmt: skip
        whole = str(self.shipped(program)) if program.endswith(".sh") else postgresql.program(program)
        result = subprocess.run(
            [whole, *arguments], env=environment, user=OWNER, cwd=self.folder, capture_output=True, text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def shipped(self, script: str) -> Path:
        """Copy the script to where PostgreSQL's user may read it."""
        copy = self.folder / script
        if not copy.exists():
            copy.write_bytes((DEPLOY / script).read_bytes())
            copy.chmod(0o755)
        return copy

    def start(self, folder: str) -> None:
        """Start the server on this folder, and wait until it answers."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        log = str(self.folder / f"{folder}.log")
        self.run(
            "pg_ctl", "-D", str(self.folder / folder), "-l", log, "-o", options, "-w", "-t", str(PATIENCE), "start"
        )

    def stop(self, folder: str) -> None:
        """Stop the server as if its machine were gone."""
        self.run("pg_ctl", "-D", str(self.folder / folder), "-m", "immediate", "stop")

    def ask(self, question: str) -> list[str]:
        with psycopg.connect(f"postgres://postgres@127.0.0.1:{self.port}/postgres", autocommit=True) as database:
            answer = database.execute(question.encode())
            return [str(row[0]) for row in answer.fetchall()] if answer.description else []

    def archive(self) -> None:
        """Archive everything written so far, as would happen a minute later."""
        [last] = self.ask("SELECT pg_walfile_name(pg_switch_wal())")
        wait_until(lambda: (self.backups / "wal" / last).exists())


@pytest.fixture
def server() -> Iterator[Server]:
    # Not pytest's own folder: no other user gets in there, and PostgreSQL's is another.
    folder = Path(tempfile.mkdtemp(prefix="moment-"))
    folder.chmod(0o755)
    server = Server(folder)
    yield server
    for cluster in ("first", "restored"):
        if (folder / cluster / "postmaster.pid").exists():
            server.stop(cluster)
    shutil.rmtree(folder)


def test_the_moment_before_a_mistake_is_had_again(server: Server) -> None:
    server.start("first")
    assert server.ask("SHOW archive_mode") == ["on"]
    server.ask("CREATE TABLE chips (kept text)")
    server.ask("INSERT INTO chips VALUES ('before the backup')")
    backup = server.run("backup.sh").strip()
    server.ask("INSERT INTO chips VALUES ('after the backup')")
    [moment] = server.ask("SELECT clock_timestamp()")
    server.ask("DROP TABLE chips")
    server.archive()
    server.stop("first")
    server.run("restore.sh", backup, str(server.folder / "restored"), moment)
    server.start("restored")
    wait_until(lambda: server.ask("SELECT pg_is_in_recovery()") == ["False"])
    assert server.ask("SELECT kept FROM chips ORDER BY 1") == ["after the backup", "before the backup"]
    assert server.ask("SHOW archive_mode") == ["off"], "the copy leaves the archive of the original alone"


def test_old_backups_go_and_what_only_they_needed_with_them(server: Server) -> None:
    server.start("first")
    first = server.run("backup.sh", KEEP="1").strip()
    server.ask("CREATE TABLE chips (kept text)")
    server.archive()
    wait_until(lambda: time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) > Path(first).name)
    before = set((server.backups / "wal").iterdir())
    second = server.run("backup.sh", KEEP="1").strip()
    assert [str(kept) for kept in (server.backups / "base").iterdir()] == [second] != [first]
    assert before - set((server.backups / "wal").iterdir()), "changes from before the backup are needed no longer"


def test_a_folder_with_something_in_it_is_left_alone(server: Server) -> None:
    with pytest.raises(AssertionError, match="is not empty"):
        server.run("restore.sh", "nowhere", str(server.backups), "2026-11-23 14:05:00+05:30")
