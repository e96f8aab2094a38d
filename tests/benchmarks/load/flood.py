"""People who sign in without end while others play: moves without them, and beside them, in turns."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.benchmarks.load.clients import RummyTable, play
from tests.benchmarks.load.processes import Embedded, Production, by_kind, memory

#: Connections that sign in: two of three with names that nobody has at the API, the rest with right passwords.
CONNECTIONS = 60
#: Turns that play alone and play beside the sign-ins take.
_TURNS = 3
#: Seconds between two looks at the memory of the web processes.
_LOOK = 0.2
#: Seconds between two moves of a table: a quick pace, for a p99 that tells something.
_PACE = 0.5
_TOKEN = "x" * 32
_PASSWORD = "thirteen quiet cards"
#: Makes the accounts whose passwords are right; they share one hash.
ACCOUNTS = f"""
from django.contrib.auth.hashers import make_password
from lobby.models import Player
hashed = make_password({_PASSWORD!r})
for number in range({CONNECTIONS}):
    Player.objects.create(username=f"flood{{number}}", password=hashed)
"""


async def beside(installation: Production | Embedded, tables: Sequence[RummyTable], seconds: float) -> dict[str, Any]:
    """Return the times of moves with and without sign-ins, their answers by status, and the web's memory in bytes."""
    times, kinds = tables[0].times, by_kind(installation)
    taken: dict[str, list[float]] = {"alone": [], "beside": []}
    statuses: Counter[str] = Counter()
    most = memory(kinds)["web"]

    async def look() -> None:
        nonlocal most
        while True:
            most = max(most, memory(kinds)["web"])
            await asyncio.sleep(_LOOK)

    for _ in range(_TURNS):
        for name, own in taken.items():
            times.own.clear()
            others = [asyncio.create_task(look())]
            if name == "beside":
                others += [
                    asyncio.create_task(
                        _sign_in_for_ever(installation.ports[number % len(installation.ports)], number, statuses)
                    )
                    for number in range(CONNECTIONS)
                ]
            await play(tables, seconds / _TURNS / 2, interval=_PACE, on_measuring=lambda sign: None)
            own += times.own
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
    return {
        "own": taken,
        "answers": dict(statuses),
        "memory": most,
        "refused": dict(times.refused),
        "stuck": times.stuck,
    }


async def _sign_in_for_ever(port: int, number: int, statuses: Counter[str]) -> None:
    tries = 0
    while True:
        tries += 1
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            statuses["refused"] += 1
            await asyncio.sleep(0.1)
            continue
        try:
            writer.write(_right(number) if number % 3 == 0 else _wrong(number, tries))
            head = await reader.readuntil(b"\r\n")
            await reader.read()
            statuses[head.split()[1].decode()] += 1
        except (OSError, asyncio.IncompleteReadError):
            statuses["cut off"] += 1
        finally:
            writer.close()


def _wrong(number: int, tries: int) -> bytes:
    body = json.dumps({"username": f"nobody{number}x{tries}", "password": _PASSWORD}).encode()
    return _request(b"/api/auth/token/", b"application/json", body)


def _right(number: int) -> bytes:
    body = f"csrfmiddlewaretoken={_TOKEN}&username=flood{number}&password={_PASSWORD}".replace(" ", "+").encode()
    return _request(b"/login/", b"application/x-www-form-urlencoded", body)


def _request(path: bytes, content_type: bytes, body: bytes) -> bytes:
    return (
        b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: __Host-csrftoken=%b; csrftoken=%b\r\n"
        b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n%b"
        % (path, _TOKEN.encode(), _TOKEN.encode(), content_type, len(body), body)
    )
