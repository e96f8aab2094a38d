"""The hub of a loop: which of its sockets listens to which groups, and one listener at the channel layer for all.

Messages of this process come directly from `broadcast`, with everybody's frames. Other processes only send that a table
has changed, and only if the hub has announced to them that it listens to the table's group: it then follows the move or
reads the table, once for all its sockets.
"""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import DatabaseError

from tables.loop_local import LoopLocal
from tables.metrics import spend
from tables.play import broadcast, frames, store
from tables.play.broadcast import TableMessage
from tables.play.company import PROCESSES
from tables.play.fast import table_cache
from tables.sockets.batching import Batcher, Take, unhurried

log = logging.getLogger(__name__)

#: Seconds that a new socket waits for the channel layer before it goes on without it.
LAYER_WAIT = 2.0
#: So many tables are read together.
MOST_READ = 48
#: Seconds until a hub that lost the channel layer tries it again, and between two refreshes of its group.
LAYER_RETRY, GROUPS_PAUSE = 1.0, 5.0


class Announcements:
    """The groups that this loop has announced; those that come together are announced by one message.

    Where the channel layer fails, they are announced with the next `settle`.
    """

    def __init__(self) -> None:
        self._announced: set[str] = set()
        self._batches = Batcher[Collection[str]](self._announce)
        #: Whether the channel layer has kept somebody waiting: until it answers, nobody else waits for it.
        self._is_late = False

    async def announce(self, groups: Collection[str], patience: float) -> None:
        """Announce the groups, and wait until that is done, but at most `patience` seconds."""
        if self._announced.issuperset(groups):
            return
        work = asyncio.ensure_future(self._batches.submit(groups))
        work.add_done_callback(_note_failure)
        if not self._is_late:
            done, _ = await asyncio.wait([work], timeout=patience)
            self._is_late = not done

    async def settle(self, groups: Collection[str]) -> None:
        """Announce what is not, and withdraw what is announced besides these groups, or was being announced."""
        await self._batches.submit([group for group in groups if group not in self._announced])
        gone = self._announced.difference(groups)
        # At once: whoever listens to one of them meanwhile announces it again, after this.
        self._announced -= gone
        broadcast.company.leave(gone)
        if gone:
            await get_channel_layer().withdraw(gone)

    async def _announce(self, take: Take[Collection[str]]) -> Sequence[None]:
        wanted, layer = take(), get_channel_layer()
        groups = {group for each in wanted for group in each}
        if not groups:
            return [None] * len(wanted)
        await layer.announce(groups)
        if not broadcast.company.is_absent():
            await layer.group_send(PROCESSES, broadcast.arrival(groups))
        self._announced |= groups
        broadcast.company.join(groups)
        self._is_late = False
        return [None] * len(wanted)


def _note_failure(work: "asyncio.Future[None]") -> None:
    if not work.cancelled() and (fault := work.exception()) is not None:
        log.info("groups could not be announced: %r", fault)


