"""What a poll of the tables finds, and what it does not read again."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import Client as Browser
from django.utils import timezone
from rest_framework.authtoken.models import Token

from tables.models import Outage, Seating, ServerHeartbeat, Table
from tables.play import outages, services as play
from tables.sockets import looks, monitor, statuses
from tables.sockets.credentials import Credential, keys_of
from tables.sockets.statuses import Statuses
from tests.support import connections
from tests.support.clock import Clock
from tests.support.sockets import read_statuses
from wallet.keys import api_tokens
from wallet.keys.models import StoredSession

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(clock: Clock, player: Callable[..., Any], table: Callable[..., Table]) -> Table:
    place = table(seats=2)
    for name in ("asha", "ravi"):
        user = player(name)
        play.sit(table_id=place.pk, user=user)
        connections.connect(table_id=place.pk, user_id=user.pk, connection=name)
    return place


def test_a_table_where_nothing_happens_keeps_its_status_and_its_seats_are_not_read(
    place: Table, django_assert_num_queries: Any
) -> None:
    tables = Statuses()
    first = read_statuses(tables, {place.pk}).statuses[place.pk]
    assert first.shown.connected == (0, 1)
    with django_assert_num_queries(1):
        again = read_statuses(tables, {place.pk}).statuses[place.pk]
    assert again is first


def test_a_silent_departure_is_noticed_on_doubt_or_after_some_seconds(
    place: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Statuses()
    read_statuses(tables, {place.pk})
    Seating.objects.filter(table=place, seat=0).update(connection="")
    assert read_statuses(tables, {place.pk}).statuses[place.pk].shown.connected == (0, 1), (
        "nothing says that it has changed"
    )
    assert read_statuses(tables, {place.pk}, recheck={place.pk}).statuses[place.pk].shown.connected == (1,)
    Seating.objects.filter(table=place, seat=1).update(connection="")
    moment = statuses.time.monotonic() + statuses.SEATS_FRESH_FOR
    monkeypatch.setattr(statuses.time, "monotonic", lambda: moment)
    assert read_statuses(tables, {place.pk}).statuses[place.pk].shown.connected == ()


def test_where_the_fast_way_has_led_no_seat_is_read_and_where_somebody_else_has_all_are(
    place: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Statuses()
    version = read_statuses(tables, {place.pk}).statuses[place.pk].shown.version
    Seating.objects.filter(table=place, seat=0).update(connection="")
    Table.objects.filter(pk=place.pk).update(version=version + 2)
    led = SimpleNamespace(state=SimpleNamespace(version=version + 2))
    monkeypatch.setattr(statuses.table_cache, "get", lambda table_id: led)
    assert read_statuses(tables, {place.pk}).statuses[place.pk].shown == (version + 2, (0, 1))
    Table.objects.filter(pk=place.pk).update(version=version + 3)
    assert read_statuses(tables, {place.pk}).statuses[place.pk].shown == (version + 3, (1,))


@pytest.mark.databases
@pytest.mark.parametrize(
    "change",
    [
        lambda user, token, session: user.update(password="!"),
        lambda user, token, session: user.update(is_active=False),
        lambda user, token, session: user.update(is_staff=True),
        lambda user, token, session: user.update(is_superuser=True),
        lambda user, token, session: token.delete(),
        lambda user, token, session: token.update(created=timezone.now() - 2 * api_tokens.LIFETIME),
        lambda user, token, session: session.delete(),
        lambda user, token, session: session.update(session_data="of another"),
        lambda user, token, session: session.update(expire_date=timezone.now()),
    ],
)
def test_the_digest_of_a_look_changes_with_all_that_credentials_rest_on_and_with_nothing_else(
    player: Callable[..., Any], change: Callable[..., Any]
) -> None:
    user, other = player("asha"), player("ravi")
    token = api_tokens.number(Token.objects.create(user=user).key)
    browser = Browser()
    browser.force_login(user)
    session = browser.session.row_key
    keys = keys_of([Credential(user.pk, token=token), Credential(user.pk, session=session)])
    before = looks.look({}, keys).digest
    type(user).objects.filter(pk=user.pk).update(last_login=timezone.now())
    type(user).objects.filter(pk=other.pk).update(password="!")
    assert looks.look({}, keys).digest == before
    sessions = StoredSession.objects.filter(session_key=session)
    change(type(user).objects.filter(pk=user.pk), Token.objects.filter(pk=token), sessions)
    assert looks.look({}, keys).digest != before


@pytest.mark.databases
def test_a_look_shows_clock_heartbeat_outages_tables_and_the_seats_that_are_not_as_expected(
    place: Table, clock: Clock
) -> None:
    place.refresh_from_db()
    nothing = looks.look({place.pk + 1: looks.UNKNOWN})
    assert (nothing.now, nothing.heartbeat, nothing.last_outage, nothing.tables, nothing.seats) == (
        clock.now,
        None,
        0,
        [],
        [],
    )
    outages.record_heartbeat()
    missed = Outage.objects.create(began_ms=1, ended_ms=2)
    found = looks.look({place.pk: place.version})
    assert found.heartbeat is not None and found.heartbeat.at_ms == clock.now and found.last_outage == missed.pk
    assert [[row[0], row[1]] for row in found.tables] == [[place.pk, place.version]] and found.seats == []
    seats = looks.look({place.pk: looks.UNKNOWN}).seats
    assert [dict(zip(looks.SEAT, each, strict=True))["connection"] for each in seats] == ["asha", "ravi"]


@pytest.mark.databases
@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        ({}, False),
        ({"version": 900}, True),
        ({"status": Table.Status.FROZEN}, True),
        ({"computer_due_ms": 1}, True),
        ({"last_outage": 0}, True),
        ({"deadline_ms": looks.SOON}, True),
        ({"deadline_ms": looks.SOON + 1_000}, False),
    ],
)
def test_a_table_is_read_only_where_something_has_changed_or_is_due(
    place: Table, clock: Clock, change: dict[str, Any], is_read: bool
) -> None:
    missed = Outage.objects.create(began_ms=1, ended_ms=2)
    place.refresh_from_db()
    if "deadline_ms" in change:
        change = {"deadline_ms": change["deadline_ms"] + clock.now}
    Table.objects.filter(pk=place.pk).update(**{"last_outage": missed.pk, **change})
    assert [row[0] for row in looks.look({place.pk: place.version}).tables] == [place.pk] * is_read


@pytest.mark.databases
@pytest.mark.parametrize(("silent", "within", "noted"), [(100, 3_000, True), (99, 3_000, False), (3_000, 3_000, False)])
@pytest.mark.parametrize("refused", [None, 5])
def test_on_postgresql_a_look_notes_the_heartbeat_where_that_is_all_there_is_to_do(
    place: Table, clock: Clock, silent: int, within: int, noted: bool, refused: int | None
) -> None:
    outages.record_heartbeat()
    ServerHeartbeat.objects.update(refused_ms=refused)
    before = clock.now
    clock.wait(silent / 1000)
    found = looks.look({}, heartbeat_within=within).heartbeat
    expected = clock.now if noted and refused is None and connection.vendor == "postgresql" else before
    assert found is not None and found.at_ms == ServerHeartbeat.objects.get().at_ms == expected


def test_a_poll_sees_changes_at_once_and_forgets_what_is_gone(place: Table) -> None:
    tables = Statuses()
    before = read_statuses(tables, {place.pk}).statuses[place.pk]
    Table.objects.filter(pk=place.pk).update(version=before.shown.version + 1, status=Table.Status.FROZEN)
    Seating.objects.filter(table=place, seat=0).update(connection="another", connection_number=7)
    after = read_statuses(tables, {place.pk}).statuses[place.pk]
    assert (after.shown.version, after.frozen) == (before.shown.version + 1, True)
    assert statuses.PlayingSocket("another", 7) in after.playing.values()
    assert not read_statuses(tables, set()).statuses
    assert not read_statuses(tables, {place.pk + 1}).statuses


def test_a_clock_that_ends_soon_is_looked_at_then_and_many_that_do_share_a_look() -> None:
    assert monitor.pause_until(None) == monitor.pause_until(60_000) == monitor.BEAT
    assert monitor.pause_until(200) == (200 + statuses.SLACK) / 1000
    assert monitor.pause_until(-statuses.SLACK) == monitor.pause_until(3) == monitor.LEAST_PAUSE


@pytest.mark.parametrize(
    ("phase", "left_ms", "ends"),
    [
        ("result", 2_000, True), ("result", 4_000, False), ("result", -10, False), ("playing", 2_000, False),
        ("rejoin", 2_000, True), ("split", 2_000, True),
    ],
)  # fmt: skip
def test_a_clock_between_two_deals_is_seen_to_end_soon(
    place: Table, clock: Clock, phase: str, left_ms: int, ends: bool
) -> None:
    Table.objects.filter(pk=place.pk).update(phase=phase, deadline_ms=clock.now + left_ms)
    assert read_statuses(Statuses(), {place.pk}).ending == ({place.pk} if ends else set())


def test_a_process_that_serves_notes_its_sockets_in_time_for_the_end_of_a_result_clock() -> None:
    latest = 1000 * (monitor.LAST_PAUSE + monitor.BEAT)
    assert latest <= statuses.ENDING < outages.LAST_NOTE_MS - 2 * 1000 * monitor.BEAT
