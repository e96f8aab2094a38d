"""A turn at a table of two: a draw and a discard, each one transaction and one frame for every socket.

Two floors stand beside it, measured in turns with it: the same transactions without the game (the same lock, rows and
bytes), and the same sockets on a bare consumer that only relays the same texts.
"""

import asyncio
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from celery import current_app
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import channel_layers, get_channel_layer
from channels.testing import WebsocketCommunicator
from channels_redis.pubsub import RedisPubSubChannelLayer
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from rest_framework.authtoken.models import Token

from config.asgi import application
from config.layers import PushLayer
from rules.game.state import Terms
from tables.models import Answer, LoggedEvent, Seating, Table
from tables.play import presence, protocol, services as play, store
from tables.play.opening import open_table
from tests.benchmarks.ledger import scratch_database
from tests.support import connections
from tests.support.tables import play_move
from wallet.keys.api_tokens import token_text
from wallet.play_money.services import open_wallet

#: Sockets that receive every frame of the table.
SOCKETS = 6
#: Seconds that an answer may take on a busy machine.
PATIENCE = 30


def measure(count: int = 300) -> dict[str, Any]:
    """Return milliseconds of `count` moves, and of a frame to six sockets, beside their floors."""
    with scratch_database(), apart():
        table_id = _running_table()
        pairs = [
            (_timed(_move, table_id, number), _timed(_bare_transaction, table_id, number)) for number in range(count)
        ]
        frame = presence.current_frame(table_id=table_id, user_id=_users(table_id)[0]).text
        pushes, relays = asyncio.run(_sockets(table_id, frame, count))
    moves, transactions = (sorted(times) for times in zip(*pairs, strict=True))
    return {
        "what": "a move of a table of two through services, rules and database",
        "unit": "ms",
        "count": count,
        **_figures(moves),
        "floor": {"what": "the same transaction without the game", **_figures(transactions)},
        "more": [
            {
                "what": f"a move until {SOCKETS} watching sockets have their frame",
                "unit": "ms",
                "count": count,
                **_figures(sorted(pushes)),
                "floor": {
                    "what": f"a frame of {len(frame)} bytes relayed by a bare consumer to as many sockets",
                    **_figures(sorted(relays)),
                },
            }
        ],
    }


@contextmanager
def apart() -> Iterator[None]:
    """Keep pushes and nudges of the block to this process, though others may use the same Redis."""
    configured = settings.CHANNEL_LAYERS["default"]
    before, broker = channel_layers.backends.get("default"), current_app.conf.broker_url
    if "hosts" in configured.get("CONFIG", {}):
        own = {**configured["CONFIG"], "prefix": f"bench-{secrets.token_hex(8)}"}
        channel_layers.set("default", Echoing(**own))
    current_app.conf.broker_url = "memory://localhost//"
    try:
        yield
    finally:
        current_app.conf.broker_url = broker
        channel_layers.backends.pop("default", None)
        if before is not None:
            channel_layers.set("default", before)


def _figures(times: list[float]) -> dict[str, float]:
    shares = {"median": 0.5, "p95": 0.95, "p99": 0.99}
    return {name: round(times[int(len(times) * share)], 3) for name, share in shares.items()}


def _timed(call: Any, *arguments: Any) -> float:
    start = perf_counter()
    call(*arguments)
    return (perf_counter() - start) * 1000


def _running_table() -> int:
    terms = Terms(book="standard-points", book_version=1, seats=2, point_value=1, minimum=80, fee_percent=10)
    table = open_table(terms=terms, title="Bench", currency="FUN")
    for name in ("one", "two"):
        user = get_user_model().objects.create_user(username=name, password=None)
        open_wallet(user)
        play.sit(table_id=table.pk, user=user)
        connections.connect(table_id=table.pk, user_id=user.pk, connection=name)
    _deal(table.pk)
    return int(table.pk)


def _deal(table_id: int) -> None:
    """Deal as soon as the clock that runs is over, however long ago it was set."""
    real, deadline = store.now_ms, Table.objects.get(pk=table_id).deadline_ms
    assert deadline is not None
    try:
        store.now_ms = lambda: deadline
        play.tick(table_id=table_id)
    finally:
        store.now_ms = real


