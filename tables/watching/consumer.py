"""The socket of somebody who watches a table one deal behind."""

from collections.abc import Iterable

from tables.language import language_asked_for, translated, using_language
from tables.sockets.admission import connections
from tables.sockets.base import NO_TABLE, SIGNED_OUT, TRY_LATER, ListeningSocket
from tables.watching import shows
from wallet.base.errors import Refusal

#: What closes the socket; after any other refusal the client may try again later.
_CLOSES = {"watching_forbidden": SIGNED_OUT, "not_found": NO_TABLE}


class WatchConsumer(ListeningSocket):
    """One watcher at one table; `table_id` stays None, since to the table they are nobody."""

    watches = False

    async def connect(self) -> None:
        self.table_watched: int = int(self.scope["url_route"]["kwargs"]["table_id"])
        self.language = language_asked_for(self.scope)
        await super().connect()
        if self.credential is None:
            await self.close(SIGNED_OUT)
        elif not connections.acquire_watcher(self.table_watched):
            await self.close(TRY_LATER)
        else:
            self.watches = True
            self.join_monitor()
            shows.current().join(self)

    async def disconnect(self, code: int) -> None:
        if self.watches:
            connections.release_watcher(self.table_watched)
            shows.current().leave(self)

    async def tell(self, frames: Iterable[bytes]) -> None:
        """Send the frames."""
        await self.send_texts(*((frame,) for frame in frames))

    async def refuse(self, refusal: Refusal) -> None:
        """Send the refusal, and close."""
        with using_language(self.language):
            message = translated(refusal.message)
        await self.send_json({"type": "error", "code": refusal.code, "message": message})
        await self.close(_CLOSES.get(refusal.code, TRY_LATER))
