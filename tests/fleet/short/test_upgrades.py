"""Five upgrades in the middle of play, each with another storage format and new versions of the books.

No game is aborted, no move is forced, and every match ends by the book version it began with. Besides, a schema
migration while the old software goes on playing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from rules import books
from rules.books import BOOKS, RuleBook
from rules.game import codec, state
from rules.game.codec import FORMAT, Record, RecordKind
from tables import tasks
from tables.log.triggers import TRIGGERS
from tables.models import Deal, LoggedEvent, Match, Table
from tables.play import store
from tables.staff import cancel_match
from tests.support import connections
from tests.support.steering import ask, pass_turn, to_move
from tests.support.tables import Client, read_event
from tests.support.world import World, isolated_world
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.base import triggers

pytestmark = pytest.mark.django_db(transaction=True)

UPGRADES = 5
#: The forms in which the emulated former software stored: from each, the step to the next and the way back.
Change = tuple[Callable[[RecordKind, Record], Record], Callable[[RecordKind, Record], Record]]


def _renamed(of: RecordKind, old: str, new: str) -> Change:
    def rename(record: Record, before: str, after: str) -> Record:
        return {after if key == before else key: value for key, value in record.items()}

    return (
        lambda kind, record: rename(record, old, new) if kind is of else record,
        lambda kind, record: rename(record, new, old) if kind is of else record,
    )


def _dropped() -> Change:
    """Remove a field."""

    def forward(kind: RecordKind, record: Record) -> Record:
        record.pop("tokens", None)
        return record

    return forward, lambda kind, record: {**record, "tokens": 7} if kind is RecordKind.STATE else record


def _added() -> Change:
    """Add a field."""

    def back(kind: RecordKind, record: Record) -> Record:
        if kind is RecordKind.STATE and record.get("split") is None:
            record.pop("split", None)
        return record

    return lambda kind, record: {"split": None, **record} if kind is RecordKind.STATE else record, back


def _nested() -> Change:
    """Nest a value."""

    def clock(record: Record, change: Callable[[Any], Any]) -> Record:
        if record.get("clock") is not None:
            record["clock"] = change(record["clock"])
        return record

    names = ("kind", "deadline", "length", "seat")
    return (
        lambda kind, record: clock(record, lambda stored: dict(zip(names, stored, strict=True))),
        lambda kind, record: clock(record, lambda stored: [stored[name] for name in names]),
    )


def _event_renamed() -> Change:
    """Rename an event."""

    def named(record: Record, old: str, new: str) -> Record:
        return {**record, "type": new} if record.get("type") == old else record

    return (
        lambda kind, record: named(record, "card_taken", "card_drawn"),
        lambda kind, record: named(record, "card_drawn", "card_taken"),
    )


CHANGES = (_dropped(), _renamed(RecordKind.STATE, "stage", "phase"), _nested(), _added(), _event_renamed())


@contextmanager
def software(release: int) -> Iterator[None]:
    """Run the platform as release 0 to 5: it writes its own format and reads all formats up to it."""
    steps = {FORMAT - UPGRADES + number: change[0] for number, change in enumerate(CHANGES)}
    versions = {**books._VERSIONS, **{(book.key, book.version): book for book in _books(release)}}
    newest = {**BOOKS, **{book.key: book for book in _books(release)}}
    state._book.cache_clear()
    with (
        patch.object(codec, "STEPS", steps),
        patch.object(codec, "dump_state", _storing(codec.dump_state, RecordKind.STATE, release)),
        patch.object(codec, "dump_event", _storing(codec.dump_event, RecordKind.EVENT, release)),
        patch.object(codec, "dump_terms", _storing(codec.dump_terms, RecordKind.TERMS, release)),
        patch.object(books, "_VERSIONS", versions),
        patch.object(books, "BOOKS", newest),
    ):
        yield
    state._book.cache_clear()


def _storing(dump: Callable[[Any], Record], kind: RecordKind, release: int) -> Callable[[Any], Record]:
    def stored(value: Any) -> Record:
        record = deepcopy(dump(value))
        for _, back in reversed(CHANGES[release:]):
            record = back(kind, record)
        return {**record, "format": FORMAT - UPGRADES + release}

    return stored


def _books(release: int) -> list[RuleBook]:
    """Return the versions of points up to this release: each raises the cost of a drop by one point."""
    first = BOOKS["standard-points"]
    return [
        replace(first, version=1 + number, first_drop=20 + number, middle_drop=40 + number)
        for number in range(release + 1)
    ]


def open_table_for(world: World, release: int) -> list[Client]:
    table = world.table(book_version=1 + release)
    clients = [world.sit(table) for _ in range(2)]
    world.deal(table)
    return clients


def test_five_upgrades_abort_no_game_and_force_no_move() -> None:
    with isolated_world() as world:
        tables: list[list[Client]] = []
        for release in range(UPGRADES + 1):
            with software(release):
                for clients in tables:
                    _check_play_goes_on(clients)
                tables.append(open_table_for(world, release))
        with software(UPGRADES):
            for release, clients in enumerate(tables):
                _check_price(clients, release)
            assert audit().differences == []
    assert not Table.objects.exclude(status=Table.Status.OPEN).exists()
    assert not Match.objects.filter(status=Match.Status.CANCELLED).exists()


def _check_play_goes_on(clients: list[Client]) -> None:
    """Check that the restarted platform shows the table unchanged, and that the players play on in their own time."""
    row = Table.objects.get(pk=clients[0].table)
    before = (row.version, row.deadline_ms, row.status)
    tasks.sweep()
    for client in clients:
        connections.connect(table_id=client.table, user_id=client.user.pk, connection=client.connection)
    row.refresh_from_db()
    assert (row.version, row.deadline_ms, row.status) == before
    for _ in range(2):
        mover = to_move(clients)
        ask(mover, "sort") if mover.me["groups"] == [] else None
        pass_turn(mover)


def _check_price(clients: list[Client], release: int) -> None:
    """Check that a drop costs what the table's book version says."""
    mover = to_move(clients)
    seat = mover.me["seat"]
    drawn = store.read_table(mover.table).state.current.hand(seat).draws > 0
    ask(mover, "drop")
    points = {row["seat"]: row["points"] for row in mover.view()["result"]["rows"]}
    assert points[seat] == (40 if drawn else 20) + release
    forced = [row for row in LoggedEvent.objects.filter(table_id=mover.table) if b'"by":"platform"' in _content(row)]
    assert forced == []


