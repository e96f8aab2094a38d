"""The key file of an embedded platform: written whole, and never replaced beside data sealed with another key."""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config.settings import keys
from config.settings.databases import database_settings
from tests.support.platform import copy_migrated, free_port

ROOT = Path(__file__).resolve().parents[3]


def beside(folder: Path) -> dict[str, Any]:
    return database_settings("", folder)


def test_a_key_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    key = keys.local_secret(tmp_path, beside(tmp_path))
    assert len(key) >= 50
    assert keys.local_secret(tmp_path, beside(tmp_path)) == key
    [file] = tmp_path.iterdir()
    assert (file.name, stat.S_IMODE(file.stat().st_mode)) == (keys.FILE, 0o600)


def test_a_key_is_on_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observed: list[bool] = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (observed.append((tmp_path / keys.FILE).exists()), flush(file)))
    keys.local_secret(tmp_path, beside(tmp_path))
    assert observed == [False, True], "the file before it is renamed, the folder after"


def test_concurrent_processes_make_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(file: int) -> None:
        (tmp_path / keys.FILE).write_text("the key of the other process")

    monkeypatch.setattr(os, "fsync", overtaken)
    assert keys.local_secret(tmp_path, beside(tmp_path)) == "the key of the other process"
    assert [file.name for file in tmp_path.iterdir()] == [keys.FILE]


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe\x00"])
def test_a_key_file_with_no_key_in_it_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    (tmp_path / keys.FILE).write_bytes(content)
    with pytest.raises(ValueError, match="put it back from your copy"):
        keys.local_secret(tmp_path, beside(tmp_path))
    assert (tmp_path / keys.FILE).read_bytes() == content


@pytest.mark.parametrize(("table", "key_lost"), [("keys_key", True), ("tables_table", True), ("lobby_player", False)])
def test_no_key_is_made_beside_a_sealed_database(tmp_path: Path, table: str, key_lost: bool) -> None:
    with closing(sqlite3.connect(tmp_path / "rummy.sqlite3")) as database:
        database.executescript(f"CREATE TABLE {table} (id integer); INSERT INTO {table} VALUES (1)")
    if key_lost:
        with pytest.raises(ValueError, match="is gone, and without it nobody opens"):
            keys.local_secret(tmp_path, beside(tmp_path))
        assert not (tmp_path / keys.FILE).exists()
    else:
        assert keys.local_secret(tmp_path, beside(tmp_path))


def ended(data: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    rest = {name: value for name, value in os.environ.items() if not name.startswith("RUMMY_")}
    environment = {**rest, "DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATA": str(data), **variables}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def sentences(output: str) -> list[str]:
    """Return what the process itself prints, without the lines about its environment."""
    return [line for line in output.splitlines() if not line.startswith("Setting up the environment")]


@pytest.mark.slow
def test_an_empty_key_file_and_a_bad_variable_end_the_process_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / keys.FILE).touch()
    refused = [
        ended(tmp_path, "play", "--port", "1"),
        ended(tmp_path, "check", RUMMY_DATABASE_URL="postgres://h/rummy?ssl=1"),
        ended(tmp_path, "check", RUMMY_PROXIES="many"),
        ended(tmp_path, "check", RUMMY_DEBUG="perhaps"),
        ended(tmp_path, "check", RUMMY_REDIS_URL="redis://h:x/0"),
    ]
    assert [(ended.returncode, len(sentences(ended.stderr)), "Traceback" in ended.stderr) for ended in refused] == (
        [(2, 1, False)] * len(refused)
    ), [process.stderr for process in refused]
    assert "secret.key is empty" in refused[0].stderr


def test_a_full_disk_leaves_no_half_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        keys.local_secret(tmp_path, beside(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_play_starts_with_no_key_but_the_one_that_its_database_was_sealed_with(tmp_path: Path) -> None:
    taken_up = "from wallet.keys import key_registry; assert key_registry.key_faults() == []"
    copy_migrated(tmp_path)
    assert ended(tmp_path, "shell", "--no-imports", "-c", taken_up).returncode == 0
    (tmp_path / keys.FILE).rename(tmp_path / "copy")
    without_key = ended(tmp_path, "play", "--port", str(free_port()))
    assert not (tmp_path / keys.FILE).exists()
    (tmp_path / keys.FILE).write_text("another key " * 6)
    wrong = ended(tmp_path, "play", "--port", str(free_port()))
    for refused, says in ((without_key, "secret.key is gone"), (wrong, "secret.key holds another key")):
        [sentence] = sentences(refused.stderr)
        assert refused.returncode == 2 and says in sentence and str(tmp_path) in sentence, refused
