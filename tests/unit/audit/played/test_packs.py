"""A packed deal shows the same as before, and the audit finds whatever is wrong with a pack."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from rest_framework.test import APIClient

from rules.fairness import verify
from tables.errors import TableError
from tables.history import proofs, replay, score_sheet
from tables.log import packs, reading, upkeep
from tables.log.sealing import EVENTS, PACKS
from tables.log.triggers import TRIGGERS
from tables.models import Deal, DealSeat, LoggedEvent, Pack, Table
from tables.play import store
from tests.support.columns import lines
from tests.support.database import rolled_back
from tests.support.findings import found_by, is_found
from tests.support.sampling import one_of_each
from tests.unit.audit.changing import another, bare
from tests.unit.audit.faults.packs import DENIED, FAULTS, FOUND, UNPACKABLE, columns_of, planting, replace_content
from wallet.audit import audit
from wallet.base import triggers

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(days=20 * 365)


@pytest.fixture(scope="module")
def played(built: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return what is visible of the play."""
    with django_db_blocker.unblock():
        return everything_visible()


@pytest.fixture
def busy(played: dict[str, Any], db: None) -> Iterator[dict[str, Any]]:
    """Roll back what the test does to the platform; return what was visible of it before."""
    with rolled_back():
        yield played


@pytest.fixture
def packed(busy: None) -> None:
    upkeep.run_upkeep(upkeep.HOURLY)


@pytest.fixture
def without_triggers(busy: None) -> None:
    """Remove the triggers, as a forger would who owns the tables."""
    connection.check_constraints()
    triggers.remove(connection, TRIGGERS)


def differences() -> list[tuple[str, str, str]]:
    findings = audit.audit().differences
    return [(each.check, each.subject, each.message) for each in findings if each.check != "trigger"]


def everything_visible() -> dict[str, Any]:
    """Return what players, staff and programs can see of the play, and every event as it was written."""
    ended = Deal.objects.filter(ended_at__isnull=False).select_related("match__table").order_by("pk")
    seats = DealSeat.objects.filter(deal__in=ended, user__isnull=False).select_related("deal__match__table", "user")
    users = {seat.deal.match.table_id: seat.user for seat in seats}
    return {
        "events": [(e.deal_id, e.version, e.number, e.at_ms, e.kind, e.content()) for e in logs()],
        "states": {table.pk: reading.state_of(table) for table in Table.objects.all()},
        "replays": {seat.pk: replay.replay(seat.deal, seat.user) for seat in seats},
        "proofs": {deal.pk: proofs.proof(deal) for deal in ended},
        "verdicts": [verify(proofs.proof(deal)) for deal in ended],
        "sheets": {pk: score_sheet.sheet(table_id=pk, user=user) for pk, user in users.items()},
        "latest": {pk: [e.kind for e in reading.latest(pk, 5)] for pk in users},
    }


def logs() -> Iterator[reading.LogEntry]:
    for table in Table.objects.order_by("pk"):
        yield from reading.of_table(table)


def test_a_packed_deal_tells_what_it_told_before(busy: dict[str, Any]) -> None:
    rows = [(e.table_id, e.version, e.number, EVENTS.unseal(e)) for e in events()]
    before = busy
    over = Deal.objects.filter(ended_at__isnull=False).count()
    counts = upkeep.run_upkeep(upkeep.HOURLY)
    assert counts["deals packed"] >= over - 1, "the last deal of an open table gets what happens before the next"
    assert everything_visible() == before
    assert set(map(tuple, before["verdicts"])) == {()}
    contents = [
        (pack.table_id, line.version, line.number, line.content) for pack in all_packs() for line in packs.lines(pack)
    ]
    alone = [(e.table_id, e.version, e.number, EVENTS.unseal(e)) for e in events()]
    assert sorted(contents + alone) == sorted(rows)
    assert differences() == []


def events() -> Any:
    return LoggedEvent.objects.order_by("table_id", "version", "number")


def all_packs() -> Any:
    return Pack.objects.order_by("pk")