def _content(row: LoggedEvent) -> bytes:
    return codec.canonical(codec.dump_event(read_event(row)))


@contextmanager
def one_column_more(model: type[models.Model]) -> Iterator[None]:
    """Add the column of the next release, unknown to the running software."""
    planted = models.IntegerField(null=True, db_default=7)
    planted.set_attributes_from_name("planted")
    planted.model = model
    with _migrating() as editor:
        editor.add_field(model, planted)
    try:
        yield
    finally:
        with _migrating() as editor:
            editor.remove_field(model, planted)


@contextmanager
def _migrating() -> Iterator[BaseDatabaseSchemaEditor]:
    """Remove the triggers during the migration, since SQLite rebuilds a table without them."""
    triggers.remove(connection, TRIGGERS)
    with connection.schema_editor() as editor:
        yield editor
    triggers.install(connection, TRIGGERS)


@pytest.mark.parametrize("model", [Table, Match, Deal, LoggedEvent], ids=lambda model: model.__name__)
def test_the_software_of_before_plays_on_over_a_step_of_the_schema(model: type[models.Model]) -> None:
    """In an upgrade the tables change first, while old processes go on playing."""
    with isolated_world() as world:
        clients = open_table_for(world, 0)
        pass_turn(to_move(clients))
        with one_column_more(model):
            _check_play_goes_on(clients)
            others = open_table_for(world, 0)
            _check_play_goes_on(others)
            ask(to_move(others), "drop")
        _check_play_goes_on(clients)
        assert audit().differences == []


def test_older_software_refuses_what_newer_has_stored_and_the_match_is_refunded() -> None:
    """There are no downgrades: the table stands still, and its players get everything back."""
    with isolated_world() as world, software(UPGRADES):
        clients = open_table_for(world, UPGRADES)
        table = clients[0].table
        future = {**codec.dump_state(store.read_table(table).state), "format": FORMAT + 1}
        with patch.object(codec, "dump_state", lambda value: future):
            row = Table.objects.get(pk=table)
            store.write_state(row, store.read_table(table).state)
            row.save()
        world.clock.wait(30)
        tasks.sweep()
        assert Table.objects.get(pk=table).status == Table.Status.FROZEN
        match = Match.objects.get(table_id=table)
        cancel_match(match_id=match.pk, reason="Of the future", actor=PLATFORM)
        assert Match.objects.get(pk=match.pk).status == Match.Status.CANCELLED
        assert audit().differences == []
