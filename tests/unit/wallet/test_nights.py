"""What a nightly audit does not check again, and how all checks share one reading of the transfers."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from tests.support.books import a_day_of_play
from tests.support.database import rolled_back
from tests.support.players import signed_up
from wallet.audit import audit, chain, checkpoints, nightly, transfers
from wallet.audit_log.services import statements_of
from wallet.base import triggers
from wallet.ledger import hash_chain, sums
from wallet.ledger.prefix import Prefix
from wallet.ledger.triggers import TRIGGERS
from wallet.models import AuditRun, Closing, DayHead, Posting, Transfer
from wallet.tasks import audit_missed

pytestmark = pytest.mark.django_db


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "PIECE", 5)


def corrupt(sql: str) -> None:
    """Change the ledger behind the backs of its triggers."""
    connection.check_constraints()
    triggers.remove(connection, TRIGGERS)
    with connection.cursor() as cursor:
        cursor.execute(sql)
        assert cursor.rowcount > 0
    triggers.install(connection, TRIGGERS)


@pytest.mark.databases
def test_a_night_takes_for_granted_what_is_as_the_last_whole_audit_found_it(small_pieces: None) -> None:
    a_day_of_play()
    assert checkpoints.unchanged_prefix() is None
    assert nightly.run_nightly().differences == 0
    prefix = checkpoints.unchanged_prefix()
    assert prefix is not None
    assert prefix.transfer == Transfer.objects.latest("pk").pk // 5 * 5
    for name in ("eela", "farid"):
        signed_up(name)
    assert nightly.run_nightly(complete=False).findings == []
    assert statements_of(checkpoints.PIECES).count() == 1, "a night states nothing that it has not read"


#: What is changed, and the check that finds it.
CHANGES = [
    ("UPDATE wallet_transfer SET amount = amount + 1 WHERE id = (SELECT MIN(id) FROM wallet_transfer t)", "digest"),
    ("UPDATE wallet_posting SET key = 'signup:999' WHERE id = (SELECT MIN(id) FROM wallet_posting p)", "digest"),
    ("UPDATE wallet_posting SET created_at = '2001-01-01 00:00:00+00:00' WHERE key = 'deal:1:settle'", "seal"),
    ("UPDATE wallet_transfer SET seal = 'ff' WHERE id = (SELECT MIN(id) FROM wallet_transfer t)", "seal"),
    ("UPDATE wallet_account SET balance = balance + 1 WHERE kind = 'fees'", "balance"),
    ("UPDATE wallet_account SET head = 'ff' WHERE kind = 'fees'", "head"),
    ("UPDATE wallet_transfer SET amount = amount + 1 WHERE id = (SELECT MAX(id) FROM wallet_transfer t)", "digest"),
    ("UPDATE wallet_transfer SET seal = 'ff' WHERE id = (SELECT MAX(id) FROM wallet_transfer t)", "seal"),
    *(
        (f"UPDATE {table} SET amount = amount + 1 WHERE id = (SELECT MIN(id) FROM {table} t)", "closing")
        for table in ("wallet_daysum", "wallet_placesum", "wallet_feesum")
        # On PostgreSQL the same are named in test_sums.
        if connection.vendor == "sqlite"
    ),
]


@pytest.mark.databases
def test_a_night_finds_what_was_changed_before_and_behind_it_and_in_sums(
    small_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "PIECE", 10)
    a_day_of_play()
    for name in ("eela", "farid"):
        assert nightly.run_nightly().differences == 0
        signed_up(name)
    prefix = checkpoints.unchanged_prefix()
    assert prefix is not None
    assert Closing.objects.filter(pk__lte=prefix.closing, last__lte=prefix.transfer).exists()
    for sql, check in CHANGES:
        with rolled_back():
            corrupt(sql)
            if check == "closing":
                # What the prefix answers for is not added up again; its digests are another, so the night is whole.
                assert audit.audit(prefix=prefix).differences == []
            found = {each["check"] for each in nightly.run_nightly(complete=False).findings}
            assert check in found and (check != "closing" or found == {check}), sql


@pytest.mark.databases
def test_a_closing_may_begin_before_what_is_read_and_a_posting_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    a_day_of_play()
    sums.close_days()
    monkeypatch.setattr(transfers, "BATCH", 2)
    monkeypatch.setattr(hash_chain, "_BATCH", 2)
    assert audit.audit().differences == []
    for row in Transfer.objects.select_related("posting").order_by("pk")[3:8]:
        prefix = Prefix(row.pk, row.posting_id, row.posting.created_at.date(), row.posting.created_at)
        assert audit.audit(prefix=prefix).differences == []


@pytest.mark.databases
def test_lines_of_postings_that_were_made_at_the_same_time_may_lie_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are assigned on request: the lines of two postings may alternate."""
    a_day_of_play()
    monkeypatch.setattr(transfers, "BATCH", 2)
    rows = list(hash_chain.linked_transfers(Transfer.objects.all()))
    apart = sorted(rows, key=lambda row: (row.line, row.pk))
    monkeypatch.setattr(transfers, "every_row", lambda _: iter(apart))
    assert [each for each in transfers.digests() if each.check in ("lines", "digest")] == []


