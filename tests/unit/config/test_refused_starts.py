"""A start that fails gives the reason and a remedy in one sentence, and ends with a status of its own."""

import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError
from django.db import OperationalError
from django.db.backends.sqlite3.base import DatabaseWrapper
from pytest_django import DjangoDbBlocker

from config import env
from config.process import embedded_database, exits, serve
from config.settings import production_checks
from config.settings.databases import sqlite
from tests.doors import postgresql_url

ROOT = Path(__file__).resolve().parents[3]
PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Make an embedded database of many pages, with a copy beside it."""
    database = tmp_path / "rummy.sqlite3"
    with sqlite3.connect(database) as writing:
        writing.execute("CREATE TABLE cards (id integer PRIMARY KEY, card text UNIQUE)")
        writing.executemany("INSERT INTO cards (card) VALUES (?)", [(f"card {n} " * 9,) for n in range(2_000)])
    writing.close()
    (tmp_path / "rummy.sqlite3.before-12").write_bytes(database.read_bytes())
    (tmp_path / "rummy.sqlite3.before-14.unfinished").touch()
    return database


@pytest.fixture
def opened(file: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[DatabaseWrapper]:
    rest = {"ATOMIC_REQUESTS": False, "AUTOCOMMIT": True, "CONN_HEALTH_CHECKS": False, "TIME_ZONE": None, "USER": ""}
    connection = DatabaseWrapper({**rest, **sqlite(file), "CONN_MAX_AGE": 0})
    with django_db_blocker.unblock():
        yield connection
        connection.close()


def nothing(file: Path) -> None:
    """Leave the database as it should be."""


def garbage(file: Path) -> None:
    file.write_bytes(b"not what it was " * 5_000)


def torn(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 3)


def a_page_lost(file: Path) -> None:
    with file.open("r+b") as writing:
        writing.seek(10 * PAGE)
        writing.write(b"\xff" * PAGE)


def empty(file: Path) -> None:
    os.truncate(file, 0)


@pytest.mark.parametrize("harm", [garbage, torn, a_page_lost, empty])
def test_a_damaged_database_is_reported_with_its_copies(
    opened: DatabaseWrapper, file: Path, harm: Callable[[Path], None]
) -> None:
    harm(file)
    with pytest.raises(CommandError) as refused:
        embedded_database.check_database(opened)
    message = str(refused.value)
    assert refused.value.returncode == exits.DATABASE
    assert f"The database {file} is damaged" in message and "\n" not in message
    assert f"copies lie in {file}.before-12: put a copy" in message


def test_a_sound_or_a_new_database_is_let_through(opened: DatabaseWrapper, file: Path) -> None:
    embedded_database.check_database(opened)
    opened.close()
    for path in file.parent.iterdir():
        path.unlink()
    file.touch()
    embedded_database.check_database(opened)


def test_without_a_copy_none_is_mentioned(opened: DatabaseWrapper, file: Path) -> None:
    garbage(file)
    (file.parent / "rummy.sqlite3.before-12").unlink()
    with pytest.raises(CommandError, match=f"no copy of it lies in {file.parent}: put your own backup in its place"):
        embedded_database.check_database(opened)


def test_a_full_disk_is_reported_before_play_begins(
    opened: DatabaseWrapper, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        embedded_database.shutil, "disk_usage", lambda folder: SimpleNamespace(free=embedded_database.LEAST_FREE - 1)
    )
    with pytest.raises(CommandError, match=f"The disk of {file.parent} is full") as refused:
        embedded_database.check_database(opened)
    assert refused.value.returncode == exits.DISK


@pytest.mark.parametrize("pragma", ["max_page_count = 1", "query_only = ON"])
def test_an_unwritable_disk_gives_no_traceback(opened: DatabaseWrapper, file: Path, pragma: str) -> None:
    with opened.cursor() as cursor, pytest.raises(CommandError) as refused, embedded_database.explaining_damage(opened):
        cursor.execute(f"PRAGMA {pragma}")
        cursor.execute("CREATE TABLE more AS SELECT * FROM cards")
    assert (refused.value.returncode, str(file.parent) in str(refused.value)) == (exits.DISK, True)


def test_other_faults_keep_their_traceback(opened: DatabaseWrapper) -> None:
    with (
        opened.cursor() as cursor,
        pytest.raises(Exception, match="no such table"),
        embedded_database.explaining_damage(opened),
    ):
        cursor.execute("SELECT * FROM nowhere")


@pytest.mark.parametrize("port", ["0", "-1", "65536", "http", "8000.5", "٣"])
def test_an_invalid_port_is_refused(port: str) -> None:
    with pytest.raises(serve.ArgumentTypeError):
        serve.port_number(port)


@pytest.fixture
def taken() -> Iterator[int]:
    """Yield a port at which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


