"""Sealed data opens in its own row and version only, and is resealed during play."""

import threading
from io import StringIO
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from django.core.management import call_command
from django.db import connection, transaction

from rules.fairness import verify
from tables.errors import TableError
from tables.history.proofs import proof
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal, LoggedEvent, Table
from tables.play import store
from tables.play.fast import moves as fast
from tables.play.opening import open_table
from tests.support.tables import Client, read_event
from wallet.audit.audit import audit
from wallet.keys import key_rotation
from wallet.keys.deriving import fingerprint
from wallet.keys.encryption import is_current
from wallet.keys.models import Key

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
OLD, NEW = "o" * 40 + "0123456789", "n" * 40 + "0123456789"
SEALED: list[tuple[type[Any], str]] = [(Table, "snapshot"), (LoggedEvent, "payload"), (Deal, "sealed_seed")]


def raw(model: type[Any], field: str) -> dict[int, bytes]:
    return {pk: bytes(sealed) for pk, sealed in model.objects.values_list("pk", field)}


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every move take the locked path and write a snapshot."""
    monkeypatch.setattr(fast, "QUICK", frozenset())


@pytest.mark.usefixtures("locked")
def test_no_seal_of_another_row_or_version_is_taken_for_the_rows_own(duel: tuple[Client, Client]) -> None:
    table = Table.objects.get(pk=duel[0].table)
    earlier = bytes(table.snapshot)
    duel[0].send("sort")
    twin = open_table(terms=reading.latest_state(table).terms, title="Twin", currency="FUN")
    table.refresh_from_db()
    for stolen in (earlier, bytes(twin.snapshot)):
        table.snapshot = stolen
        with pytest.raises(InvalidTag):
            reading.latest_state(table)
    first, second = table.events.order_by("pk")[:2]
    first.payload = second.payload
    with pytest.raises(InvalidTag):
        read_event(first)
    deal = Deal.objects.get()
    other = Deal(match=deal.match, number=deal.number + 1, sealed_seed=deal.sealed_seed)
    with pytest.raises(InvalidTag):
        SEEDS.unseal(other)


@pytest.mark.usefixtures("locked")
def test_an_earlier_snapshot_put_back_stops_its_table_and_no_card_is_played_twice(duel: tuple[Client, Client]) -> None:
    table = Table.objects.get(pk=duel[0].table)
    earlier = bytes(table.snapshot)
    duel[0].send("sort")
    Table.objects.filter(pk=table.pk).update(snapshot=earlier)
    with pytest.raises(TableError, match="stopped until our staff"):
        duel[0].send("sort")
    assert Table.objects.get(pk=table.pk).status == Table.Status.FROZEN


def test_old_content_is_resealed_and_reads_the_same(duel: tuple[Client, Client], settings: Any) -> None:
    first, settings.SECRET_KEY = settings.SECRET_KEY, OLD
    settings.SECRET_KEY_FALLBACKS = [first]
    state = store.read_table(duel[0].table).state
    duel[0].send("sort")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD, first]
    call_command("reseal", stdout=StringIO())
    settings.SECRET_KEY_FALLBACKS = []
    for model, field in SEALED:
        assert raw(model, field) and all(map(is_current, raw(model, field).values()))
    after = store.read_table(duel[0].table).state
    assert after.deal is not None and state.deal is not None
    assert after.deal.closed == state.deal.closed
    duel[0].send("leave")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    assert verify(proof(deal)) == []
    assert audit().differences == []


def test_processes_of_both_steps_play_one_table_and_the_former_key_is_retired_under_it(
    duel: tuple[Client, Client], settings: Any
) -> None:
    former = settings.SECRET_KEY
    Key.objects.create(fingerprint=fingerprint(former), activated_at="2026-01-01T00:00Z")
    steps = [(former, [NEW]), (NEW, [former])]
    for turn in range(6):
        if turn == 4:
            settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [former]
            call_command("reseal", stdout=StringIO())
            assert Key.objects.get(pk=fingerprint(former)).retired_at
            steps = [(NEW, [])]
        player = duel[turn % 2]
        for number, frame in enumerate(("draw", "discard")):
            settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = steps[(turn + number) % len(steps)]
            fields = {"pile": "closed"} if frame == "draw" else {"card": player.me["drawn"]}
            assert player.send(frame, **fields)["type"] == "ack"
    assert audit().differences == []


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_table_that_somebody_holds_is_come_back_to(
    duel: tuple[Client, Client], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    row_locked, let_go, rounds = threading.Event(), threading.Event(), []

    def hold() -> None:
        try:
            with transaction.atomic():
                row = store.lock_table(duel[0].table).row
                row_locked.set()
                let_go.wait(30)
                row.title = "Changed meanwhile"
                row.save()
        finally:
            connection.close()

    def wait(seconds: float) -> None:
        rounds.append({pk for pk, sealed in raw(Table, "snapshot").items() if not is_current(sealed)})
        let_go.set()
        other.join(30)

    monkeypatch.setattr(key_rotation.time, "sleep", wait)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = NEW
    other = threading.Thread(target=hold)
    other.start()
    assert row_locked.wait(30)
    try:
        counts = key_rotation.reseal()
    finally:
        let_go.set()
        other.join(30)
    assert duel[0].table in rounds[0], "nobody waited for it"
    assert counts.waiting == 0 and all(map(is_current, raw(Table, "snapshot").values()))
    table = Table.objects.get(pk=duel[0].table)
    assert table.title == "Changed meanwhile" and reading.latest_state(table).version == table.version


def test_a_process_sealing_with_the_former_key_keeps_it_needed(
    duel: tuple[Client, Client], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever column is being resealed, a process of the first step writes once more at its end."""
    former, rounds = settings.SECRET_KEY, 3
    go_through, acts = key_rotation._go_through, []

    def plays_on(*arguments: Any) -> int:
        resealed = go_through(*arguments)
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = former, [NEW]
        acts.append(duel[0].send("auto_drop", on=len(acts) % 2 == 0))
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [former]
        return resealed

    monkeypatch.setattr(key_rotation, "ROUNDS", rounds)
    monkeypatch.setattr(key_rotation, "_go_through", plays_on)
    Key.objects.create(fingerprint=fingerprint(former), activated_at="2026-01-01T00:00Z")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [former]
    counts = key_rotation.reseal()
    assert {each["type"] for each in acts} == {"ack"} and len(acts) >= 3 * rounds
    assert counts.waiting > 0 and counts.retired == []
    assert Key.objects.get(pk=fingerprint(former)).retired_at is None
