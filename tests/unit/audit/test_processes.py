"""An audit whose logs are read by other processes finds what one alone finds, on one snapshot."""

import os
import signal
import subprocess
import sys
from unittest.mock import Mock

import pytest
from django.db import connection

from config.process import exits
from tables.audit import proven
from tables.log.triggers import TRIGGERS as LOG_TRIGGERS
from tables.models import Deal, Table
from tests.support.platform import ROOT, wait_until
from tests.unit.audit.busy import build
from wallet.audit import audit, processes
from wallet.base import triggers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture(autouse=True)
def built(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the platform, whose few tables make one part; unlike the audits of its nights, let others read that."""
    build()
    monkeypatch.setattr(processes, "_FEWEST", 1)


#: What an audit tells that reads everything by itself, since its other processes did not start or were killed.
GONE = "the other processes are gone"


def test_other_processes_find_the_same_and_see_the_same_commits(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Beside other tests they would hardly have a processor.
    monkeypatch.setattr(processes, "_NICENESS", 0)
    triggers.remove(connection, LOG_TRIGGERS)
    Deal.objects.filter(status="over").update(commitment="0" * 64)
    alone = audit.audit()
    assert {each.check for each in alone.differences} >= {"deal", "trigger"}
    groups = proven.groups

    def changed_meanwhile() -> list[proven.Group]:
        # Another connection commits after the snapshot was taken, before any other process reads.
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("UPDATE tables_table SET title = 'Other'")
        other.close()
        return groups()

    monkeypatch.setattr(audit.REGISTERED_CHECKS[_place()], "parts", changed_meanwhile)
    reports: list[str] = []
    together = audit.audit(lambda done, of, check: reports.append(f"{done} of {of}: {check}"), processes=2)
    assert together.differences == alone.differences
    assert any("rows_match_the_log, part 1 of" in each for each in reports)
    assert Table.objects.filter(title="Other").exists()
    assert GONE not in caplog.text


def test_where_one_part_is_all_nobody_else_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    parts = proven.groups()[-1:]
    monkeypatch.setattr(audit.REGISTERED_CHECKS[_place()], "parts", lambda: parts)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", Mock(side_effect=AssertionError("others are started")))
    assert audit.audit(processes=2).differences == []


def test_rows_that_abort_a_check_before_its_parts_are_told_end_no_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit.REGISTERED_CHECKS[_place()], "parts", Mock(side_effect=KeyError("turn")))
    assert "rows_match_the_log" in str(audit.audit(processes=2).differences)


def test_processes_that_do_not_start_are_no_difference(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # It fails for what it is given, in a process that need not load the tests to find it.
    monkeypatch.setattr(processes, "_begin", len)
    assert audit.audit(processes=1).differences == []
    assert GONE in caplog.text


#: What reads all parts in another process, and then waits.
WAITING = """
import signal, sys, django
# As in a terminal, however these tests were started.
signal.signal(signal.SIGINT, signal.default_int_handler)
django.setup()
from django.db import connection
from wallet.audit import processes
from wallet.base.findings import REGISTERED_CHECKS, PartedCheck
from wallet.ledger.snapshots import snapshot
from config.process.exits import in_one_sentence
connection.settings_dict["NAME"] = sys.argv[1]
processes._FEWEST = 1
parted = [check for check in REGISTERED_CHECKS if isinstance(check, PartedCheck)]
with in_one_sentence(), snapshot(), processes.read_elsewhere(parted, 1) as running:
    print("begun", flush=True)
    print(len([read() for readers in running.values() for read in readers]), flush=True)
    sys.stdin.read()
"""


def test_an_audit_that_is_killed_leaves_no_snapshot_open() -> None:
    command = [sys.executable, "-c", WAITING, str(connection.settings_dict["NAME"])]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as audit_process:
        assert audit_process.stdout is not None
        assert audit_process.stdout.readline() == b"begun\n"
        assert int(audit_process.stdout.readline()) > 0
        assert _open_transactions() == 2
        audit_process.kill()
    wait_until(lambda: _open_transactions() == 0)


def test_ctrl_c_ends_an_audit_and_its_processes_without_a_word() -> None:
    command = [sys.executable, "-c", WAITING, str(connection.settings_dict["NAME"])]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes) as audit_process:
        assert audit_process.stdout is not None
        assert audit_process.stdout.readline() == b"begun\n"
        # As a terminal does, to all of them.
        os.killpg(audit_process.pid, signal.SIGINT)
        assert (audit_process.communicate()[1], audit_process.returncode) == (b"", exits.INTERRUPTED)
    wait_until(lambda: _open_transactions() == 0)


def _open_transactions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            " AND xact_start IS NOT NULL"
        )
        return int(cursor.fetchone()[0])


def _place() -> int:
    return next(at for at, check in enumerate(audit.REGISTERED_CHECKS) if check.__name__ == "rows_match_the_log")
