"""A bare socket that returns what it was sent: the floor of every time measured beside it."""

import asyncio
import sys
from contextlib import suppress

import websockets
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


async def _give_back(connection: ServerConnection) -> None:
    with suppress(ConnectionClosed):
        async for text in connection:
            await connection.send(text)


async def _serve(port: int) -> None:
    async with serve(_give_back, "127.0.0.1", port, compression=None):
        await asyncio.Event().wait()


async def trips(port: int, times: list[float], every: float = 0.05) -> None:
    """Measure round trips in milliseconds, until cancelled."""
    async with websockets.connect(f"ws://127.0.0.1:{port}", compression=None) as line:
        while True:
            began = asyncio.get_running_loop().time()
            await line.send('{"type":"ping"}')
            await line.recv()
            times.append((asyncio.get_running_loop().time() - began) * 1000)
            await asyncio.sleep(every)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
