"""The table socket for a client: who is accepted, what comes back, what closes it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth import get_user_model
from django.core.cache import cache

from tables.models import Table
from tables.play import broadcast, services as play
from tables.play.company import PROCESSES
from tables.play.opening import open_table
from tables.play.services import EMOTES
from tests.support.sockets import PatientSocket
from tests.support.table_sockets import frame_of, opened, player_with_token, table_socket
from tests.support.tables import terms

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""
    cache.clear()


@pytest.fixture
def seated() -> Callable[..., Any]:
    @sync_to_async
    def make(*names: str, **changes: Any) -> tuple[Table, list[str]]:
        table = open_table(terms=terms(**changes), title="Sockets", currency="FUN")
        keys = []
        for name in names:
            user, key = player_with_token(name)
            play.sit(table_id=table.pk, user=user)
            keys.append(key)
        return table, keys

    return make


async def closed_with(one: PatientSocket) -> int:
    for _ in range(200):
        message = await one.receive_output()
        if message["type"] == "websocket.close":
            return int(message["code"])
    raise AssertionError("the socket was not closed")


FOREIGN = [
    "https://evil.example",
    "http://play.example.evil.example",
    "http://evil-play.example",
    "http://play.example:8080",
    "https://play.example:80",
    "null",
    "file://",
    "",
    "http://",
    "http://[",
]


async def test_a_foreign_origin_does_not_get_in_even_with_a_token(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    for origin in FOREIGN:
        assert not (await table_socket(table.pk, key, (b"origin", origin.encode())).connect())[0], origin


async def test_without_origin_only_a_token_opens_the_door(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    assert not (await table_socket(table.pk).connect())[0]
    one, _ = await opened(table.pk, key)
    await one.disconnect()


async def test_the_sites_own_origin_gets_in_and_who_is_not_signed_in_is_told_so(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    own = (b"origin", b"http://play.example")
    one = table_socket(table.pk, key, own)
    assert (await one.connect())[0]
    await one.disconnect()
    anonymous = table_socket(table.pk, "", own)
    assert (await anonymous.connect())[0]
    assert await closed_with(anonymous) == 4003
    wrong = table_socket(table.pk, "0" * 40, own)
    assert (await wrong.connect())[0]
    assert await closed_with(wrong) == 4003


async def test_a_table_that_is_not_there_closes_the_socket(seated: Callable[..., Any]) -> None:
    _, (key,) = await seated("asha")
    one = table_socket(999_999, key)
    assert (await one.connect())[0]
    assert await closed_with(one) == 4004


async def test_everybody_sees_a_change_each_in_their_own_view(seated: Callable[..., Any]) -> None:
    table, (asha, ravi) = await seated("asha", "ravi")
    one, _ = await opened(table.pk, asha)
    two, _ = await opened(table.pk, ravi)
    await two.send_to(json.dumps({"type": "leave", "id": "bye"}))
    ack = await frame_of(two, "ack")
    assert ack["id"] == "bye"
    while True:
        frame = await frame_of(one, "state")
        if any(event["type"] == "seat_left" for event in frame["events"]):
            break
    assert frame["version"] == ack["version"]
    assert frame["view"]["phase"] == "waiting"
    assert frame["view"]["me"]["seat"] == 0
    await one.disconnect()
    await two.disconnect()


async def test_ping_sync_and_errors_answer_under_their_id(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    one, first = await opened(table.pk, key)
    await one.send_to('{"type":"ping","id":"p"}')
    pong = await frame_of(one, "pong")
    assert (pong["id"], pong["version"]) == ("p", first["version"])
    await one.send_to('{"type":"sync"}')
    assert (await frame_of(one, "state"))["view"]["phase"] == "waiting"
    await one.send_to('{"type":"sync","id":"s"}')
    assert (await frame_of(one, "state"))["view"]["phase"] == "waiting"
    assert await frame_of(one, "ack") == {"type": "ack", "id": "s", "version": first["version"]}
    for text, code, request_id in [
        ('{"type":"draw","pile":"closed","id":"d"}', "wrong_phase", "d"),
        ('{"type":"fly","id":"f"}', "unknown_type", "f"),
        ('{"id":"n"}', "bad_frame", "n"),
        ('{"type":"draw","pile":"both","id":7}', "bad_frame", 7),
        ('{"type":"sync","version":"new","id":"v"}', "bad_frame", "v"),
        ('{"type":"sync","id":["l"]}', "bad_frame", None),
        ("{", "bad_frame", None),
    ]:
        await one.send_to(text)
        error = await frame_of(one, "error")
        assert (error["code"], error.get("id"), error["version"]) == (code, request_id, first["version"])
        assert error["message"]
    await one.disconnect()


async def test_a_watcher_sees_the_table_and_can_do_nothing(seated: Callable[..., Any]) -> None:
    table, _ = await seated("asha")
    _, key = await sync_to_async(player_with_token)("tara")
    one, frame = await opened(table.pk, key)
    assert frame["view"]["me"] is None
    await one.send_to('{"type":"leave"}')
    assert (await frame_of(one, "error"))["code"] == "not_seated"
    await one.disconnect()


async def test_the_newest_tab_plays_and_the_older_one_is_closed_with_4001(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    one, _ = await opened(table.pk, key)
    two, _ = await opened(table.pk, key)
    await two.send_to('{"type":"ping"}')
    assert await closed_with(one) == 4001
    assert (await frame_of(two, "pong"))["type"] == "pong"
    await two.disconnect()


async def test_signing_out_closes_the_socket_with_4003(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    one, _ = await opened(table.pk, key)
    user = await get_user_model().objects.aget(username="asha")
    broadcast.signed_out(user.pk, None)
    assert await closed_with(one) == 4003


async def test_too_much_at_once_is_rate_limited_and_then_closed_with_1008(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    one, _ = await opened(table.pk, key)
    for _ in range(600):
        await one.send_to('{"type":"ping","id":"p"}')
    refused = await frame_of(one, "error")
    assert (refused["code"], refused["id"]) == ("rate_limited", "p")
    assert await closed_with(one) == 1008


async def test_a_frame_far_too_large_closes_with_1009(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    one, _ = await opened(table.pk, key)
    await one.send_to('{"type":"ping","id":"' + "x" * 9000 + '"}')
    assert await closed_with(one) == 1009


async def test_binary_frames_are_refused_and_the_socket_lives_on(seated: Callable[..., Any]) -> None:
    table, (key,) = await seated("asha")
    one, _ = await opened(table.pk, key)
    await one.send_to(bytes_data=b"\x00\xff")
    assert (await frame_of(one, "error"))["code"] == "bad_frame"
    await one.send_to('{"type":"ping"}')
    await frame_of(one, "pong")
    await one.disconnect()


async def test_an_emote_is_seen_by_players_and_watchers_and_kept_nowhere(seated: Callable[..., Any]) -> None:
    table, (asha, ravi) = await seated("asha", "ravi")
    _, tara = await sync_to_async(player_with_token)("tara")
    one, first = await opened(table.pk, asha)
    two, _ = await opened(table.pk, ravi)
    watcher, _ = await opened(table.pk, tara)
    await one.send_to('{"type":"emote","emote":"well_played","id":"e1"}')
    assert (await frame_of(one, "ack"))["id"] == "e1"
    for socket in (two, watcher):
        assert await frame_of(socket, "emote") == {"type": "emote", "seat": 0, "emote": "well_played"}
    await watcher.send_to('{"type":"emote","emote":"smile"}')
    assert (await frame_of(watcher, "error"))["code"] == "not_seated"
    for _ in range(EMOTES.tries):
        await two.send_to('{"type":"emote","emote":"smile"}')
    await two.send_to('{"type":"emote","emote":"smile"}')
    assert (await frame_of(two, "error"))["code"] == "rate_limited"
    await one.send_to('{"type":"emote","emote":"free chat"}')
    assert (await frame_of(one, "error"))["code"] == "bad_frame"
    await one.send_to('{"type":"ping"}')
    assert (await frame_of(one, "pong"))["version"] == first["version"], "no emote changes the table"
    for socket in (one, two, watcher):
        await socket.disconnect()


async def test_an_emote_of_another_process_arrives(seated: Callable[..., Any]) -> None:
    table, (asha,) = await seated("asha")
    one, _ = await opened(table.pk, asha)
    news = [(broadcast.table_group(table.pk), {"type": "table.emote", "seat": 1, "emote": "hello"})]
    message = {"type": "news", "from": "another process", "news": news}
    await get_channel_layer().group_send(PROCESSES, message)
    assert (await frame_of(one, "emote"))["emote"] == "hello"
    await one.disconnect()
