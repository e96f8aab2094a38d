"""The sockets of watchers, and what is shown on them: each watched table has one timer a process, which tells all its
watchers of a step when it is due.

Every BEAT seconds it looks at the table's row and the log. A move at the table knows nothing of it.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable, Mapping

from channels.db import database_sync_to_async

from tables.language import language_asked_for, translated, using_language
from tables.loop_local import LoopLocal
from tables.sockets.admission import connections
from tables.sockets.base import NO_TABLE, SIGNED_OUT, TRY_LATER, ListeningSocket
from tables.watching.pictures import Sight, live_frame, picture, see, step_frames
from tables.watching.scripts import Script, script_of
from wallet.base.errors import Refusal

log = logging.getLogger(__name__)

#: Seconds between two looks at a table.
BEAT = 2.0
#: So many watchers are told before the loop does anything else: moves do not wait for a crowd.
AT_ONCE = 20
#: What closes the socket; after any other refusal the client may try again later.
_CLOSES = {"watching_forbidden": SIGNED_OUT, "not_found": NO_TABLE}
#: By language; None while no deal is shown.
Scripts = Mapping[str, Script | None]


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
            current().join(self)

    async def disconnect(self, code: int) -> None:
        if self.watches:
            connections.release_watcher(self.table_watched)
            current().leave(self)

    async def tell(self, frames: Iterable[bytes]) -> None:
        """Send the frames."""
        await self.send_texts(*((frame,) for frame in frames))

    async def refuse(self, refusal: Refusal) -> None:
        """Send the refusal, and close."""
        with using_language(self.language):
            message = translated(refusal.message)
        await self.send_json({"type": "error", "code": refusal.code, "message": message})
        await self.close(_CLOSES.get(refusal.code, TRY_LATER))


class Show:
    """The show of one table in one loop, which goes on while anybody watches."""

    def __init__(self, table_id: int) -> None:
        self._table_id = table_id
        #: The watchers, each with whether they know the picture that the next frames add to.
        self._watchers: dict[WatchConsumer, bool] = {}
        self._sight: Sight | None = None
        self._scripts: Scripts = {}
        #: When the last look was, in monotonic seconds, and until when all was told, in ms by the database's clock.
        self._looked_at, self._told = 0.0, 0
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def join(self, watcher: WatchConsumer) -> None:
        """Show the watcher what is to be seen, from now on."""
        self._watchers[watcher] = False
        self._wake.set()
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())

    def leave(self, watcher: WatchConsumer) -> bool:
        """Tell the watcher no more; return whether they were the last."""
        self._watchers.pop(watcher, None)
        self._wake.set()
        return not self._watchers

    async def _run(self) -> None:
        while self._watchers:
            self._wake.clear()
            pause = BEAT
            try:
                pause = await self._go_on()
            except Refusal as refusal:
                # Nor may anybody who comes while the others go.
                self._sight = None
                for watcher in list(self._watchers):
                    await watcher.refuse(refusal)
            except Exception:
                log.warning("the watchers of table %s could not be told", self._table_id, exc_info=True)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)

    async def _go_on(self) -> float:
        """Look, if it is time to; tell everybody what is new; return the seconds until there is more to do."""
        before, languages = self._sight, {watcher.language for watcher in self._watchers}
        if before is None or time.monotonic() - self._looked_at >= BEAT or not languages <= self._scripts.keys():
            self._looked_at = time.monotonic()
            looked = database_sync_to_async(_looked, thread_sensitive=False)
            self._sight, self._scripts = await looked(self._table_id, before, languages)
        current = self._sight
        assert current is not None
        if before is None or before.shown != current.shown:
            self._watchers = dict.fromkeys(self._watchers, False)
        now = max(self._told, current.now + int((time.monotonic() - self._looked_at) * 1000))
        await self._tell(current, now, is_live_new=before is None or before.live != current.live)
        self._told = now
        return self._pause(current, now)

    async def _tell(self, current: Sight, now: int, *, is_live_new: bool) -> None:
        told: dict[tuple[str, bool], list[bytes]] = {}
        for number, (watcher, knows) in enumerate(list(self._watchers.items()), start=1):
            if watcher not in self._watchers:
                continue  # They have left while the others were told.
            can_read = not watcher.is_full and watcher.language in self._scripts
            self._watchers[watcher] = can_read
            if not can_read:
                continue
            if (key := (watcher.language, knows)) not in told:
                script = self._scripts[watcher.language]
                with using_language(watcher.language):
                    told[key] = (
                        [*live_frame(current, now, is_new=is_live_new), *step_frames(current, script, self._told, now)]
                        if knows
                        else [picture(current, script, now)]
                    )
            try:
                await watcher.tell(told[key])
            except Exception:
                log.warning("a watcher could not be told", exc_info=True)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _pause(self, current: Sight, now: int) -> float:
        pause = BEAT - (time.monotonic() - self._looked_at)
        script = next(iter(self._scripts.values()), None)
        if script is not None and current.shown is not None:
            due = (current.shown.since_ms + at_ms - now for at_ms in script.times)
            pause = min(pause, next((ms / 1000 for ms in due if ms > 0), pause))
        return max(0.0, pause)


def _looked(table_id: int, before: Sight | None, languages: Iterable[str]) -> tuple[Sight, Scripts]:
    found, scripts = see(table_id, before), {}
    for language in languages:
        with using_language(language):
            scripts[language] = script_of(found.shown.deal_id) if found.shown is not None else None
    return found, scripts


class Shows:
    """The shows of one loop, by table."""

    def __init__(self) -> None:
        self._shows: dict[int, Show] = {}

    def join(self, watcher: WatchConsumer) -> None:
        """Show the watcher their table."""
        table_id = watcher.table_watched
        self._shows.setdefault(table_id, Show(table_id)).join(watcher)

    def leave(self, watcher: WatchConsumer) -> None:
        """Tell the watcher no more; a show that nobody watches ends."""
        show = self._shows.get(watcher.table_watched)
        if show is not None and show.leave(watcher):
            del self._shows[watcher.table_watched]


#: The shows of the running loop.
current = LoopLocal(Shows)
