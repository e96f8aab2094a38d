"""A transfer may still appear below an id that is already there: no export misses it."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.support.books import a_day_of_play
from tests.support.players import signed_up
from wallet.base.errors import WalletError
from wallet.base.report_zone import zone
from wallet.finance import exports
from wallet.ledger import snapshots
from wallet.models import ExportRecord, Transfer
from wallet.play_money import services as play_money

#: On SQLite there is one writer at a time: nothing to wait for.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


class Slow(threading.Thread):
    """A thread that has made a posting and does not commit it before it is released."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.posted, self.may_go = threading.Event(), threading.Event()

    def run(self) -> None:
        try:
            with transaction.atomic():
                signed_up(self._name)
                self.posted.set()
                self.may_go.wait(60)
        finally:
            connection.close()


def exported(as_of: int | None = None) -> ExportRecord:
    today = timezone.now().astimezone(zone()).date()
    period = exports.Period(first=today - timedelta(days=1), last=today)
    with exports.export(period=period, format="csv", as_of=as_of, by=None, via="test") as (_, record):
        return record


def test_an_export_waits_for_a_smaller_id_that_is_still_to_come() -> None:
    a_day_of_play()
    fast = signed_up("fast")
    slow = Slow("slow")
    slow.start()
    assert slow.posted.wait(60)
    # From one account of the player's own to another: the house's, where chips are made, is held by the slow one.
    play_money.buy_in(seating=991, user=fast, currency="FUN", amount=100)
    first: list[ExportRecord] = []
    taking = threading.Thread(target=lambda: (first.append(exported()), connection.close()))
    taking.start()
    _until_somebody_waits(slow)
    taking.join(60)
    again = exported(first[0].as_of)
    assert first[0].rows == Transfer.objects.count()
    assert (again.rows, again.digest) == (first[0].rows, first[0].digest)


def _until_somebody_waits(slow: Slow) -> None:
    """Let the slow transaction commit once the export has asked who is posting, and has found it."""
    looked = threading.Event()
    ask = snapshots._running_writers

    def noted(table: str) -> set[str]:
        writers = ask(table)
        looked.set()
        return writers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "_running_writers", noted)
        assert looked.wait(60)
        slow.may_go.set()
        slow.join(60)


def test_nobody_is_waited_for_who_begins_later(monkeypatch: pytest.MonkeyPatch) -> None:
    a_day_of_play()
    latest = Transfer.objects.latest("pk").pk
    slow = Slow("slow")
    ask, calls = snapshots._running_writers, 0

    def begins_after_the_first(table: str) -> set[str]:
        nonlocal calls
        writers = ask(table)
        calls += 1
        if calls == 1:
            slow.start()
            assert slow.posted.wait(60)
        return writers

    monkeypatch.setattr(snapshots, "_running_writers", begins_after_the_first)
    assert snapshots.committed_up_to() == latest
    slow.may_go.set()
    slow.join(60)


def test_a_posting_that_never_ends_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "PATIENCE", 0.1)
    slow = Slow("slow")
    slow.start()
    assert slow.posted.wait(60)
    with pytest.raises(WalletError, match="not finished"):
        snapshots.committed_up_to()
    slow.may_go.set()
    slow.join(60)
    assert snapshots.committed_up_to() == Transfer.objects.latest("pk").pk
