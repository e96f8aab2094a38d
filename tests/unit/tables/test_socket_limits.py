"""Limits of one socket: a slow reader, one too many, a database that fails once."""

import json
from typing import Any

import pytest
from django.db import OperationalError

from config.asgi import application
from tables.metrics import CLOSES
from tables.play import services as play
from tables.sockets import admission, consumer
from tables.sockets.admission import connections as front_door
from tables.sockets.base import ABNORMAL, POLICY, TOO_SLOW
from tests.support.sockets import HOST, PatientSocket, Seen, begin, current_view, seated, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture(autouse=True)
def sent() -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""


async def test_a_slow_reader_gets_only_the_newest_state_and_is_closed_with_4008(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tables.sockets.base.SLOW_CLIENT_PATIENCE", 3_600)
    table, people = await seated("asha", "ravi")
    slow, quick = [await Seen(table.pk, key).open() for _, key in people.values()]
    slow.full = True
    before = len(slow.states)
    await begin(table)
    expected = await current_view(table, people["ravi"][0])
    await until(lambda: quick.equals(expected))
    assert len(slow.states) == before
    slow.full = False
    await until(lambda: slow.versions[-1] == quick.versions[-1])
    assert len(slow.states) == before + 1
    monkeypatch.setattr("tables.sockets.base.SLOW_CLIENT_PATIENCE", 1)
    slow.full = True
    await until(lambda: slow.code == 4008)
    assert quick.code is None
    await quick.close()
    await slow.close()


async def test_a_quick_player_may_draw_and_discard_oftener_than_send_other_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumer, "BURST", 3)
    monkeypatch.setattr(consumer, "PER_SECOND", 0)
    table, people = await seated("asha", "ravi")
    players = [await Seen(table.pk, key).open() for _, key in people.values()]
    await begin(table)
    await until(lambda: all(player.states[-1]["view"]["phase"] == "playing" for player in players))
    for number in range(16):
        turn = players[0].states[-1]["view"]["deal"]["turn_seat"]
        drawn = players[turn].states[-1]["view"]["me"]["drawn"]
        move = {"type": "discard", "card": drawn} if number % 2 else {"type": "draw", "pile": "closed"}
        before = players[turn].versions[-1]
        await players[turn].socket.send_to(json.dumps(move))
        await until(lambda: all(player.versions[-1] > before for player in players))  # noqa: B023
    for player in players:
        await player.socket.send_to('{"type":"ping"}')
        await player.socket.send_to('{"type":"ping"}')
        await until(lambda: {other["type"] for other in player.others} >= {"pong", "error"})  # noqa: B023
        assert [other["code"] for other in player.others if other["type"] == "error"] == ["rate_limited"]
        await player.close()


async def test_one_user_and_one_address_have_only_so_many_sockets(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    table, people = await seated("asha", "ravi")
    key = people["asha"][1].encode()
    lobbies = [lobby(key) for _ in range(admission.PER_USER)]
    for one in lobbies:
        assert (await one.connect())[0]
    ninth = lobby(key)
    assert (await ninth.connect())[0]
    assert (await ninth.receive_output())["code"] == 1013
    other = await Seen(table.pk, people["ravi"][1]).open()
    await lobbies.pop().disconnect()
    again = lobby(key)
    assert (await again.connect())[0]
    settings.SOCKETS_PER_ADDRESS = 9
    refused = lobby(people["ravi"][1].encode())
    assert not (await refused.connect())[0]
    for one in (*lobbies, again):
        await one.disconnect()
    await other.close()
    await until(lambda: not front_door._addresses and not front_door._users)


def lobby(key: bytes) -> PatientSocket:
    return PatientSocket(application, "/ws/lobby/", headers=[HOST, (b"authorization", b"Token " + key)])


async def test_a_database_that_fails_once_costs_an_answer_not_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()

    def fails(**_: Any) -> None:
        raise OperationalError("the connection is closed")

    with monkeypatch.context() as patch:
        patch.setattr(play, "play", fails)
        await one.socket.send_to('{"type":"leave","id":"a"}')
        await until(lambda: any(frame.get("code") == "try_again" for frame in one.others))
    await one.socket.send_to('{"type":"leave","id":"a"}')
    await until(lambda: any(frame["type"] == "ack" for frame in one.others))
    await one.close()


@pytest.mark.parametrize(
    ("slow", "server_code", "code"),
    [(True, None, TOO_SLOW), (False, None, ABNORMAL), (False, TOO_SLOW, TOO_SLOW), (False, POLICY, POLICY)],
)
async def test_a_socket_that_the_server_ends_by_itself_leaves_its_seat(
    monkeypatch: pytest.MonkeyPatch, slow: bool, server_code: int | None, code: int
) -> None:
    forgotten: list[int] = []
    monkeypatch.setattr(consumer, "forget_reader", lambda table_id, language: forgotten.append(table_id))
    table, people = await seated("asha", "ravi")
    one, other = [await Seen(table.pk, key).open() for _, key in people.values()]
    one.full, one.server_code = slow, server_code
    counted = CLOSES.labels(str(code))
    before = counted._value.get()
    one.socket.future.cancel()
    await until(lambda: not other.states[-1]["view"]["seats"][0]["connected"])
    assert forgotten == [table.pk]
    assert counted._value.get() == before + 1
    one.reading.cancel()
    await other.close()


async def test_what_a_client_had_sent_before_the_server_closed_is_not_handled() -> None:
    table, people = await seated("asha")
    one = await Seen(table.pk, people["asha"][1]).open()
    counted = CLOSES.labels(str(POLICY))
    before, one.server_code = counted._value.get(), POLICY
    await one.socket.send_to('{"type":"ping"}')
    await one.socket.send_input({"type": "websocket.disconnect", "code": ABNORMAL})
    await one.socket.wait()
    assert (one.others, counted._value.get()) == ([], before + 1)
    one.reading.cancel()
