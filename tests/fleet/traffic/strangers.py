"""Clients that do not play: idle sockets up to the cap, handshakes without end, unfinished requests, a slow reader."""

import asyncio
import contextlib
import itertools
import socket
import time
from collections import Counter
from typing import Any

import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

#: Where they come from: an address of its own, so that caps for an address do not meet the players.
ADDRESS = "127.0.0.2"
#: Handshakes at one time while the cap is being reached, and a second once it is.
AT_ONCE, HANDSHAKES = 20, 20.0


class IdleSockets:
    """Lobby sockets, opened at each port until no more are accepted, and attempts at more."""

    def __init__(self, ports: list[int], most: int) -> None:
        self._ports, self._most = ports, most
        self._lines: list[Any] = []
        self.refused: Counter[str] = Counter()

    @property
    def open(self) -> int:
        return sum(line.state.name == "OPEN" for line in self._lines)

    @property
    def closed(self) -> Counter[str]:
        """Return how many sockets the server closed, by code."""
        return Counter(str(line.close_code) for line in self._lines if line.state.name == "CLOSED")

    async def fill(self) -> None:
        """Open sockets until every port refuses more, or has `most`."""
        await asyncio.gather(*(self._fill(port) for port in self._ports))

    async def keep_connecting(self) -> None:
        """Attempt KNOCKS handshakes a second, one after the other, until cancelled."""
        for port in itertools.cycle(self._ports):
            await self._enter(port)
            await asyncio.sleep(1 / HANDSHAKES)

    async def leave(self) -> None:
        for line in self._lines:
            line.transport.abort()
        self._lines.clear()
        await asyncio.sleep(0)

    async def _fill(self, port: int) -> None:
        full = 0
        for _ in range(0, self._most, AT_ONCE):
            entered = await asyncio.gather(*(self._enter(port) for _ in range(AT_ONCE)))
            full = full + 1 if not any(entered) else 0
            if full > 2:
                return

    async def _enter(self, port: int) -> bool:
        try:
            line = await websockets.connect(
                f"ws://127.0.0.1:{port}/ws/lobby/", local_addr=(ADDRESS, 0), compression=None, ping_interval=None,
                origin=f"http://127.0.0.1:{port}", open_timeout=30, max_queue=None,
            )  # fmt: skip
        except InvalidStatus as refusal:
            self.refused[str(refusal.response.status_code)] += 1
        except (OSError, InvalidHandshake, TimeoutError) as fault:
            self.refused[type(fault).__name__] += 1
        else:
            self._lines.append(line)
            return True
        return False


class UnfinishedRequests:
    """Connections that send a byte of a request's head now and then."""

    def __init__(self, ports: list[int], number: int) -> None:
        self._ports, self._number = ports, number
        self.ended: list[float] = []

    async def trickle(self) -> None:
        """Send bytes until cancelled; reconnect when cut off."""
        await asyncio.gather(*(self._one(self._ports[each % len(self._ports)]) for each in range(self._number)))

    async def _one(self, port: int) -> None:
        while True:
            began = time.monotonic()
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0))
                try:
                    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
                    while not reader.at_eof():
                        writer.write(b"a")
                        await writer.drain()
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(reader.read(1), 1)
                finally:
                    writer.transport.abort()
            self.ended.append(time.monotonic() - began)
            await asyncio.sleep(0.1)


async def read_slowly(address: str, table: int, headers: dict[str, str], seconds: float) -> None:
    """Request states and read a byte of them a second, for `seconds` or until the connection is cut."""
    port = int(address.rsplit(":", 1)[1])
    end = socket.socket()
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    end.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(end, ("127.0.0.1", port))
    give_up = time.monotonic() + seconds
    with contextlib.suppress(OSError, ConnectionClosed):
        await loop.sock_sendall(end, _handshake(table, port, headers))
        await loop.sock_recv(end, 12)
        while time.monotonic() < give_up:
            await loop.sock_sendall(end, _frame(b'{"type":"sync"}') * 5)
            await loop.sock_recv(end, 1)
            await asyncio.sleep(1)
    end.close()


def _handshake(table: int, port: int, headers: dict[str, str]) -> bytes:
    lines = [
        f"GET /ws/tables/{table}/ HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode()


def _frame(text: bytes) -> bytes:
    """Return a masked text frame; a mask of zeros leaves the text as it is."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