def test_only_what_is_long_over_is_packed(busy: None, settings: Any) -> None:
    settings.EVENTS_KEPT_HOURS = 100
    assert list(upkeep.due()) == []
    settings.EVENTS_KEPT_HOURS = 12
    upkeep.run_upkeep(upkeep.HOURLY)
    at = {table.title: table for table in Table.objects.all()}
    assert not Pack.objects.filter(table=at["Stopped"]).exists(), "staff have yet to look at it"
    running = LoggedEvent.objects.filter(table=at["Running"]).exclude(deal=None)
    assert set(running.values_list("deal", flat=True)) == {at["Running"].deal_id}
    assert not LoggedEvent.objects.filter(table=at["Pool"]).exists(), "it is closed"
    Table.objects.filter(pk=at["Stopped"].pk).update(status=Table.Status.OPEN)
    Table.objects.filter(pk=at["Points"].pk).update(status=Table.Status.FROZEN)
    assert at["Points"].pk not in [table for table, _ in upkeep.due()]


def test_packing_twice_and_by_the_command_changes_nothing_more(packed: None, capsys: Any) -> None:
    before = list(Pack.objects.values()), list(LoggedEvent.objects.values())
    call_command("prune", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "answers_pruned": 0, "deals_packed": 0, "states_pruned": 0, "logs_pruned": 0,
    }  # fmt: skip
    assert (list(Pack.objects.values()), list(LoggedEvent.objects.values())) == before


class Killed(BaseException):
    """An end like SIGKILL's: no code of ours catches it."""