@pytest.mark.databases
def test_a_night_reads_only_what_came_since(small_pieces: None) -> None:
    """It starts after the prefix, whose digests vouch for it."""
    a_day_of_play()
    last, posting = Transfer.objects.latest("pk"), Posting.objects.latest("pk")
    prefix = Prefix(last.pk, posting.pk, posting.created_at.date(), posting.created_at)
    corrupt("UPDATE wallet_transfer SET seal = 'ff' WHERE id = (SELECT MIN(id) FROM wallet_transfer t)")
    assert "seal" in {each.check for each in audit.audit().differences}
    assert "seal" not in {each.check for each in audit.audit(prefix=prefix).differences}


@pytest.mark.databases
def test_an_audit_tells_how_many_rows_it_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    a_day_of_play()
    monkeypatch.setattr(checkpoints, "REPORT_EVERY", 10)
    reports: list[str] = []
    audit.audit(lambda done, of, check: reports.append(f"{done} of {of}: {check}"))
    assert reports[0].endswith(": transfers, 10 rows")
    assert reports[1].endswith(": transfers, 20 rows")


@pytest.mark.databases
def test_two_audits_at_once_sign_each_day_once(monkeypatch: pytest.MonkeyPatch) -> None:
    a_day_of_play()
    read = chain.linked_transfers

    def other_is_faster(rows: Any) -> Any:
        monkeypatch.setattr(chain, "linked_transfers", read)
        chain.sign_days()
        return read(rows)

    with time_machine.travel(timezone.now() + timedelta(days=2)):
        monkeypatch.setattr(chain, "linked_transfers", other_is_faster)
        assert nightly.run_nightly().differences == 0
        assert DayHead.objects.count() == 1
        assert audit.audit().differences == []


def test_a_missed_night_is_made_up_for_once_however_long_that_takes() -> None:
    cache.clear()
    a_day_of_play()
    with time_machine.travel(timezone.now() + nightly.OVERDUE + timedelta(hours=1)):
        assert nightly.is_overdue()
        with nightly.telling() as progress:
            progress(1, 50, "transfers")
            audit_missed()
            assert not AuditRun.objects.exists()
        audit_missed()
        assert AuditRun.objects.count() == 1


def test_an_audit_that_ends_says_nothing_of_another_that_runs() -> None:
    cache.clear()
    a_day_of_play()
    with time_machine.travel(timezone.now() + nightly.OVERDUE + timedelta(hours=1)):
        with nightly.telling() as progress:
            progress(1, 50, "transfers")
            with pytest.raises(RuntimeError), nightly.telling() as also:
                also(2, 50, "accounts")
                raise RuntimeError
            assert nightly.how_far() == (1, 50, "transfers")
            audit_missed()
            assert not AuditRun.objects.exists()
        assert nightly.how_far() is None


def test_a_killed_audit_hides_no_other_and_is_over_after_a_while() -> None:
    cache.clear()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        killed = nightly.telling()
        killed.__enter__()(3, 50, "transfers")
        with nightly.telling() as progress:
            progress(1, 50, "transfers")
            assert nightly.how_far() == (1, 50, "transfers")
        clock.shift(nightly.PATIENCE - 1)
        assert nightly.how_far() == (3, 50, "transfers")
        clock.shift(2)
        assert nightly.how_far() is None