class Hub:
    """The listeners of one loop, by group: its sockets (LiveSocket in base.py), and what listens for many of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._groups: defaultdict[str, set[Any]] = defaultdict(set)
        #: The groups of each listener: a search for it would take longer, the more groups there are.
        self._joined: defaultdict[Any, set[str]] = defaultdict(set)
        self._reading: set[int] = set()
        self._reads = Batcher[tuple[int, int]](_read_together, most=MOST_READ)
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._is_listening = asyncio.Event()
        self._channel, self._refreshed = "", 0.0
        self._announcements = Announcements()
        #: The messages from other threads, and whether the loop has been woken for them.
        self._inbox: deque[broadcast.Announced] = deque()
        self._woken = False

    async def join(self, listener: Any, groups: Iterable[str]) -> None:
        """Give the listener the messages of these groups; wait for the channel layer, but at most LAYER_WAIT each."""
        groups = tuple(groups)
        for group in groups:
            self._groups[group].add(listener)
            self._joined[listener].add(group)
        broadcast.listen(self, self._enqueue)
        if self._listening is None or self._listening.done():
            self._listening = self._loop.create_task(self._listen())
        if not self._is_listening.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_listening.wait(), LAYER_WAIT)
        await self._announcements.announce(groups, LAYER_WAIT)

    async def leave(self, listener: Any) -> None:
        """Give the listener no more messages; when the last one leaves, stop listening to the channel layer."""
        for group in self._joined.pop(listener, ()):
            self._groups[group].discard(listener)
            if not self._groups[group]:
                del self._groups[group]
        if not self._groups:
            broadcast.stop_listening(self)
            if (listening := self._listening) is not None:
                # Whoever joins while this one ends begins the next one.
                self._listening, self._channel = None, ""
                self._is_listening.clear()
                listening.cancel()
                await asyncio.wait([listening], timeout=LAYER_WAIT)

    def refresh(self) -> None:
        """Tell the layer again what this loop listens to, in case it has forgotten; at most every GROUPS_PAUSE seconds.

        A group that the last listener has left is withdrawn only now.
        """
        if self._channel and time.monotonic() - self._refreshed > GROUPS_PAUSE:
            self._refreshed = time.monotonic()
            self._begin(self._join_layer())
            self._begin(self._announcements.settle(self._groups))

    def _enqueue(self, news: Iterable[broadcast.Announced]) -> None:
        self._inbox.extend(item for item in news if item[0] in self._groups)
        if self._inbox and not self._woken:
            self._woken = True
            try:
                self._loop.call_soon_threadsafe(self._empty_inbox)
            except RuntimeError:  # the loop has been closed
                broadcast.stop_listening(self)

    def _empty_inbox(self) -> None:
        # This comes first, so that messages that come meanwhile wake the loop again.
        self._woken, began = False, time.thread_time()
        while self._inbox:
            self._deliver(*self._inbox.popleft())
        spend("frames", began)

    def _deliver(self, group: str, message: broadcast.Announcement) -> None:
        listeners = tuple(self._groups.get(group, ()))
        if not listeners:
            return
        if not isinstance(message, TableMessage):
            for listener in listeners:
                if listener.concerns(message):
                    self._begin(listener.push(message))
        elif message.frames is not None:
            self._show(listeners, message)
        else:
            self._deliver_change(int(group.rpartition(".")[2]), message, listeners)

    def _begin(self, work: Any) -> None:
        task = self._loop.create_task(_logging_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _deliver_change(self, table_id: int, change: TableMessage, listeners: tuple[Any, ...]) -> None:
        """Show the listeners what another process has done: follow the move, or else read the table."""
        table = table_cache.follow_move(table_id, change)
        if table is None:
            self._begin(self._read(table_id, change))
        else:
            self._show(listeners, TableMessage.of(table, frames.frames(table)))

    def _show(self, listeners: Iterable[Any], message: TableMessage) -> None:
        """Show the listeners the table. Only those that must wait get a task: it costs as much as sending the frame."""
        waiting = [listener for listener in listeners if not _try_show(listener, message)]
        if waiting:
            self._begin(_show(waiting, message))

    async def _read(self, table_id: int, change: TableMessage) -> None:
        """Read a table that another process has changed, and show it, unless all have seen it or it is being read."""
        group = broadcast.table_group(table_id)
        at_table = self._groups.get(group, ())
        behind = [listener for listener in at_table if not listener.has_shown(change)]
        listeners = [listener for listener in behind if not listener.passes_over(change)]
        if not listeners or table_id in self._reading:
            return
        self._reading.add(table_id)
        try:
            since = min(listener.shown.version for listener in listeners)
            message = await self._reads.submit((table_id, since))
        except DatabaseError:
            return
        finally:
            self._reading.discard(table_id)
        if message is not None:
            await _show(tuple(self._groups.get(group, ())), message)

    async def _listen(self) -> None:
        layer, channel = get_channel_layer(), ""
        while True:
            try:
                channel = self._channel = await layer.new_channel()
                await self._join_layer()
                await _arrive()
                self._is_listening.set()
                while True:
                    await self._receive(await layer.receive(channel))
            except asyncio.CancelledError:
                with contextlib.suppress(Exception):
                    await layer.group_discard(PROCESSES, channel)
                    await self._announcements.settle(self._groups)
                raise
            except Exception as fault:
                log.info("the channel layer is not heard: %r", fault)
            self._channel = ""
            await asyncio.sleep(LAYER_RETRY)

    async def _join_layer(self) -> None:
        channel = self._channel
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(get_channel_layer().group_add(PROCESSES, channel), LAYER_WAIT)
        if channel != self._channel:  # the last listener has left meanwhile
            await get_channel_layer().group_discard(PROCESSES, channel)

    async def _receive(self, message: Mapping[str, Any]) -> None:
        """Pass on the messages of another process; the monitor makes up for those that this version cannot read.

        Up to `broadcast.MOST_WAITING` come in one, and this process follows a move for each. Those of this process come
        with their frames and no more at once than one commit has: a pause would part a move's answer from its state.
        """
        if message.get("from") == broadcast.PROCESS:
            return
        try:
            if message.get("type") == broadcast.ARRIVED:
                broadcast.company.arrive(message.get("groups"))
            elif message.get("type") == broadcast.BACK:
                self._begin(_arrive())
            async for group, content in unhurried(message["news"] if message.get("type") == "news" else ()):
                began = time.thread_time()
                self._deliver(group, broadcast.from_wire(content))
                spend("layer", began)
        except (KeyError, TypeError, ValueError, AttributeError):
            log.warning("news of another process could not be read", exc_info=True)


async def _arrive() -> None:
    """Doubt what this process knows of the others, and let them doubt what they know of this one."""
    broadcast.company.arrive()
    await get_channel_layer().group_send(PROCESSES, broadcast.arrival())


async def _logging_errors(work: Any) -> None:
    try:
        await work
    except Exception:
        log.warning("news could not be dealt with", exc_info=True)


def _try_show(listener: Any, message: TableMessage) -> bool:
    try:
        return bool(listener.try_show(message))
    except Exception:
        log.warning("a socket could not be shown its table", exc_info=True)
        return True


async def _show(listeners: Iterable[Any], message: TableMessage) -> None:
    for listener in listeners:
        try:
            await listener.show_table(message)
        except Exception:
            log.warning("a socket could not be shown its table", exc_info=True)


async def _read_together(take: Take[tuple[int, int]]) -> Sequence[TableMessage | None]:
    read: Sequence[TableMessage | None]
    read = await database_sync_to_async(lambda: states_of(take()), thread_sensitive=False)()
    return read


def states_of(asked: Sequence[tuple[int, int]]) -> list[TableMessage | None]:
    """Return for each of these tables the message for all there: its current state, and its events after that version.

    None stands for a table that does not exist or cannot be read. It takes the same few statements for any number.
    """
    since = dict(asked)
    tables = {table.row.pk: table for table in store.read_tables(since)}
    happened = store.events_after({pk: table for pk, table in tables.items() if since[pk] >= 0}, since)
    for pk, table in tables.items():
        table_cache.put(table)
        tables[pk] = replace(table, events=happened.get(pk, []))
    return [TableMessage.of(tables[pk], frames.frames(tables[pk])) if pk in tables else None for pk, _ in asked]


#: The hub of the running loop.
current = LoopLocal(lambda: Hub(asyncio.get_running_loop()))