@pytest.mark.parametrize("step", ["save", "delete", "between deals"])
def test_whoever_is_killed_in_the_middle_leaves_a_whole_log(
    step: str, busy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rows = busy, events().count()

    def die(*_: Any, **__: Any) -> Any:
        raise Killed

    with monkeypatch.context() as patch:
        if step == "save":
            patch.setattr(Pack, "save", die)
        elif step == "delete":
            patch.setattr("django.db.models.query.QuerySet.delete", die)
        acts = upkeep.pack_due()
        with pytest.raises(Killed):
            next(acts)
            raise Killed
    if step != "between deals":
        assert (events().count(), Pack.objects.count()) == (rows, 0)
    assert everything_visible() == before
    upkeep.run_upkeep(upkeep.HOURLY)
    assert everything_visible() == before
    assert found_by(["rows_match_the_log"]) == []


def test_a_reader_during_packing_misses_nothing(busy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK", 5)
    table = Table.objects.get(title="Points")
    wanted = [(e.version, e.number, e.content()) for e in reading.of_table(table)]
    read, rows = reading.of_table(table), []
    for place, event in enumerate(read):
        rows.append((event.version, event.number, event.content()))
        if place == 7:
            upkeep.run_upkeep(upkeep.HOURLY)
    assert Pack.objects.filter(table=table).exists()
    assert rows == wanted


@pytest.mark.parametrize("sql", one_of_each(UNPACKABLE))
def test_impossible_rows_are_left_for_the_audit(sql: str, without_triggers: None) -> None:
    deal = Deal.objects.filter(match__table__title="Pool", ended_at__isnull=False).order_by("pk")[0]
    inner = LoggedEvent.objects.filter(deal=deal).order_by("version", "number")[4].pk
    garbage = "'garbage'" if connection.vendor == "sqlite" else "'garbage'::bytea"
    other = Deal.objects.exclude(pk=deal.pk).exclude(ended_at=None)[0].pk
    with connection.cursor() as cursor:
        cursor.execute(sql.format(inner=inner, garbage=garbage, other=other))
    left = LoggedEvent.objects.filter(deal=deal).count()
    upkeep.run_upkeep(upkeep.HOURLY)
    assert LoggedEvent.objects.filter(deal=deal).count() == left
    assert is_found("log", f"table {deal.match.table_id}")


@pytest.mark.parametrize("fault", one_of_each(FAULTS, lambda fault: FOUND.get(fault, ("log",))[0]))
def test_the_audit_finds_what_is_wrong_with_a_pack(fault: str, packed: None, without_triggers: None) -> None:
    names = planting()
    with connection.cursor() as cursor:
        cursor.execute(FAULTS[fault].format(**names))
        assert cursor.rowcount == 1
    kind, subject = FOUND.get(fault, ("log", "table {table}"))
    assert is_found(kind, subject.format(**names)), differences()


def test_every_column_of_packs_is_covered_as_the_list_says(packed: None, without_triggers: None) -> None:
    connection.check_constraints()
    bare("tables_pack")
    listed = [(column, checks) for table, columns, checks in lines() if table == "tables_pack" for column in columns]
    for column, checks in ((column, checks) for column, checks in listed if checks):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE tables_pack SET {column} = {another('tables_pack', column)}")
            assert found_by(checks), column
            transaction.set_rollback(True)


def test_the_audit_finds_a_forged_event_in_a_pack_that_fits_its_digest(packed: None, without_triggers: None) -> None:
    pack = Pack.objects.get(pk=planting()["pack"])

    def more(found: list[packs.PackedEvent]) -> list[packs.PackedEvent]:
        place = next(n for n, line in enumerate(found) if line.kind == "deal_ended")
        content = json.loads(found[place].content)
        content["rows"][0]["points"] += 1
        found[place] = packs.PackedEvent(*columns_of(found[place]), json.dumps(content, separators=(",", ":")).encode())
        return found

    replace_content(pack, more)
    assert is_found("deal", f"deal {pack.deal_id}"), differences()


def test_the_audit_finds_an_invented_pack(packed: None) -> None:
    table = Table.objects.get(title="Pool")
    last = Pack.objects.filter(table=table).latest("first_version")
    pack_lines = list(packs.lines(last))
    on = last.last_version - last.first_version + 1
    moved = [packs.PackedEvent(line.version + on, *columns_of(line)[1:], line.content) for line in pack_lines]
    invented = Pack(table=table, deal=last.deal, first_version=moved[0].version, last_version=moved[-1].version,
                    last_ms=moved[-1].at_ms)  # fmt: skip
    packs.fill(invented, moved)
    invented.save()
    assert is_found("log", f"table {table.pk}")


def test_the_audit_finds_an_event_that_is_packed_and_a_row_or_packed_twice(packed: None) -> None:
    pack = Pack.objects.get(pk=planting()["pack"])
    line = list(packs.lines(pack))[1]
    row = LoggedEvent(table_id=pack.table_id, deal_id=pack.deal_id, version=line.version, number=line.number,
                at_ms=line.at_ms, kind=line.kind)  # fmt: skip
    row.payload = EVENTS.seal(row, line.content)
    with transaction.atomic():
        row.save()
        assert is_found("log", message="in a row")
        transaction.set_rollback(True)
    half = Pack(table_id=pack.table_id, deal_id=pack.deal_id, first_version=pack.first_version + 1,
                last_version=pack.last_version, last_ms=pack.last_ms)  # fmt: skip
    packs.fill(half, [each for each in packs.lines(pack) if each.version > pack.first_version])
    half.save()
    assert is_found("log", message="in another pack")


def test_a_pack_is_sealed_for_its_row(packed: None) -> None:
    first, second = all_packs()[:2]
    assert b"card" not in bytes(first.content)
    second.content = first.content
    with pytest.raises(packs.BadPack):
        packs.lines(second)
    assert PACKS.unseal(first)


def test_the_database_lets_nothing_of_a_log_change_or_go(packed: None) -> None:
    connection.check_constraints()
    before = list(Pack.objects.order_by("pk").values()), list(LoggedEvent.objects.order_by("pk").values())
    for sql in DENIED:
        with pytest.raises(DatabaseError, match="tables_"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    after = list(Pack.objects.order_by("pk").values()), list(LoggedEvent.objects.order_by("pk").values())
    assert _plain(after) == _plain(before)


def _plain(rows: Any) -> Any:
    return [[{name: bytes(v) if isinstance(v, memoryview) else v for name, v in row.items()} for row in each]
            for each in rows]  # fmt: skip


def test_the_audit_finds_a_pack_that_was_emptied(packed: None) -> None:
    names = planting()
    Pack.objects.filter(pk=names["pack"]).update(content=b"")
    assert is_found("log", f"table {names['table']}")


def test_a_log_that_could_not_be_packed_is_not_pruned(busy: None) -> None:
    Table.objects.filter(title="Pool").update(closed_at=timezone.now() - LONG_AGO)
    assert sum(upkeep.prune_logs()) == 0


def test_a_sealed_pack_can_be_resealed(packed: None) -> None:
    pack, row = Pack.objects.all()[0], LoggedEvent.objects.all()[0]
    lines = list(packs.lines(pack))
    Pack.objects.filter(pk=pack.pk).update(content=PACKS.seal(pack, PACKS.unseal(pack)))
    LoggedEvent.objects.filter(pk=row.pk).update(payload=EVENTS.seal(row, EVENTS.unseal(row)))
    assert list(packs.lines(Pack.objects.get(pk=pack.pk))) == lines


def test_the_audit_names_a_trigger_that_is_missing(packed: None) -> None:
    connection.check_constraints()
    triggers.remove(connection, TRIGGERS[:1])
    findings = [(each.check, each.subject) for each in audit.audit().differences]
    assert findings == [("trigger", "tables_event_kept")]


def test_the_state_of_a_table_long_closed_is_told_by_its_log(packed: None, settings: Any) -> None:
    states = {table.pk: reading.latest_state(table) for table in Table.objects.all()}
    assert list(upkeep.prune_snapshots()) == []
    settings.SNAPSHOTS_KEPT_DAYS = 1
    pruned = sum(upkeep.prune_snapshots())
    assert pruned == Table.objects.filter(snapshot=b"").count() == Table.objects.filter(status="closed").count() > 1
    assert {table.pk: reading.latest_state(table) for table in Table.objects.all()} == states
    assert differences() == []
    assert list(upkeep.prune_snapshots()) == []


def test_a_state_that_its_log_does_not_tell_is_kept(packed: None, settings: Any) -> None:
    settings.SNAPSHOTS_KEPT_DAYS = 1
    names = planting()
    triggers.remove(connection, TRIGGERS)
    Pack.objects.filter(pk=names["pack"]).update(digest="beef")
    upkeep.run_upkeep(upkeep.NIGHTLY)
    assert bytes(Table.objects.get(pk=names["table"]).snapshot)


def test_logs_past_their_time_go_and_all_else_stays(packed: None) -> None:
    table = Table.objects.get(title="Pool")
    assert sum(upkeep.prune_logs()) == 0
    Table.objects.filter(pk=table.pk).update(closed_at=timezone.now() - LONG_AGO, opened_at=timezone.now() - LONG_AGO)
    assert sum(upkeep.prune_logs()) == 1
    assert not Pack.objects.filter(table=table).exists()
    assert Pack.objects.exists()
    # Of the dates that were put back here, the trail knows better.
    assert [each[:2] for each in differences()] == [("finished row", f"table {table.pk}")]
    seat = DealSeat.objects.filter(deal__match__table=table, user__isnull=False).select_related("deal", "user")[0]
    api = APIClient()
    api.force_authenticate(seat.user)
    for what in ("", "proof/", "review/"):
        answer = api.get(f"/api/deals/{seat.deal_id}/{what}")
        assert (answer.status_code, answer.json()["code"]) == (410, "no_longer_kept")
    assert api.get("/api/history/").json()["results"], "what it came to is kept"
    with pytest.raises(TableError):
        store.read_table(table.pk)
    staff = get_user_model().objects.create_superuser(username="root", password="a long one")
    client = _signed_in(staff)
    assert client.get(f"/admin/tables/deal/{seat.deal_id}/replay/").status_code == 410
    assert client.get(f"/admin/tables/table/{table.pk}/change/").status_code == 200


def _signed_in(user: Any) -> Any:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client
