"""A socket ends with the credential that opened it, even if no push arrives, and sends nothing more."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone
from rest_framework.authtoken.models import Token

from config.asgi import application
from tables.models import LoggedEvent, Table
from tables.play import services as play
from tables.play.opening import open_table
from tables.sockets import credentials, looks
from tests.support.players import signed_up
from tests.support.sockets import PatientSocket, looks_at_most
from tests.support.tables import terms
from wallet.keys.api_tokens import number, token_text
from wallet.keys.models import StoredSession

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

HOST, ORIGIN = (b"host", b"testserver"), (b"origin", b"http://testserver")

Revoke = Callable[[Any, Client], Any]


def sign_out(user: Any, client: Client) -> None:
    client.post("/logout/")
    assert not StoredSession.objects.exists()


def by_session(user: Any, client: Client) -> tuple[bytes, bytes]:
    client.force_login(user)
    return (b"cookie", f"sessionid={client.session.session_key}".encode())


def by_token(user: Any, client: Client) -> tuple[bytes, bytes]:
    return (b"authorization", f"Token {token_text(Token.objects.create(user=user))}".encode())


def new_password(user: Any, client: Client) -> None:
    user.set_password("quite another one")
    user.save()


REVOKED: dict[str, tuple[Any, Revoke]] = {
    "signed out": (by_session, sign_out),
    "session deleted": (by_session, lambda user, client: StoredSession.objects.all().delete()),
    "session expired": (
        by_session,
        lambda user, client: StoredSession.objects.update(expire_date=timezone.now() - timedelta(seconds=1)),
    ),
    "password changed": (by_session, new_password),
    "locked in bulk": (by_session, lambda user, client: type(user).objects.filter(pk=user.pk).update(is_active=False)),
    "token revoked": (by_token, lambda user, client: Token.objects.all().delete()),
    "locked, with a token": (by_token, lambda user, client: type(user).objects.update(is_active=False)),
}


@pytest.fixture(autouse=True)
def sent() -> None:
    """Break the channel layer: no push goes through."""


@pytest.fixture(autouse=True)
def dead_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.play.broadcast.send", lambda group, message: None)


@sync_to_async
def admitted(how: Any) -> tuple[Any, Client, Table, tuple[bytes, bytes]]:
    user = signed_up("asha")
    table = open_table(terms=terms(), title="Passes", currency="FUN")
    play.sit(table_id=table.pk, user=user)
    client = Client()
    return user, client, table, how(user, client)


def socket(path: str, header: tuple[bytes, bytes]) -> PatientSocket:
    return PatientSocket(application, path, headers=[HOST, ORIGIN, header])


async def closing(one: PatientSocket) -> tuple[int, list[dict[str, Any]]]:
    """Return the code that closes the socket, and the frames before it."""
    frames: list[dict[str, Any]] = []
    while (output := await one.receive_output())["type"] != "websocket.close":
        frames.append(json.loads(output["text"]))
    return output["code"], frames


@pytest.mark.parametrize("case", REVOKED)
@pytest.mark.parametrize("path", ["/ws/tables/{}/", "/ws/lobby/"])
async def test_a_void_pass_closes_the_socket_within_two_looks(
    case: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case != "signed out":
        monkeypatch.setattr("tables.sockets.monitor.BEAT", 0.1)
    how, revoke = REVOKED[case]
    user, client, table, header = await admitted(how)
    one = socket(path.format(table.pk), header)
    assert (await one.connect())[0]
    await one.receive_from()
    await sync_to_async(revoke)(user, client)
    with looks_at_most(2):
        assert (await closing(one))[0] == 4003
    await sync_to_async(play.sit)(table_id=table.pk, user=await another())
    assert await one.receive_nothing(0.2), "not a word after that"


@pytest.mark.parametrize("case", REVOKED)
async def test_the_very_next_move_is_refused(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.sockets.monitor.BEAT", 60)
    how, revoke = REVOKED[case]
    user, client, table, header = await admitted(how)
    one = socket(f"/ws/tables/{table.pk}/", header)
    assert (await one.connect())[0]
    await one.receive_from()
    before = await LoggedEvent.objects.acount()
    await sync_to_async(revoke)(user, client)
    await one.send_to('{"type":"leave","id":"late"}')
    code, frames = await closing(one)
    assert (code, frames) == (4003, [])
    assert await LoggedEvent.objects.acount() == before
    await one.disconnect()


async def test_a_view_is_refused_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.sockets.monitor.BEAT", 60)
    user, client, table, header = await admitted(by_session)
    one = socket(f"/ws/tables/{table.pk}/", header)
    assert (await one.connect())[0]
    await one.receive_from()
    await sync_to_async(sign_out)(user, client)
    await one.send_to('{"type":"sync"}')
    assert await closing(one) == (4003, [])
    await one.disconnect()


@sync_to_async
def another() -> Any:
    return signed_up("ravi")


async def test_a_pass_holds_for_its_owner_alone_and_while_nothing_has_happened() -> None:
    user, client, _, _ = await admitted(by_session)
    token = number((await Token.objects.acreate(user=user)).key)
    mine = (
        credentials.Credential(user.pk, session=client.session.row_key),
        credentials.Credential(user.pk, token=token),
    )
    stolen = (
        credentials.Credential(user.pk + 1, session=client.session.row_key),
        credentials.Credential(user.pk + 1, token=token),
    )
    empty = credentials.Credential(user.pk)
    await another()
    good = await sync_to_async(credentials.still_valid)([*mine, *stolen, empty])
    assert good == set(mine)


@sync_to_async
def clock_and_version(user: Any, token: str) -> tuple[bool, bool, list[bool]]:
    known, calls = credentials.CredentialCache(), list[bool]()

    def valid() -> Mapping[credentials.Credential, credentials.Evidence]:
        passes = frozenset({credentials.Credential(user.pk, token=token)})
        return known.valid_among(passes, looks.look({}, credentials.keys_of(passes)).digest)

    first = valid()
    unlooked = valid() is first
    user.is_staff = True
    user.save()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credentials, "_requirements", [lambda *_: calls.append(True) or len(calls) < 3])
        stays = [bool(valid()) for _ in range(3)]
    user.is_active = False
    user.save()
    return unlooked, bool(valid()), stays


async def test_unchanged_tables_are_not_read_again_except_for_staff() -> None:
    user, _, _, _ = await admitted(by_session)
    token = number((await Token.objects.acreate(user=user)).key)
    assert await clock_and_version(user, token) == (True, False, [True, True, False])
