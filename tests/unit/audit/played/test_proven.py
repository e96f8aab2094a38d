"""Logs of closed tables are replayed once, and again when anything of them changes or their turn comes."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from lobby.models import Player
from tables.audit import proven, rows
from tables.history.sharing import forget_names
from tables.log.triggers import TRIGGERS as LOG_TRIGGERS
from tables.log.upkeep import pack_due
from tables.models import Pack, Table
from tests.support.database import rolled_back
from tests.support.findings import found_by
from wallet.audit import audit, nightly
from wallet.audit_log.services import latest_statement, statements_of
from wallet.base import triggers
from wallet.ledger.triggers import TRIGGERS

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def played(built: None, django_db_blocker: Any) -> Iterator[None]:
    """Pack what is over, and audit it all."""
    with django_db_blocker.unblock(), rolled_back(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(proven, "GROUP", 1)
        list(pack_due())
        nightly.run_nightly()
        yield


@pytest.fixture
def stated(played: None, db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(proven, "GROUP", 1)
    with rolled_back():
        yield


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the tables whose logs are replayed from now on."""
    tables: list[int] = []
    run = rows.AuditPass.run

    def noted(audit_pass: rows.AuditPass) -> Any:
        tables.append(audit_pass.row.pk)
        return run(audit_pass)

    monkeypatch.setattr(rows.AuditPass, "run", noted)
    return tables


def closed() -> set[int]:
    """Return the tables that could be stated."""
    until = timezone.now() - timedelta(days=2)
    return set(Table.objects.filter(status="closed", void_at=None, closed_at__lt=until).values_list("pk", flat=True))


def in_turn(turn: int) -> set[int]:
    return {pk for pk in closed() if pk % proven.TURNS == turn % proven.TURNS}


def test_a_complete_audit_replays_open_tables_and_those_in_turn_alone(stated: None, replayed: list[int]) -> None:
    turn = latest_statement(proven.LOGS)["turn"]
    assert len(closed()) >= 2
    assert audit.audit().differences == []
    every = set(Table.objects.values_list("pk", flat=True))
    assert set(replayed) == every - closed() | in_turn(turn + 1)
    replayed.clear()
    assert audit.audit(replay_all=True).differences == []
    assert set(replayed) == every


def test_as_many_complete_audits_as_there_are_turns_replay_everything(
    stated: None, replayed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proven, "TURNS", 3)
    for _ in range(proven.TURNS):
        assert nightly.run_nightly().differences == 0
    assert set(replayed) >= closed()
    assert all(replayed.count(pk) == 1 for pk in closed())


CHANGES = {
    "tables_pack": "UPDATE {0} SET last_ms = last_ms + 1",
    "tables_deal": "UPDATE {0} SET commitment = 'zz'",
    "tables_dealseat": "UPDATE {0} SET points = points + 1",
    "tables_match": "UPDATE {0} SET reason = 'none'",
    "tables_seating": "UPDATE {0} SET seat = seat + 10",
    "tables_table": "UPDATE {0} SET version = version + 1",
    "wallet_posting": "UPDATE {0} SET at_title = 'zz' WHERE at_table IS NOT NULL",
    "wallet_transfer": "UPDATE {0} SET amount = amount + 1",
    "a name in a result": "UPDATE tables_deal SET result = REPLACE(CAST(result AS text), 'bela', 'zita'){1}",
}


@pytest.mark.databases
@pytest.mark.parametrize("what", CHANGES)
def test_what_has_changed_is_replayed(what: str, stated: None, replayed: list[int]) -> None:
    connection.check_constraints()
    triggers.remove(connection, [*TRIGGERS, *LOG_TRIGGERS])
    json = "::jsonb" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(CHANGES[what].format(what, json))
        assert cursor.rowcount > 0
    triggers.install(connection, [*TRIGGERS, *LOG_TRIGGERS])
    assert found_by(["rows_match_the_log"])
    changed = closed() - in_turn(latest_statement(proven.LOGS)["turn"] + 1)
    assert set(replayed) & changed if what.startswith("a name") else set(replayed) >= changed


@pytest.mark.databases
def test_a_closed_account_lets_nothing_be_replayed(stated: None, replayed: list[int]) -> None:
    for player in Player.objects.all():
        forget_names(player)
    assert audit.audit().differences == []
    assert not set(replayed) & closed() - in_turn(latest_statement(proven.LOGS)["turn"] + 1)


@pytest.mark.databases
def test_what_differs_is_not_stated_and_found_every_time(stated: None, replayed: list[int]) -> None:
    triggers.remove(connection, LOG_TRIGGERS)
    pack = Pack.objects.filter(table__in=closed()).latest("pk")
    Pack.objects.filter(pk=pack.pk).update(digest="0" * 64)
    triggers.install(connection, LOG_TRIGGERS)
    before = statements_of(proven.LOGS).count()
    for _ in range(2):
        result = nightly.run_nightly()
        assert any(each["check"] == "log" for each in result.findings)
        assert replayed.count(pack.table_id) >= 1
        replayed.clear()
    assert statements_of(proven.LOGS).count() == before
