"""Which of several sockets plays a seat: the last that connected and spoke, and never again an earlier one."""

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tables.errors import TableError
from tables.models import Outage, Seating, Table
from tables.play import broadcast, presence, store
from tables.sockets import consumer
from tables.sockets.admission import Buckets
from tests.support import connections
from tests.support.clock import Clock
from tests.support.sockets import Seen, seated, until
from tests.support.tables import Client

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


async def request(tab: Seen, kind: str, **fields: Any) -> dict[str, Any]:
    """Return the tab's answer, or an error with code 4001 if the tab is closed for another."""
    before = len(tab.others)
    await tab.socket.send_to(json.dumps({"type": kind, "id": f"{kind}{before}", **fields}))
    await until(lambda: tab.code or any(frame.get("id") == f"{kind}{before}" for frame in tab.others))
    return next((frame for frame in tab.others if frame.get("id") == f"{kind}{before}"), {"code": tab.code})


@sync_to_async
def playing(table: Table) -> str:
    return Seating.objects.get(table=table, left_at=None).connection


@pytest.mark.asyncio
async def test_a_handshake_whose_client_has_gone_elsewhere_takes_nothing() -> None:
    """A process that was stopped handles it long afterwards."""
    table, people = await seated("asha")
    living = await Seen(table.pk, people["asha"][1]).open()
    plays = await playing(table)
    given_up = await Seen(table.pk, people["asha"][1]).open()
    assert (await request(living, "sort"))["code"] == "wrong_phase"
    await given_up.close()
    assert (living.code, await playing(table)) == (None, plays)
    assert (await request(living, "ping"))["type"] == "pong"
    await living.close()


@pytest.mark.asyncio
async def test_a_handshake_given_up_while_the_process_started_does_not_use_up_the_word_of_the_outage() -> None:
    """The page has come again, and its first socket is handled first."""
    table, people = await seated("asha", "ravi")
    away = await missed(table)
    given_up = Seen(table.pk, people["asha"][1])
    given_up.socket.scope["is_gone"] = lambda: True
    assert (await given_up.socket.connect())[0]
    await given_up.socket.disconnect()
    living = await Seen(table.pk, people["asha"][1]).open()
    assert living.states[0]["away_ms"] == away
    await living.close()


@sync_to_async
def missed(table: Table) -> int:
    """Let an outage end now that nobody at the table has heard of, and return its length in ms."""
    now = store.now_ms()
    Seating.objects.filter(table=table).update(seen_ms=now - 10_000)
    outage = Outage.objects.create(began_ms=now - 9_000, ended_ms=now)
    return int(outage.ended_ms - outage.began_ms)


@pytest.mark.asyncio
@pytest.mark.parametrize("pushes", [True, False])
@pytest.mark.parametrize("first", ["ping", "sync", "sort"])
async def test_the_first_frame_takes_the_seat_and_closes_all_that_came_before(
    first: str, pushes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not pushes:
        monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    table, people = await seated("asha")
    tabs = [await Seen(table.pk, people["asha"][1]).open() for _ in range(4)]
    await tabs[2].socket.send_to(json.dumps({"type": first}))
    await until(lambda: [tab.code for tab in tabs] == [4001, 4001, None, None])
    assert (await request(tabs[3], "ping"))["type"] == "pong"
    await until(lambda: tabs[2].code == 4001)
    await tabs[3].close()


@pytest.mark.asyncio
async def test_a_seat_that_nobody_plays_is_taken_at_once() -> None:
    table, people = await seated("asha", "ravi")
    tab = await Seen(table.pk, people["asha"][1]).open()
    assert tab.states[-1]["view"]["seats"][0]["connected"]
    await tab.close()


@pytest.mark.asyncio
async def test_windows_that_fight_are_slowed_down_and_see_the_table_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fights = Buckets(burst=2, per_second=0, most=9)
    monkeypatch.setattr(consumer, "_takeovers", fights)
    table, people = await seated("asha")
    tabs = [await Seen(table.pk, people["asha"][1]).open() for _ in range(4)]
    assert [(await request(tab, "ping"))["type"] for tab in tabs[1:3]] == ["pong", "pong"]
    plays = await playing(table)
    assert (await request(tabs[3], "ping"))["type"] == "pong"
    assert (await request(tabs[3], "sort"))["code"] == "rate_limited"
    assert (await playing(table), tabs[2].code) == (plays, None)
    monkeypatch.setattr(consumer, "_takeovers", Buckets(burst=1, per_second=0, most=9))
    assert (await request(tabs[3], "ping"))["type"] == "pong"
    await until(lambda: tabs[2].code == 4001)
    await tabs[3].close()


def test_an_earlier_join_never_beats_a_later_one(duel: tuple[Client, Client], clock: Clock) -> None:
    first = duel[0]
    own = {"table_id": first.table, "user_id": first.user.pk}
    early = connections.connect(**own, connection="early")
    late = connections.connect(**own, connection="late")
    assert (early.plays, late.plays, early.number < late.number) == (False, False, True)
    connections.take(**own, connection="late", number=late.number)
    for _ in range(2):
        with pytest.raises(TableError) as refused:
            connections.take(**own, connection="early", number=early.number)
        assert refused.value.code == "taken_over"
        presence.record_sign_of_life(**own, connection="early", number=early.number)
        # Nor once the later one has gone.
        connections.disconnect(**own, connection="late")
    seating = Seating.objects.get(user=first.user, left_at=None)
    assert seating.connection == ""
