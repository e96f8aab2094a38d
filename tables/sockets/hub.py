"""The hub of a loop: which of its sockets listens to what, and one ear at the channel layer for all of them.

What this process says itself comes straight from `broadcast`, with everybody's frames. Other processes only say that a
table has changed: it is read here, once for all sockets that look at it. Joining a group costs the layer nothing.
"""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import DatabaseError

from tables.errors import TableError
from tables.play import broadcast, frames, store
from tables.play.fast import following, live

log = logging.getLogger(__name__)

#: Seconds that a new socket waits for the channel layer before it goes on without.
HEARING_WAIT = 2.0
#: Seconds until a hub that lost the channel layer tries it again, and between two refreshes of its group.
HEARING_PAUSE, GROUPS_PAUSE = 1.0, 5.0


class Listener(Protocol):
    """A socket as its hub sees it."""

    async def push(self, message: Mapping[str, Any]) -> None:
        """Deal with the message when the socket's client waits for nothing."""

    async def show_table(self, message: Mapping[str, Any]) -> None:
        """Show the client the table, at once: never an older state after a newer one."""

    def has_shown(self, version: int, connected: tuple[int, ...]) -> bool:
        """Return whether the client has been shown this, or something newer."""


class Hub:
    """Everybody of one loop who listens, by group."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._groups: defaultdict[str, set[Any]] = defaultdict(set)
        self._reading: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._hearing: asyncio.Task[None] | None = None
        self._hears = asyncio.Event()
        self._channel, self._refreshed = "", 0.0
        #: What other threads have told, and whether the loop is on its way to it.
        self._inbox: deque[broadcast.News] = deque()
        self._woken = False

    async def join(self, listener: Any, groups: Iterable[str]) -> None:
        """Let the listener have what these groups are told, or as soon as the channel layer is well."""
        for group in groups:
            self._groups[group].add(listener)
        broadcast.listen(self, self._hand_over)
        if self._hearing is None or self._hearing.done():
            self._hearing = self._loop.create_task(self._hear())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hears.wait(), HEARING_WAIT)

    async def leave(self, listener: Any) -> None:
        """Tell the listener nothing more; the last one to leave takes the ear with it."""
        for group in [name for name, listeners in self._groups.items() if listener in listeners]:
            self._groups[group].discard(listener)
            if not self._groups[group]:
                del self._groups[group]
        if not self._groups:
            broadcast.listen_no_more(self)
            if self._hearing is not None:
                self._hearing.cancel()
                await asyncio.wait([self._hearing], timeout=HEARING_WAIT)
                self._hears.clear()

    def refresh(self) -> None:
        """Be in the layer's group again, should it have forgotten us; at most every few seconds."""
        if self._channel and time.monotonic() - self._refreshed > GROUPS_PAUSE:
            self._refreshed = time.monotonic()
            self._begin(self._join_layer())

    def _hand_over(self, news: Iterable[broadcast.News]) -> None:
        self._inbox.extend(each for each in news if each[0] in self._groups)
        if self._inbox and not self._woken:
            self._woken = True
            try:
                self._loop.call_soon_threadsafe(self._empty_inbox)
            except RuntimeError:  # the loop has been closed
                broadcast.listen_no_more(self)

    def _empty_inbox(self) -> None:
        # First, so that whatever comes while it is emptied wakes the loop again.
        self._woken = False
        while self._inbox:
            self._tell(*self._inbox.popleft())

    def _tell(self, group: str, message: Mapping[str, Any]) -> None:
        listeners = tuple(self._groups.get(group, ()))
        if not listeners:
            return
        if message.get("type") != "table.state":
            for listener in listeners:
                self._begin(listener.push(message))
        elif "frames" in message:
            self._begin(_show(listeners, message))
        else:
            self._hear_of(int(group.rpartition(".")[2]), message, listeners)

    def _begin(self, work: Any) -> None:
        task = self._loop.create_task(_carefully(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _hear_of(self, table_id: int, told: Mapping[str, Any], listeners: tuple[Any, ...]) -> None:
        """Show the listeners what another process has done, by following it or else by reading the table."""
        table = following.follow_move(table_id, told)
        if table is None:
            self._begin(self._read(table_id, told))
        else:
            self._begin(_show(listeners, broadcast.state_message(table, frames.frames(table))))

    async def _read(self, table_id: int, told: Mapping[str, Any]) -> None:
        """Read the table that another process has changed: once, and again only for what came after that."""
        group = broadcast.table_group(table_id)
        listeners = [each for each in self._groups.get(group, ()) if not each.has_shown(*_shown_in(told))]
        if not listeners or table_id in self._reading:
            return
        self._reading.add(table_id)
        try:
            since = min(each.shown.version for each in listeners)
            message = await database_sync_to_async(state_of, thread_sensitive=False)(table_id, since)
        except (TableError, DatabaseError):
            return
        finally:
            self._reading.discard(table_id)
        await _show(tuple(self._groups.get(group, ())), message)

    async def _hear(self) -> None:
        layer = get_channel_layer()
        while True:
            try:
                self._channel = await layer.new_channel()
                await self._join_layer()
                self._hears.set()
                while True:
                    self._take_in(await layer.receive(self._channel))
            except asyncio.CancelledError:
                with contextlib.suppress(Exception):
                    await layer.group_discard(broadcast.PROCESSES, self._channel)
                raise
            except Exception as fault:
                log.info("the channel layer is not heard: %r", fault)
            self._channel = ""
            await asyncio.sleep(HEARING_PAUSE)

    async def _join_layer(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(get_channel_layer().group_add(broadcast.PROCESSES, self._channel), HEARING_WAIT)

    def _take_in(self, message: Mapping[str, Any]) -> None:
        """News that this version does not know, or cannot read, do no harm: the heartbeat makes up for them."""
        if message.get("type") != "news" or message.get("from") == broadcast.PROCESS:
            return
        try:
            for group, each in message["news"]:
                self._tell(group, each)
        except (KeyError, TypeError, ValueError, AttributeError):
            log.warning("news of another process could not be read", exc_info=True)


async def _carefully(work: Any) -> None:
    try:
        await work
    except Exception:
        log.warning("news could not be dealt with", exc_info=True)


async def _show(listeners: Iterable[Any], message: Mapping[str, Any]) -> None:
    for listener in listeners:
        try:
            await listener.show_table(message)
        except Exception:
            log.warning("a socket could not be shown its table", exc_info=True)


def _shown_in(message: Mapping[str, Any]) -> tuple[int, tuple[int, ...]]:
    return int(message["version"]), tuple(message["connected"])


def state_of(table_id: int, since: int = -1) -> dict[str, Any]:
    """Return the message for all at the table as it stands, with what happened after version `since` (-1: unknown).

    TableError `not_found`.
    """
    table = store.look(table_id)
    live.keep(table)
    if since >= 0:
        table = replace(table, events=store.events_after(table, since))
    return broadcast.state_message(table, frames.frames(table))


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def of_this_loop() -> Hub:
    """Return the hub of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub(loop)
    return _hubs[loop]
