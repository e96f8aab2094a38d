"""Sockets of tables in tests."""

import json
from typing import Any

from rest_framework.authtoken.models import Token

from config.asgi import application
from tests.support.players import signed_up
from tests.support.sockets import PatientSocket
from wallet.keys.api_tokens import token_text

HOST = (b"host", b"play.example")


def player_with_token(name: str) -> tuple[Any, str]:
    user = signed_up(name)
    return user, token_text(Token.objects.create(user=user))


def table_socket(table: int, key: str = "", *headers: tuple[bytes, bytes]) -> PatientSocket:
    token = [(b"authorization", f"Token {key}".encode())] if key else []
    return PatientSocket(application, f"/ws/tables/{table}/", headers=[HOST, *token, *headers])


async def opened(table: int, key: str) -> tuple[PatientSocket, dict[str, Any]]:
    one = table_socket(table, key)
    assert (await one.connect())[0]
    return one, await frame_of(one, "state")


async def frame_of(one: PatientSocket, kind: str) -> dict[str, Any]:
    for _ in range(200):
        frame = json.loads(await one.receive_from())
        if frame["type"] == kind:
            return dict(frame)
    raise AssertionError(f"no {kind} frame came")