def test_an_unusable_address_is_reported(taken: int) -> None:
    for host, port in (("127.0.0.1", taken), ("203.0.113.7", 8000), ("no such host", 8000), ("x" * 300, 8000)):
        with pytest.raises(CommandError, match=f"Nobody can listen on port {port} of ") as refused:
            serve.check_port(host, port)
        assert refused.value.returncode == exits.PORT


def ended(*arguments: str, data: Path) -> subprocess.CompletedProcess[str]:
    """Run a process with `--data` that is expected to end by itself."""
    rest = {name: value for name, value in os.environ.items() if not name.startswith("RUMMY_")}
    environment = {**rest, "DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATA": str(data)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )


#: Somebody takes the port between the look and the listening.
TOO_LATE = """
import sys, django
django.setup()
from django.core.management import CommandError
from config.process import serve
try:
    serve.serve("127.0.0.1", int(sys.argv[1]), lambda: None)
except CommandError as refused:
    sys.exit(refused.returncode)
"""


@pytest.mark.slow
def test_each_refused_start_is_one_sentence_and_its_own_status(file: Path, taken: int) -> None:
    garbage(file)
    data, fresh, afile = file.parent, file.parent / "fresh", file.with_name("a_file")
    afile.touch()
    starts = {
        "at once": (exits.PORT, ["-m", "django", "play", "--port", str(taken)], fresh),
        "too late": (exits.PORT, ["-c", TOO_LATE, str(taken)], fresh),
        "garbage": (exits.DATABASE, ["-m", "django", "play"], data),
        "migrate": (exits.DATABASE, ["-m", "django", "migrate"], data),
        "a file": (exits.SETTING, ["-m", "django", "play"], afile),
    }
    with ThreadPoolExecutor() as pool:
        refused = dict(zip(starts, pool.map(lambda each: ended(*each[1], data=each[2]), starts.values()), strict=True))
    assert {name: each.returncode for name, each in refused.items()} == {
        name: status for name, (status, *_) in starts.items()
    }, refused
    for name, each in refused.items():
        assert "Traceback" not in each.stderr, each.stderr
        assert name == "too late" or each.stderr.count("\n") == 1, each.stderr
    assert "is a file, or lies in one" in refused["a file"].stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RUMMY_SOCKETS_PER_ADDRESS", "0"),
        ("RUMMY_SOCKETS_PER_ADDRESS", "-5"),
        ("RUMMY_ALLOWED_HOSTS", "https://rummy.test"),
        ("RUMMY_PACKED_EVENTS_KEPT_DAYS", "7"),
        ("RUMMY_TRUSTED_ORIGINS", "rummy.test"),
        ("RUMMY_PROXIES", "-1"),
    ],
)
def test_the_embedded_platform_refuses_such_a_variable_too(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ending:
        production_checks.check_readable()
    message = capsys.readouterr().err
    assert (ending.value.code, message.count("\n"), name in message) == (exits.SETTING, 1, True)


def test_the_usual_variables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUMMY_ALLOWED_HOSTS", "*,localhost,.rummy.test")
    monkeypatch.setenv("RUMMY_TRUSTED_ORIGINS", "http://localhost:8000")
    monkeypatch.setenv("RUMMY_SOCKETS_PER_ADDRESS", "40")
    production_checks.check_readable()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"path": "/no_such_database"}, 'database "no_such_database" does not exist'),
        ({"netloc": "127.0.0.1:1"}, "refused"),
    ],
)
def test_a_start_repeats_why_postgresql_let_nobody_in(change: dict[str, str], reason: str, tmp_path: Path) -> None:
    address = urlsplit(postgresql_url())._replace(**change).geturl()
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATABASE_URL": address}
    code = "import django; django.setup(); from wallet.base import schema; print(schema.schema_faults())"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env.of_a_child({**settings, "RUMMY_DATA": str(tmp_path)}),
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert reason in told.stdout, told.stderr
    assert "couldn't get a connection" not in told.stdout


