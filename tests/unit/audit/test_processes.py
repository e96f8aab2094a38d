"""An audit whose logs are read by other processes finds what one alone finds, on one snapshot."""

from unittest.mock import patch

import pytest
from django.db import connection

from tables.audit import proven
from tables.log.triggers import TRIGGERS as LOG_TRIGGERS
from tables.models import Deal, Table
from tests.unit.audit.busy import build
from wallet.audit import audit, processes
from wallet.base import triggers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture(autouse=True)
def built(transactional_db: None) -> None:
    """Build the platform; the audits of its nights read everything by themselves, without a process for each core."""
    with patch.object(audit, "other_processes", lambda wanted: 0):
        build()


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


def test_processes_that_do_not_start_are_no_difference(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # It fails for what it is given, in a process that need not load the tests to find it.
    monkeypatch.setattr(processes, "_begin", len)
    assert audit.audit(processes=1).differences == []
    assert GONE in caplog.text


def _place() -> int:
    return next(at for at, check in enumerate(audit.REGISTERED_CHECKS) if check.__name__ == "rows_match_the_log")
