"""Moves at human pace while something else goes on at the same platform: without it, and beside it, in turns.

People who play beside them have their turn last, since what they have begun goes on without them: first they come to
their tables, then they play.
"""

import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.utils import timezone

from tests.benchmarks.load import arena, people
from tests.benchmarks.load.clients import RummyTable, play
from tests.benchmarks.load.processes import Embedded, Production, by_kind, memory
from tests.support.platform import ROOT

#: Connections that sign in: two of three with names that nobody has at the API, the rest with right passwords.
CONNECTIONS = 60
#: Connections that ask for shared deals, one after the other.
READERS = 4
#: What is exported goes back so far.
_BACK = timedelta(days=10)
#: Turns that play alone and play beside the others take.
_TURNS = 3
#: Seconds between two looks at the memory of the web processes.
_LOOK = 0.2
_TOKEN = "x" * 32
_PASSWORD = "thirteen quiet cards"
#: Makes the accounts whose passwords are right; they share one hash.
_ACCOUNTS = f"""
from django.contrib.auth.hashers import make_password
from lobby.models import Player
hashed = make_password({_PASSWORD!r})
for number in range({CONNECTIONS}):
    Player.objects.create(username=f"flood{{number}}", password=hashed)
print("[]")
"""
#: Plays tables out until there are so many transfers; shares the deals, and prints the addresses.
_PLAYED = """
import json
from django.urls import reverse
from lobby.models import Player
from tables.history.sharing import share_deal
from tables.models import Deal, ServerHeartbeat
from tests.benchmarks._playing import play
# By the clock of that play it would lie in the future, and no clock would run out.
ServerHeartbeat.objects.all().delete()
play({count})
user = Player.objects.get(username="player0")
deals = Deal.objects.filter(status="over").values_list("pk", flat=True)
shares = [share_deal(user, deal, names_hidden=False) for deal in deals]
print(json.dumps([reverse("tables:shared", args=[share.token]) for share in shares]))
"""
#: Does it once more, and counts how it ended.
_Once = Callable[[], Coroutine[Any, Any, str]]


def prepare(installation: Production | Embedded, what: str, count: int) -> list[str]:
    """Make what it needs: accounts, or `count` transfers of real play; return the addresses of shared deals."""
    code = _ACCOUNTS if what == "sign-in" else _PLAYED.format(count=count)
    # What is played out was played days ago: nobody is to run out its clocks.
    for process in installation.processes.values():
        process.send_signal(signal.SIGSTOP)
    try:
        made = installation.manage("shell", "--no-imports", "-c", code, patience=3_600)
    finally:
        for process in installation.processes.values():
            process.send_signal(signal.SIGCONT)
    assert made.returncode == 0, made.stderr
    return list(json.loads(made.stdout.splitlines()[-1]))


def _loops(installation: Production | Embedded, what: str, addresses: Sequence[str]) -> list[_Once]:
    """Return what goes on without end, side by side."""
    ports = installation.ports
    if what == "sign-in":
        return [partial(_sign_in, ports[number % len(ports)], number, Counter()) for number in range(CONNECTIONS)]
    if what == "shared-deal":
        requests = [_request("GET", address) for address in addresses]
        return [partial(_ask, ports[each % len(ports)], requests[each % len(requests)]) for each in range(READERS)]
    if what == "audit":
        return [partial(_command, installation, "audit_ledger")]
    first, last = ((timezone.now() + by).date().isoformat() for by in (-_BACK, timedelta(days=1)))
    options = ["--format", "csv", "--from", first, "--to", last, "--out", str(installation.data / "ledger.csv")]
    return [partial(_command, installation, "export_ledger", *options)]


async def beside(
    installation: Production | Embedded,
    tables: Sequence[RummyTable],
    seconds: float,
    interval: float,
    what: str,
    addresses: Sequence[str],
) -> dict[str, Any]:
    """Return the times of moves without and beside `what`, how its works ended, and the web's memory in bytes."""
    times, kinds = tables[0].times, by_kind(installation)
    taken: dict[str, list[float]] = {"alone": [], "beside": []}
    ends: Counter[str] = Counter()
    most = memory(kinds)["web"]

    async def look() -> None:
        nonlocal most
        while True:
            most = max(most, memory(kinds)["web"])
            await asyncio.sleep(_LOOK)

    async def go_on(once: _Once) -> None:
        while True:
            ends[await once()] += 1

    for name in [name for _ in range(_TURNS) for name in taken]:
        times.own.clear()
        others = [asyncio.create_task(look())]
        if name == "beside":
            others += [asyncio.create_task(go_on(once)) for once in _loops(installation, what, addresses)]
        await play(tables, seconds / _TURNS / 2, interval=interval, on_measuring=lambda sign: None)
        taken[name] += times.own
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
    return {"own": taken, "ends": dict(ends), "memory": most, "refused": dict(times.refused), "stuck": times.stuck}


async def beside_people(
    installation: Production | Embedded,
    tables: Sequence[RummyTable],
    seconds: float,
    others: people.Apart,
    interval: float,
) -> dict[str, Any]:
    """Return the times of moves alone, while these people come to their tables, and while they play there."""
    times, own, most = tables[0].times, dict[str, list[float]](), 0

    def begin(sign: int) -> None:
        """Let it begin with the first moves that are measured."""
        if sign < 0:
            others.begin()

    for name in ("alone", "start", "beside"):
        if name == "start":
            await others.wait_in_lobby()
        arena.tell(f"moves {name}")
        times.own.clear()
        on_measuring = begin if name == "start" else lambda sign: None
        await play(tables, seconds / _TURNS, interval=interval, on_measuring=on_measuring)
        own[name] = list(times.own)
        most = max(most, memory(by_kind(installation))["web"])
    ends = await others.end()
    return {"own": own, "ends": ends, "memory": most, "refused": dict(times.refused), "stuck": times.stuck}


async def _command(installation: Production | Embedded, *command: str) -> str:
    """Run the management command; return how it ended."""
    Path(installation.data, "ledger.csv").unlink(missing_ok=True)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "manage.py", *command),
        cwd=ROOT,
        env=installation.environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        return str(await process.wait())
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _ask(port: int, request: bytes) -> str:
    """Send the request; return the status of the answer."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        await asyncio.sleep(0.1)
        return "refused"
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n")
        await reader.read()
        return head.split()[1].decode()
    except (OSError, asyncio.IncompleteReadError):
        return "cut off"
    finally:
        writer.close()


async def _sign_in(port: int, number: int, tries: Counter[int]) -> str:
    tries[number] += 1
    return await _ask(port, _right(number) if number % 3 == 0 else _wrong(number, tries[number]))


def _wrong(number: int, tries: int) -> bytes:
    body = json.dumps({"username": f"nobody{number}x{tries}", "password": _PASSWORD}).encode()
    return _request("POST", "/api/auth/token/", b"application/json", body)


def _right(number: int) -> bytes:
    body = f"csrfmiddlewaretoken={_TOKEN}&username=flood{number}&password={_PASSWORD}".replace(" ", "+").encode()
    return _request("POST", "/login/", b"application/x-www-form-urlencoded", body)


def _request(method: str, path: str, content_type: bytes = b"text/plain", body: bytes = b"") -> bytes:
    return (
        b"%b %b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        b"Cookie: __Host-csrftoken=%b; csrftoken=%b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b"
        % (method.encode(), path.encode(), _TOKEN.encode(), _TOKEN.encode(), content_type, len(body), body)
    )
