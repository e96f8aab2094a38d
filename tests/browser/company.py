"""The others at the table: socket players who play their parts beside a browser."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.live.client import Player
from tests.live.strategies import Part, View, match_is_over, perform


class Company:
    """Sits down at a stake and plays in a thread of its own; `views` waits for the end."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.thread = ThreadPoolExecutor(max_workers=1)
        self.playing: Future[list[View]] | None = None

    def join(self, title: str, parts: Sequence[Part], done: Any = match_is_over, **wish: Any) -> None:
        """As many new players as there are parts sit at the stake of this title, in the order of the parts."""
        self.playing = self.thread.submit(lambda: asyncio.run(self._play(title, parts, done, wish)))

    async def _play(self, title: str, parts: Sequence[Part], done: Any, wish: dict[str, Any]) -> list[View]:
        players = [Player(self.address) for _ in parts]
        for player in players:
            await player.sign_up()
        stakes = (await players[0].get("/api/lobby/"))["stakes"]
        stake = next(stake["id"] for stake in stakes if stake["title"] == title)
        tables = [(await player.post(f"/api/stakes/{stake}/seats/", **wish))["table"] for player in players]

        async def play(player: Player, table: int, part: Part) -> View:
            async with player.at(table):
                return await perform(player, part, done)

        return list(await asyncio.gather(*(play(*each) for each in zip(players, tables, parts, strict=True))))

    def views(self) -> list[View]:
        """The last view of each, once all have played their parts; raises what went wrong for any of them."""
        assert self.playing is not None
        return self.playing.result(timeout=60)

    def stop(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)
