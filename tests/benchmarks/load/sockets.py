"""A WebSocket client of few instructions, since its own cost is lost to the platform that is measured beside it."""

import asyncio
import struct
from collections.abc import Callable

#: Opcodes of RFC 6455, section 5.2.
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)
#: Seconds that a server may take to answer a handshake.
PATIENCE = 60


async def connect(port: int, path: str, token: str, on_text: Callable[[bytes], None]) -> "Socket":
    """Return an open socket of the holder of `token`; ConnectionError if the server refuses it."""
    more = f"Authorization: Token {token}\r\n" if token else ""
    request = _HANDSHAKE.format(path=path, host=f"127.0.0.1:{port}", more=more)
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(lambda: Socket(request.encode(), on_text), "127.0.0.1", port)
    await asyncio.wait_for(socket.opened, PATIENCE)
    return socket


class Socket(asyncio.Protocol):
    """Client socket that passes every text to `on_text`, answers pings, and keeps the close code."""

    transport: asyncio.Transport

    def __init__(self, request: bytes, on_text: Callable[[bytes], None]) -> None:
        self.opened = asyncio.get_running_loop().create_future()
        self.closed: int | None = None
        self._request, self._on_text = request, on_text
        self._buffer = bytearray()

    def send(self, payload: bytes, opcode: int = _TEXT) -> None:
        size = len(payload)
        # A mask of zeros is a mask, and costs nothing.
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size) if size < 126 else struct.pack(
            "!BBH", 0x80 | opcode, 0x80 | 126, size
        )  # fmt: skip
        self.transport.write(head + b"\0\0\0\0" + payload)

    def abort(self) -> None:
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._request)

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = self.closed or 1006
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(f"the handshake was cut off: {error}"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self.opened.done() or self._shake_hands():
            while (frame := self._next_frame()) is not None:
                self._take(*frame)

    def _shake_hands(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        if b" 101 " not in self._buffer[:20]:
            self.opened.set_exception(ConnectionError(bytes(self._buffer[:200]).decode(errors="replace")))
            return False
        del self._buffer[: end + 4]
        self.opened.set_result(True)
        return True

    def _next_frame(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        size, start = buffer[1] & 127, 2
        if size > 125:
            width = 2 if size == 126 else 8
            start += width
            if len(buffer) < start:
                return None
            size = int.from_bytes(buffer[2:start], "big")
        if len(buffer) < start + size:
            return None
        frame = buffer[0] & 15, bytes(buffer[start : start + size])
        del buffer[: start + size]
        return frame

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == _TEXT:
            self._on_text(payload)
        elif opcode == _PING:
            self.send(payload, _PONG)
        elif opcode == _CLOSE:
            self.closed = int.from_bytes(payload[:2], "big")
            self.transport.close()
