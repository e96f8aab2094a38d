"""The lobby's socket from the outside."""

import json
from typing import Any

import pytest
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.core.cache import cache
from django.test import Client

from config.asgi import application
from lobby.models import Stake
from lobby.stakes import services as stakes
from tables.play import presence
from tables.play.broadcast import LOBBY_GROUP, PROCESSES, user_group
from tables.sockets import monitor
from tables.sockets.base import BURST
from tests.support.players import signed_up
from tests.support.sockets import PatientSocket, until
from tests.support.stakes import StakeFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio, pytest.mark.usefixtures("sent")]

SITE = (b"origin", b"http://testserver")


def visitor(*headers: tuple[bytes, bytes]) -> PatientSocket:
    return PatientSocket(application, "/ws/lobby/", headers=[(b"host", b"testserver"), *(headers or (SITE,))])


@database_sync_to_async
def stake_and_cookie() -> tuple[Stake, Any, tuple[bytes, bytes], str]:
    stake, asha, client = StakeFactory(), signed_up("asha"), Client()
    client.force_login(asha)
    key = client.session.session_key
    return stake, asha, (b"cookie", f"sessionid={key}".encode()), client.session.row_key


async def entered(*headers: tuple[bytes, bytes]) -> tuple[PatientSocket, list[dict[str, Any]]]:
    socket = visitor(*headers)
    assert (await socket.connect())[0]
    first = await socket.receive_json_from()
    assert first["type"] == "stakes"
    return socket, first["stakes"]


async def publish(group: str, times: int = 1, **message: Any) -> None:
    """Send a message to the group as another process does, so many times in one moment."""
    news = {"type": "news", "from": "another", "news": [(group, message)] * times}
    await get_channel_layer().group_send(PROCESSES, news)


async def closed_with(socket: PatientSocket) -> int:
    while True:
        output = await socket.receive_output()
        if output["type"] == "websocket.close":
            return int(output["code"])


async def test_a_visitor_gets_all_stakes_once_and_then_each_change() -> None:
    stake, asha, _, _ = await stake_and_cookie()
    socket, offered = await entered()
    assert [(offer["id"], offer["seated"]) for offer in offered] == [(stake.pk, 0)]
    await database_sync_to_async(stakes.quick_seat)(stake_id=stake.pk, user=asha)
    await publish(LOBBY_GROUP, times=5, type="lobby.stake", stake_id=stake.pk)
    change = await socket.receive_json_from()
    assert (change["type"], change["stake"]["id"], change["stake"]["waiting"]) == ("stake", stake.pk, 1)
    assert change["stake"]["tables"][0]["seats"][0]["name"] == "asha"
    assert await socket.receive_nothing(0.3), "five changes in one moment are one push"
    await socket.disconnect()


async def test_the_push_shows_what_the_api_shows() -> None:
    stake, asha, _, _ = await stake_and_cookie()
    await database_sync_to_async(stakes.quick_seat)(stake_id=stake.pk, user=asha)
    socket, offered = await entered()
    content = await database_sync_to_async(lambda: Client().get("/api/lobby/").json())()
    assert offered == content["stakes"]
    await publish(LOBBY_GROUP, type="lobby.stake", stake_id=stake.pk)
    assert (await socket.receive_json_from())["stake"] == offered[0]
    await socket.disconnect()


async def test_two_visitors_each_get_a_change_that_is_no_older_than_its_notice() -> None:
    stake, asha, _, _ = await stake_and_cookie()
    sockets = [(await entered())[0] for _ in range(3)]
    await publish(LOBBY_GROUP, type="lobby.stake", stake_id=stake.pk)
    assert {(await socket.receive_json_from())["stake"]["seated"] for socket in sockets} == {0}
    await database_sync_to_async(stakes.quick_seat)(stake_id=stake.pk, user=asha)
    await publish(LOBBY_GROUP, type="lobby.stake", stake_id=stake.pk)
    assert {(await socket.receive_json_from())["stake"]["seated"] for socket in sockets} == {1}
    for socket in sockets:
        await socket.disconnect()


async def test_a_withdrawn_stake_is_announced() -> None:
    stake, _, _, _ = await stake_and_cookie()
    socket, _ = await entered()
    await database_sync_to_async(Stake.objects.update)(active=False)
    await publish(LOBBY_GROUP, type="lobby.stake", stake_id=stake.pk)
    assert await socket.receive_json_from() == {"type": "stake", "stake": {"id": stake.pk, "active": False}}
    await socket.disconnect()


async def test_a_turn_is_announced_to_its_player_only() -> None:
    _, asha, cookie, _ = await stake_and_cookie()
    hers, _ = await entered(SITE, cookie)
    strangers, _ = await entered()
    await publish(user_group(asha.pk), type="user.turn", table=7)
    assert await hers.receive_json_from() == {"type": "your_turn", "table": 7}
    assert await strangers.receive_nothing(0.2)
    await hers.disconnect()
    await strangers.disconnect()


async def test_who_only_listens_stays_online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "LISTENING_INTERVAL", 0.0)
    _, asha, cookie, _ = await stake_and_cookie()
    socket, _ = await entered(SITE, cookie)
    cache.delete(presence._key(asha.pk))
    await until(lambda: cache.get(presence._key(asha.pk)))
    await socket.disconnect()


@pytest.mark.parametrize(
    "text", ["{", "null", "[]", '"x"', '{"type":"draw"}', '{"type":["stakes"]}', "\x00", "😀" * 900]
)
async def test_no_client_frame_breaks_the_lobby(text: str) -> None:
    socket, _ = await entered()
    await socket.send_to(text_data=text)
    await socket.send_to(bytes_data=b"\xff\xfe")
    assert await socket.receive_nothing(0.05)
    await socket.send_to(text_data='{"type": "ping"}')
    assert (await socket.receive_json_from())["type"] == "pong"
    await socket.disconnect()


async def test_a_flood_of_frames_closes_the_socket() -> None:
    socket, _ = await entered()
    for _ in range(BURST + 1):
        await socket.send_to(text_data=json.dumps({"type": "x"}))
    assert await closed_with(socket) == 1008


async def test_an_oversized_frame_closes_the_socket() -> None:
    socket, _ = await entered()
    await socket.send_to(text_data="x" * 9_000)
    assert await closed_with(socket) == 1009


async def test_a_socket_ends_with_its_own_session() -> None:
    _, asha, cookie, session = await stake_and_cookie()
    socket, _ = await entered(SITE, cookie)
    await publish(user_group(asha.pk), type="user.signed_out", session="another")
    assert await socket.receive_nothing(0.1)
    await publish(user_group(asha.pk), type="user.signed_out", session=session)
    assert await closed_with(socket) == 4003


@pytest.mark.parametrize(
    "origin", [b"http://evil.example", b"null", b"http://testserver.evil.example", b"http://testserver:81"]
)
async def test_another_origin_is_refused(origin: bytes) -> None:
    assert not (await visitor((b"origin", origin)).connect())[0]
