"""Sockets of staff need the second factor as pages do, in the session or when the token was issued."""

import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from rest_framework.authtoken.models import Token

from config.asgi import application
from lobby.models import Player
from lobby.stakes import services as stakes
from lobby.two_factor import services as two_factor, sessions
from lobby.two_factor.models import Authenticator
from tables.sockets import monitor
from tests.support.players import signed_up
from tests.support.second_factor import enrolled, with_password
from tests.support.sockets import PatientSocket
from wallet.keys.api_tokens import token_text
from wallet.play_money.services import open_wallet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

HOST, ORIGIN = (b"host", b"testserver"), (b"origin", b"http://testserver")


@pytest.fixture(autouse=True)
def codes_required(settings: Any) -> None:
    settings.STAFF_TOTP = True


@sync_to_async
def seated(**account: Any) -> tuple[Player, int]:
    player = signed_up("boss", **account)
    open_wallet(player)
    return player, stakes.practice(user=player, book_key="standard-points", players=2).table_id


def cookie(client: Client) -> tuple[bytes, bytes]:
    return (b"cookie", f"sessionid={client.session.session_key}".encode())


def bearer(token: Token) -> tuple[bytes, bytes]:
    return (b"authorization", f"Token {token_text(token)}".encode())


async def opened(path: str, header: tuple[bytes, bytes]) -> PatientSocket:
    socket = PatientSocket(application, path, headers=[HOST, ORIGIN, header])
    assert (await socket.connect())[0]
    return socket


async def closed_with(path: str, header: tuple[bytes, bytes]) -> int | None:
    """Return the code with which a socket is closed before it sends anything, or None if it sends something."""
    socket = await opened(path, header)
    first = await socket.receive_output()
    await socket.disconnect()
    return first["code"] if first["type"] == "websocket.close" else None


@pytest.mark.parametrize("staff", [{"is_staff": True}, {"is_superuser": True}])
async def test_a_password_alone_opens_no_socket_to_staff(staff: dict[str, bool]) -> None:
    boss, table = await seated(**staff)
    session = cookie(await sync_to_async(with_password)(boss))
    token = bearer(await Token.objects.acreate(user=boss))
    for path in (f"/ws/tables/{table}/", "/ws/lobby/"):
        assert [await closed_with(path, header) for header in (session, token)] == [4003, 4003]


async def test_sockets_open_for_players_and_for_staff_with_a_code() -> None:
    boss, table = await seated(is_staff=True)
    browser, _ = await sync_to_async(enrolled)(boss)
    token = await sync_to_async(two_factor.token_of)(boss)
    for path in (f"/ws/tables/{table}/", "/ws/lobby/"):
        assert [await closed_with(path, header) for header in (cookie(browser), bearer(token))] == [None, None]
    player = await sync_to_async(signed_up)("asha")
    session = cookie(await sync_to_async(with_password)(player))
    token = bearer(await Token.objects.acreate(user=player))
    assert [await closed_with("/ws/lobby/", header) for header in (session, token)] == [None, None]


async def test_sockets_of_new_staff_or_without_authenticator_close_at_the_next_beat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor, "BEAT", 0.02)
    boss, table = await seated(is_staff=True)
    browser, _ = await sync_to_async(enrolled)(boss)
    table_socket = await opened(f"/ws/tables/{table}/", cookie(browser))
    asha = await sync_to_async(signed_up)("asha")
    lobby_socket = await opened("/ws/lobby/", cookie(await sync_to_async(with_password)(asha)))
    await Authenticator.objects.filter(player=boss).aupdate(confirmed_at=None)
    await Player.objects.filter(pk=asha.pk).aupdate(is_staff=True)
    for socket in (table_socket, lobby_socket):
        while (message := await socket.receive_output())["type"] != "websocket.close":
            pass
        assert message["code"] == 4003
        await socket.disconnect()


async def test_a_verification_older_than_the_authenticator_opens_nothing() -> None:
    boss, table = await seated(is_staff=True)
    browser, _ = await sync_to_async(enrolled)(boss)

    def age() -> None:
        session = browser.session
        session[sessions.VERIFIED_AT] = int(time.time()) - 3600
        session.save()

    await sync_to_async(age)()
    assert await closed_with(f"/ws/tables/{table}/", cookie(browser)) == 4003