SHOE = f"manage.py deal --deal-id 1 --seed {'ab' * 64} --packs 2".split()


@contextmanager
def gone() -> Iterator[int]:
    """Give the end of a pipe whose reader has had enough, as `head` has."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@contextmanager
def full() -> Iterator[int]:
    """Give a file of a disk that is full."""
    with Path("/dev/full").open("wb") as file:
        yield file.fileno()


@pytest.mark.parametrize(
    ("output", "status", "says"),
    [(gone, exits.NOT_READ, ""), (full, exits.DISK, "CommandError: No space left on device: free some space.\n")],
)
def test_an_output_that_takes_nothing_gives_no_traceback(
    output: Callable[[], AbstractContextManager[int]], status: int, says: str
) -> None:
    with output() as to:
        told = subprocess.run([sys.executable, *SHOE], cwd=ROOT, stdout=to, stderr=subprocess.PIPE, text=True)
    assert (told.returncode, told.stderr) == (status, says)


def test_a_command_whose_output_is_closed_still_ends_with_its_status() -> None:
    told = subprocess.run(["sh", "-c", '"$@" >&-', "sh", sys.executable, *SHOE], cwd=ROOT, capture_output=True)
    assert (told.returncode, told.stderr) == (0, b"")


def test_ctrl_c_ends_a_command_without_a_traceback() -> None:
    with pytest.raises(SystemExit) as ended_with, exits.in_one_sentence():
        raise KeyboardInterrupt
    assert ended_with.value.code == exits.INTERRUPTED


def test_a_fault_shows_itself_also_where_the_output_takes_nothing() -> None:
    code = "from config.process.exits import in_one_sentence\nwith in_one_sentence():\n print(1)\n raise ValueError"
    kept = {**os.environ, "PYTHONUNBUFFERED": ""}
    with gone() as to:
        told = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=kept, stdout=to, stderr=subprocess.PIPE, text=True
        )
    assert "ValueError" in told.stderr


def test_a_broken_pipe_that_is_not_the_output_is_a_fault() -> None:
    code = "from config.process.exits import in_one_sentence\nwith in_one_sentence():\n raise BrokenPipeError"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (told.returncode, "BrokenPipeError" in told.stderr) == (1, True)


@pytest.mark.parametrize(
    ("asked", "before"),
    [
        ("rate --check", ""),
        ("draw_of 1 1", ""),
        ("changepassword nobody", ""),
        ("audit_ledger", "The ledger cannot be read: "),
        ("export_ledger --from 2026-11-01 --to 2026-11-30 --format csv --out {0}/o", "Nothing was written to {0}/o: "),
    ],
)
def test_a_command_on_a_database_without_tables_says_what_to_do(asked: str, before: str, tmp_path: Path) -> None:
    told = ended("manage.py", *asked.format(tmp_path).split(), data=tmp_path)
    sentence = "The database is older than this code: run `manage.py migrate` first.\n"
    assert (told.returncode, told.stderr) == (exits.SETTING, f"CommandError: {before.format(tmp_path)}{sentence}")


@pytest.mark.django_db
def test_wrong_sql_is_no_database_that_does_not_let_it(file: Path, opened: DatabaseWrapper) -> None:
    with opened.cursor() as cursor, pytest.raises(OperationalError), exits.in_one_sentence():
        cursor.execute("SELECT card FRM cards")


@pytest.mark.postgres
def test_a_command_without_its_database_says_why(tmp_path: Path) -> None:
    address = urlsplit(postgresql_url())._replace(path="/no_such_database").geturl()
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATABASE_URL": address}
    told = subprocess.run(
        [sys.executable, "manage.py", "rate", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env=env.of_a_child({**settings, "RUMMY_DATA": str(tmp_path)}),
    )  # fmt: skip
    assert told.returncode == exits.SETTING
    assert 'database "no_such_database" does not exist' in told.stderr.splitlines()[-1]
    assert "Traceback" not in told.stderr
