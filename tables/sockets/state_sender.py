"""What a table socket shows its client: states, never an older one after a newer one; notices and refusals."""

import contextlib
import time
from typing import Any

from django.db import DatabaseError

from tables.errors import FROZEN, TableError
from tables.language import translated, using_language
from tables.play import broadcast, presence, protocol, store
from tables.play.broadcast import TableMessage
from tables.play.executors import MOVES
from tables.play.frames import ShownFrame, frame_of
from tables.play.frames.encoder import Pieces
from tables.sockets import monitor
from tables.sockets.base import RESTART, TAKEN_OVER, LiveSocket
from tables.sockets.statuses import SeenState, TableStatus
from wallet.ledger.settlement_freeze import SETTLEMENT_FROZEN

#: The notices that other processes send as plain text, as sentences that can be translated.
_NOTICES = {text: text for text in (FROZEN, broadcast.VOID)}


class StateSender(LiveSocket):
    """A socket that shows one table to one client, in the client's language."""

    user_id: int
    connection: str
    language: str

    def begin_showing(self) -> None:
        """Begin with nothing shown, while the client joins the table."""
        self.shown = SeenState(-1, ())
        #: The version of the last frame that was sent: changes of others' own are not.
        self.sent_version = -1
        #: When the table was last read for this client alone, in monotonic seconds and by the clock of the database.
        self.read_at, self.read_ms = -monitor.FRESH_FOR, 0
        #: The latest version whose events were shown.
        self.shown_events = -1
        self.frozen_sent = self.waiting_sent = False
        self.beats_behind = 0
        #: The client's frame that is being handled, until it is answered.
        self.unanswered: protocol.Frame | None = None
        #: The socket's number among those that came to the seat; 0 without a seat.
        self.number = 0
        self.has_joined, self.is_joining = False, True
        #: Whether its user only watched when it came.
        self.watches = False
        #: Whether the table is frozen and its state could not be read, so that nothing was joined.
        self.joins_later = False
        #: The last push before the first frame: it waits, as only that frame says how long the client was away.
        self.pending_push: TableMessage | None = None

    async def end_joining(self) -> None:
        """Show what was pushed while the client was joining."""
        self.is_joining = False
        # Kept, it would hold the frames of everybody at the table.
        pending_push, self.pending_push = self.pending_push, None
        if pending_push is not None:
            await self.show_table(pending_push)

    async def show_own(self, frame: ShownFrame) -> None:
        self.read_at, self.read_ms = time.monotonic(), frame.now
        await self._show(SeenState(frame.version, frame.connected), (frame.text.encode(),))

    async def _show(self, shown: SeenState, frame: Pieces) -> None:
        await self.send_texts(*self._frames_for(shown, frame))

    def _frames_for(self, shown: SeenState, frame: Pieces, *, answers: protocol.Frame | None = None) -> list[Pieces]:
        """Return the frame, and the `ack` if it answers the move; nothing for an old state or a full socket."""
        if shown.version < self.shown.version or self.is_full:
            return []
        self.shown, self.beats_behind, self.settled_status = shown, 0, None
        self.sent_version = shown.version
        # A state may be shown late, when the client's next move is already on its way and not yet committed.
        if answers is None or answers is not self.unanswered:
            return [frame]
        return [frame, self._answered(answers, protocol.ack(shown.version))]

    async def answer(self, frame: protocol.Frame, content: dict[str, Any]) -> None:
        """Answer the client's frame, unless the state that it led to has gone out with the answer."""
        if frame is self.unanswered:
            await self.send_texts(self._answered(frame, content))

    def _answered(self, frame: protocol.Frame, content: dict[str, Any]) -> Pieces:
        """Return the answer to the frame that is being handled: it gets no other."""
        self.unanswered = None
        return (self.as_json({**content, "version": self._told_version(content["version"])}, frame.id),)

    async def is_behind(self, status: TableStatus) -> bool:
        """Return whether the client has been behind for more than one beat.

        Close a socket that has lost its seat; send the notice of a frozen table, or of frozen settlement, at once. One
        that could not join a frozen table plays no seat that it could lose, and connects again when the table goes on;
        so does one that watches a table where somebody now hides their hands, and is let in only if it plays by now.
        """
        playing = status.playing.get(self.user_id)
        if self.joins_later or (self.watches and status.hidden):
            if not status.frozen:
                await self.close(RESTART)
        elif playing is not None and presence.is_superseded(self.number, self.connection, by=playing):
            await self.close(TAKEN_OVER)
        if status.frozen and not self.frozen_sent:
            await self.show_frozen()
        self.frozen_sent = status.frozen
        if status.waits and not self.waiting_sent:
            await self.show_error(TableError(SETTLEMENT_FROZEN, broadcast.WAITS), None)
        self.waiting_sent = status.waits
        newer = status.shown.version >= self.shown.version and status.shown != self.shown
        waits = newer and not status.frozen and self.has_joined
        self.beats_behind = self.beats_behind + 1 if waits else 0
        self.settled_status = status if self.has_joined and not waits else None
        return self.beats_behind > 1

    async def resync(self, shown: SeenState, frames: dict[str, Pieces]) -> None:
        await self._show(shown, frame_of(self.user_id, frames, self.language))

    def recently_read(self) -> tuple[int, int] | None:
        """Return the database clock, in ms, and the version shown, if the table was just read for this client alone."""
        ago = time.monotonic() - self.read_at
        return (self.read_ms + int(ago * 1000), self.shown.version) if ago < monitor.FRESH_FOR else None

    def has_shown(self, message: TableMessage) -> bool:
        """Return whether the client has been shown this state, or a newer one."""
        return self.shown.version > message.version or self.shown == SeenState(message.version, message.connected)

    async def show_table(self, message: TableMessage) -> None:
        """Show the client the table, unless they have seen this state or a newer one."""
        await self.send_texts(*self._frames_of_push(message))

    def try_show(self, message: TableMessage) -> bool:
        if not self.sends_directly:
            return False
        self.send_directly(*self._frames_of_push(message))
        return True

    def _frames_of_push(self, message: TableMessage) -> list[Pieces]:
        if self.is_joining:
            self.pending_push = message
            return []
        shown = SeenState(message.version, message.connected)
        if message.frames is None or self.passes_over(message):
            return []
        news = message.has_events and shown.version > self.shown_events
        if shown == self.shown and not news:
            return []
        if shown.version >= self.shown.version and message.has_events:
            self.shown_events = shown.version
        own = frame_of(self.user_id, message.frames, self.language)
        return self._frames_for(shown, own, answers=message.answers)

    def passes_over(self, message: TableMessage) -> bool:
        """Return whether nothing has changed for this client since what it was shown: somebody arranged their hand.

        Such a change is not pushed, or it would tell that they did, and multiply by all who watch. It counts as shown.
        """
        if message.only is None or self.user_id in message.only or self.is_joining:
            return False
        if self.shown != SeenState(message.version - 1, message.connected):
            return False
        self.shown = SeenState(message.version, message.connected)
        self.shown_events, self.settled_status = message.version, None
        return True

    def _told_version(self, version: int) -> int:
        """Return this version of the table; where nothing has changed for the client since its last frame, that one's.

        A client that is told of another version than its own asks for the table anew.
        """
        return self.sent_version if self.sent_version < version <= self.shown.version else version

    async def table_notice(self, message: dict[str, Any]) -> None:
        """Send the client a notice: the table is frozen or was cancelled."""
        self.frozen_sent = True
        await self.show_error(TableError(message["code"], _NOTICES.get(message["message"], message["message"])), None)

    async def show_error(self, error: TableError, request_id: str | int | None) -> None:
        # `try_again` says that the database is in trouble: the answer must not wait for it once more.
        version = max(0, self.shown.version)
        if error.code != "try_again":
            with contextlib.suppress(DatabaseError):
                version = await MOVES.read(store.version, self.table_id)
        content = {"type": "error", "code": error.code, "message": self._translated(error)}
        await self.send_json({**content, "version": self._told_version(version)}, request_id)

    def _translated(self, error: TableError) -> str:
        with using_language(self.language):
            return translated(error.message)

    async def show_frozen(self) -> None:
        self.frozen_sent = True
        await self.show_error(TableError("frozen", FROZEN), None)
