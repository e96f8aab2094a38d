"""Every frame of both sockets, sent by everybody: the answers are those of `sockets.txt`, and no frame is unlisted.

`RUMMY_WRITE_MATRIX=1` rewrites the file; review the diff.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from rest_framework.authtoken.models import Token

from config import env
from config.asgi import application
from tables.log import reading
from tables.models import Table
from tables.play import protocol, services as play
from tables.play.opening import open_table
from tables.sockets import base, consumer
from tests.support.clock import Clock
from tests.support.sockets import PatientSocket
from tests.support.staff import STAFF, employ
from tests.support.table_sockets import HOST, player_with_token
from tests.support.tables import terms
from wallet.keys.api_tokens import token_text
from wallet.models import Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

FILE = Path(__file__).with_name("sockets.txt")
ROLES = ("anonymous", "watcher", *STAFF, "waits", "to move")
#: In this order: what ends the turn, the deal and the stay comes last.
FRAMES: dict[str, dict[str, Any]] = {
    "sync": {}, "ping": {}, "emote": {"emote": "smile"}, "skip": {}, "sort": {}, "arrange": {"groups": []},
    "auto_drop": {"on": False}, "client_seed": {"seed": "0" * 32}, "continue": {}, "add_chips": {"amount": 1},
    "rejoin": {"accept": True}, "offer_split": {}, "answer_split": {"accept": True}, "submit": {"groups": []},
    "discard": {"card": "2C1"},
    "finish": {"card": "2C1"}, "draw": {"pile": "closed"}, "drop": {}, "leave": {},
}  # fmt: skip


@pytest.fixture(autouse=True)
def sent() -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for limited in (consumer, base):
        monkeypatch.setattr(limited, "BURST", 1000)


@sync_to_async
def a_running_deal(clock: Clock) -> tuple[int, dict[str, str]]:
    """Return a table of two in play, and a token for everybody who may have one."""
    table = open_table(terms=terms(), title="Sockets", currency="FUN")
    keys, seated = {}, {}
    for name in ("asha", "bela"):
        user, key = player_with_token(name)
        seated[play.sit(table_id=table.pk, user=user).seat] = key
    clock.wait(10)
    play.tick(table_id=table.pk)
    deal = reading.latest_state(Table.objects.get(pk=table.pk)).deal
    assert deal is not None
    keys["to move"] = seated.pop(deal.order[0])
    (keys["waits"],) = seated.values()
    _, keys["watcher"] = player_with_token("chand")
    for role in STAFF:
        keys[role] = token_text(Token.objects.create(user=employ(role)))
    return table.pk, keys


async def answers(path: str, key: str, kinds: Sequence[str]) -> dict[str, str]:
    """Return the answer to each frame: its type, and the code of an error."""
    headers = [HOST, *([(b"authorization", f"Token {key}".encode())] if key else [(b"origin", b"http://play.example")])]
    socket = PatientSocket(application, path, headers=headers)
    await socket.connect()
    answers_by_frame = {}
    for kind in kinds:
        answers_by_frame[kind] = await answer(socket, kind, FRAMES[kind])
        if answers_by_frame[kind].startswith("closed"):
            return dict.fromkeys(kinds, answers_by_frame[kind])
    await socket.disconnect()
    return answers_by_frame


async def answer(socket: PatientSocket, kind: str, fields: dict[str, Any]) -> str:
    request = f"the {kind}"
    content = {"type": kind, **fields} | ({} if kind in ("sync", "ping") else {"id": request})
    await socket.send_to(text_data=json.dumps(content))
    expected = {"sync": "state", "ping": "pong"}.get(kind)
    for _ in range(100):
        message = await socket.receive_output()
        if message["type"] == "websocket.close":
            return f"closed {message['code']}"
        frame = json.loads(message["text"])
        if frame.get("id") == request or frame["type"] == expected:
            return str(frame.get("code") or frame["type"])
    return "none"


async def test_every_frame_of_the_table_socket_is_answered_to_each_role_as_the_list_says(clock: Clock) -> None:
    assert FRAMES.keys() == protocol._FIELDS.keys()
    table, keys = await a_running_deal(clock)
    *stays, leaves = FRAMES
    answers_by_role: dict[str, dict[str, str]] = {role: {} for role in ROLES}
    for kinds in (stays, [leaves]):
        for role in ROLES:
            answers_by_role[role] |= await answers(f"/ws/tables/{table}/", keys.get(role, ""), kinds)
    lines = [f"{'frame':14}{''.join(f'{role:16}' for role in ROLES)}".rstrip()]
    lines += [f"{kind:14}{''.join(f'{answers_by_role[role][kind]:16}' for role in ROLES)}".rstrip() for kind in FRAMES]
    text = "\n".join(lines) + "\n"
    if env.flag("RUMMY_WRITE_MATRIX"):
        await asyncio.to_thread(FILE.write_text, text)
    assert text == await asyncio.to_thread(FILE.read_text)


async def test_the_lobby_socket_answers_only_a_ping(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    _, keys = await a_running_deal(clock)
    before = await sync_to_async(_everything)()
    for role in ("anonymous", "watcher", "superuser", "to move"):
        headers = [HOST, *([(b"authorization", f"Token {keys[role]}".encode())] if role in keys else [])]
        socket = PatientSocket(application, "/ws/lobby/", headers=headers)
        connected, _ = await socket.connect()
        if not connected:
            continue
        await socket.receive_from()
        for kind in (*FRAMES.keys() - {"ping"}, "admin", "stake"):
            await socket.send_to(text_data=json.dumps({"type": kind, **FRAMES.get(kind, {})}))
        await socket.send_to(text_data='{"type":"ping"}')
        assert json.loads(await socket.receive_from())["type"] == "pong"
        await socket.disconnect()
    assert await sync_to_async(_everything)() == before


def _everything() -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*), MAX(version) FROM tables_event")
        return (*cursor.fetchone(), Transfer.objects.count())