def _users(table_id: int) -> list[int]:
    return list(Seating.objects.filter(table_id=table_id).order_by("seat").values_list("user_id", flat=True))


def _move(table_id: int, number: int) -> None:
    turn = store.read_table(table_id).state.current.turn
    assert turn is not None
    seating = Seating.objects.get(table_id=table_id, seat=turn.seat, freed_at=None)
    content = {"type": "draw", "pile": "closed"} if turn.drawn is None else {"type": "discard", "card": turn.drawn}
    frame = protocol.read_frame({**content, "id": f"m{number}"})
    assert seating.user_id is not None
    answer = play_move(table_id=table_id, user_id=seating.user_id, connection=seating.connection, frame=frame)
    assert answer["type"] == "ack", answer


def _bare_transaction(table_id: int, number: int) -> None:
    """Make one lock, two events, one changed row and one answer, of the size that a move writes."""
    with transaction.atomic():
        row = Table.objects.select_for_update().get(pk=table_id)
        seating = Seating.objects.filter(table_id=table_id).first()
        version = 1_000_000 + number
        events = [
            LoggedEvent(table=row, version=version, number=each, kind="bare", at_ms=0, payload=b"x" * 300)
            for each in (0, 1)
        ]
        LoggedEvent.objects.bulk_create(events)
        Answer.objects.create(seating=seating, request_id=f"bare{number}", answer={"type": "ack"})
        Table.objects.filter(pk=table_id).update(deadline_ms=row.deadline_ms)


class Echoing(PushLayer):
    """The platform's channel layer, but with what comes back to its own process: the bare relay lives on that."""

    def deserialize(self, message: bytes) -> Mapping[str, Any]:
        received: Mapping[str, Any] = RedisPubSubChannelLayer.deserialize(self, message)
        return received


class Relay(AsyncWebsocketConsumer):  # type: ignore[misc]
    async def connect(self) -> None:
        await self.channel_layer.group_add("bench", self.channel_name)
        await self.accept()

    async def relay(self, message: dict[str, Any]) -> None:
        await self.send(message["text"])


async def _sockets(table_id: int, frame: str, count: int) -> tuple[list[float], list[float]]:
    """Return milliseconds from a move to its frame at every watcher, and of the same text through the bare relay."""
    watchers = [await _watcher(table_id, number) for number in range(SOCKETS)]
    bare = [WebsocketCommunicator(Relay.as_asgi(), "/") for _ in range(SOCKETS)]
    for each in bare:
        await each.connect(timeout=PATIENCE)
    layer = get_channel_layer()
    assert layer is not None
    pushes, relays = [], []
    for number in range(count):
        start = perf_counter()
        await database_sync_to_async(_move)(table_id, count + number)
        await asyncio.gather(*(each.receive_from(timeout=PATIENCE) for each in watchers))
        pushes.append((perf_counter() - start) * 1000)
        start = perf_counter()
        await layer.group_send("bench", {"type": "relay", "text": frame})
        await asyncio.gather(*(each.receive_from(timeout=PATIENCE) for each in bare))
        relays.append((perf_counter() - start) * 1000)
    for each in (*watchers, *bare):
        await each.disconnect(timeout=PATIENCE)
    return pushes, relays


async def _watcher(table_id: int, number: int) -> WebsocketCommunicator:
    user = await get_user_model().objects.acreate(username=f"watcher{number}")
    token = await Token.objects.acreate(user=user)
    host = settings.ALLOWED_HOSTS[0].replace("*", "bench").lstrip(".")
    headers = [(b"host", host.encode()), (b"authorization", f"Token {token_text(token)}".encode())]
    watcher = WebsocketCommunicator(application, f"/ws/tables/{table_id}/", headers=headers)
    connected, code = await watcher.connect(timeout=PATIENCE)
    assert connected, f"the platform let no watcher in: {code}"
    await watcher.receive_from(timeout=PATIENCE)
    return watcher
