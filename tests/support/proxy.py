"""A proxy between clients and servers whose lines can be slow, silent or cut, while both ends think them open."""

import asyncio
import contextlib
import itertools
import socket
from collections.abc import Sequence

CHUNK = 64 * 1024


class Line:
    """One connection through the proxy. What it does to its bytes can be changed at any time."""

    def __init__(self, down: asyncio.StreamWriter, up: asyncio.StreamWriter) -> None:
        self._ends = (down, up)
        #: Seconds by which every piece is delayed.
        self.delay = 0.0
        #: Bytes a second that reach the client; 0 for no limit.
        self.throttle = 0
        #: The line is half-open: nothing passes, nothing closes.
        self.silent = False
        #: Answers of the server get lost; requests of the client arrive.
        self.deaf = False

    def cut(self) -> None:
        """Reset the connection at both ends."""
        self.silent, self.throttle = False, 0
        for end in self._ends:
            end.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, to_client: bool) -> None:
        """Carry all bytes of one direction, until it ends."""
        with contextlib.suppress(ConnectionError, OSError):
            while piece := await reader.read(CHUNK):
                if self.delay:
                    await asyncio.sleep(self.delay)
                while self.silent:
                    await asyncio.sleep(0.05)
                if to_client and self.deaf:
                    continue
                while to_client and self.throttle and piece:
                    writer.write(piece[: max(1, self.throttle // 4)])
                    piece = piece[max(1, self.throttle // 4) :]
                    await asyncio.sleep(0.25)
                writer.write(piece)
                await writer.drain()
        with contextlib.suppress(ConnectionError, OSError, RuntimeError):
            writer.close()


class Proxy:
    """A proxy on a port of its own that connects to the servers in turn and skips those that do not answer."""

    def __init__(self, servers: Sequence[int], *, receive_buffer: int = 0) -> None:
        self._servers = servers
        self._turn = itertools.count()
        self._receive_buffer = receive_buffer
        self.lines: list[Line] = []
        self.port = 0

    async def __aenter__(self) -> "Proxy":
        self._listening = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=CHUNK)
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        while self.lines:
            for line in self.lines:
                line.cut()
            await asyncio.sleep(0.05)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened = await self._reach()
        if opened is None:
            writer.transport.abort()
            return
        up_reader, up_writer = opened
        line = Line(writer, up_writer)
        self.lines.append(line)
        try:
            await asyncio.gather(
                line.carry(reader, up_writer, to_client=False), line.carry(up_reader, writer, to_client=True)
            )
        finally:
            self.lines.remove(line)

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        first = next(self._turn)
        for place in range(len(self._servers)):
            with contextlib.suppress(OSError):
                return await self._connect(self._servers[(first + place) % len(self._servers)])
        return None

    async def _connect(self, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        end = socket.socket()
        if self._receive_buffer:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._receive_buffer)
        end.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(end, ("127.0.0.1", port))
        except OSError:
            end.close()
            raise
        return await asyncio.open_connection(sock=end, limit=self._receive_buffer or CHUNK)
