"""Readings of the stakes are shared by all who join at once, and changes are shown to some sockets at a time."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError

from config.asgi import application
from lobby.models import Stake
from lobby.stakes import consumers, selectors
from tables.sockets.batching import IN_ONE_GO
from tests.support.sockets import PatientSocket, until
from tests.support.stakes import StakeFactory
from tests.support.turns import longest_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio, pytest.mark.usefixtures("sent")]

JOINING = 50
HEADERS = [(b"host", b"testserver"), (b"origin", b"http://testserver")]


class Readings:
    """The readings of all stakes, counted; the next one waits before it ends until it is `let`."""

    def __init__(self, read: Callable[..., Any]) -> None:
        self._read = read
        self.begun = 0
        self.let = threading.Event()
        self.let.set()

    def __call__(self) -> Any:
        self.begun += 1
        found = self._read()
        assert self.let.wait(60)
        return found


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Readings:
    counted = Readings(selectors.offered)
    monkeypatch.setattr(selectors, "offered", counted)
    return counted


async def joined(changed: Sequence[Stake] = ()) -> PatientSocket:
    """Join the lobby; check that the stakes that have `changed` before are as they are now."""
    socket = PatientSocket(application, "/ws/lobby/", headers=HEADERS)
    assert (await socket.connect())[0]
    first = await socket.receive_json_from()
    assert first["type"] == "stakes"
    points = {stake["id"]: stake["point_value"] for stake in first["stakes"]}
    assert [points[stake.pk] for stake in changed] == [stake.point_value for stake in changed]
    return socket


async def change(stake: Stake) -> None:
    stake.point_value = (stake.point_value or 0) + 1
    await database_sync_to_async(stake.save)()


async def test_who_joins_at_once_shares_a_reading_that_shows_what_has_changed_before(readings: Readings) -> None:
    """A reading is under way when the stake changes: who joins after that gets none of it, but all get one together."""
    stake = await database_sync_to_async(StakeFactory)()
    readings.let.clear()
    first = asyncio.create_task(joined())
    await until(lambda: readings.begun == 1)
    await change(stake)
    others = [asyncio.create_task(joined([stake])) for _ in range(JOINING)]
    await until(lambda: len(consumers.push_of_this_loop()._readings._waiting) == JOINING)
    readings.let.set()
    sockets = [await first, *(await asyncio.gather(*others))]
    assert readings.begun == 2
    for socket in sockets:
        await socket.disconnect()


async def test_a_change_while_somebody_joins_is_shown_after_the_stakes_as_a_whole(readings: Readings) -> None:
    stake, earlier = await database_sync_to_async(StakeFactory)(), await joined()
    readings.let.clear()
    late = asyncio.create_task(joined())
    await until(lambda: readings.begun == 2)
    await change(stake)
    await consumers.push_of_this_loop().push({"type": "lobby.stake", "stake_id": stake.pk})
    assert (await earlier.receive_json_from())["stake"]["point_value"] == stake.point_value
    readings.let.set()
    assert (await (await late).receive_json_from())["stake"]["point_value"] == stake.point_value
    for socket in (earlier, await late):
        await socket.disconnect()


class Viewer:
    """A socket that notes in `happened` that it was shown something; it may break at that."""

    def __init__(self, happened: list[Any], *, breaks: bool = False) -> None:
        self._happened, self._breaks = happened, breaks

    async def show_changes(self, texts: Sequence[bytes]) -> None:
        self._happened.append(orjson.loads(texts[0])["stake"]["id"])
        if self._breaks:
            raise RuntimeError


async def test_others_get_their_turn_while_a_change_is_shown_to_many() -> None:
    stake, happened = await database_sync_to_async(StakeFactory)(), list[Any]()
    pushing, many = consumers.StakePush(), 3 * IN_ONE_GO
    viewers = [Viewer(happened, breaks=number == 1) for number in range(many)]
    for viewer in viewers:
        await pushing.add(viewer)
    await pushing.push({"type": "lobby.stake", "stake_id": stake.pk})
    assert await longest_run(happened, lambda: happened.count(stake.pk) == many) <= IN_ONE_GO
    for viewer in viewers:
        await pushing.discard(viewer)


async def test_a_change_that_could_not_be_read_is_shown_later(monkeypatch: pytest.MonkeyPatch) -> None:
    stake, happened = await database_sync_to_async(StakeFactory)(), list[Any]()
    pushing, viewer, read, failures = consumers.StakePush(), Viewer(happened), consumers._changes, [1, 2]

    def failing(stake_ids: Any) -> list[bytes]:
        if failures:
            raise OperationalError(failures.pop())
        return read(stake_ids)

    monkeypatch.setattr(consumers, "_changes", failing)
    monkeypatch.setattr(consumers, "RETRY_SECONDS", 0)
    await pushing.add(viewer)
    await pushing.push({"type": "lobby.stake", "stake_id": stake.pk})
    await until(lambda: happened == [stake.pk])
    assert not failures
    await pushing.discard(viewer)
