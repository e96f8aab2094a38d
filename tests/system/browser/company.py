"""The other players at the table: socket players who play their parts beside a browser."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from tests.support.client import PASSWORD, Player
from tests.support.platform import Platform
from tests.support.strategies import Part, View, match_is_over, perform

#: Accounts with their tokens, made beside the site: it lets one address sign in only so often in a minute.
ACCOUNTS = """
from rest_framework.authtoken.models import Token

from wallet.keys.api_tokens import token_text
from lobby.accounts import services as accounts
for name in {names}:
    print(token_text(Token.objects.create(user=accounts.sign_up(username=name, password={password!r}))))
"""


class Company:
    """Players who sit down at a stake and play in a thread of their own; `views` waits for the end."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.thread = ThreadPoolExecutor(max_workers=1)
        self.playing: Future[list[View]] | None = None

    def join(self, title: str, parts: Sequence[Part], done: Any = match_is_over, **wish: Any) -> None:
        """Seat a new player for each part at the stake of this title, in the order of the parts.

        Raise the error that prevented it.
        """
        seated: Future[None] = Future()
        self.playing = self.thread.submit(lambda: asyncio.run(self._play(title, parts, done, wish, seated)))
        wait([self.playing, seated], timeout=60, return_when=FIRST_COMPLETED)
        if self.playing.done():
            self.playing.result()
        assert seated.done()

    def _new_players(self, number: int) -> list[Player]:
        players = [Player(self.platform.address) for _ in range(number)]
        script = ACCOUNTS.format(names=[player.name for player in players], password=PASSWORD)
        output = self.platform.run_code(script)
        for player, token in zip(players, output.split(), strict=True):
            player.headers = {"Authorization": f"Token {token}"}
        return players

    async def _play(
        self, title: str, parts: Sequence[Part], done: Any, wish: dict[str, Any], seated: "Future[None]"
    ) -> list[View]:
        players = self._new_players(len(parts))
        stakes = (await players[0].get("/api/lobby/"))["stakes"]
        stake = next(stake["id"] for stake in stakes if stake["title"] == title)
        tables = [
            (await player.post(f"/api/stakes/{stake}/seats/", **{"buy_in": 800, **wish}))["table"] for player in players
        ]
        seated.set_result(None)

        async def play(player: Player, table: int, part: Part) -> View:
            async with player.at(table):
                return await perform(player, part, done)

        return list(await asyncio.gather(*(play(*each) for each in zip(players, tables, parts, strict=True))))

    def views(self) -> list[View]:
        """Return the last view of each, once all have played their parts; raise the first error of any of them."""
        assert self.playing is not None
        return self.playing.result(timeout=60)

    def stop(self) -> None:
        """Stop all players; raise the first error of any of them, unless it was raised before."""
        self.thread.shutdown(wait=False, cancel_futures=True)
        if self.playing is not None and self.playing.done() and not self.playing.cancelled():
            self.playing.result()
