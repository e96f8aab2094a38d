"""The table socket: frames in, one service call each, frames out. It holds no state of the game."""

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import DatabaseError

from rules.said import say
from tables.errors import FROZEN, TableError
from tables.language import forget_reader, language_asked_for, note_reader, speaking, spoken
from tables.play import broadcast, emotes, presence, protocol, store
from tables.play import services as play
from tables.play.computers.playing import skip_to_end
from tables.play.frames import ShownFrame, frame_of
from tables.play.lanes import MOVES, busy
from tables.play.seating import Claim, Coming, Going
from tables.sockets import credentials, heartbeat, quick
from tables.sockets.authentication import connections
from tables.sockets.base import CLOSE_CODES, NO_TABLE, POLICY, SIGNED_OUT, TAKEN_OVER, TOO_BIG, TRY_LATER, LiveSocket
from tables.sockets.doors import pass_the_door
from tables.sockets.rates import Buckets, TokenBucket
from tables.sockets.statuses import SeenState, TableStatus
from wallet.audit.freeze import STANDS_STILL

__all__ = ["CLOSE_CODES", "TableConsumer"]

log = logging.getLogger(__name__)

#: Frames a socket may send in a burst, and how many a second for good.
BURST, PER_SECOND = 40, 8
#: Malformed frames in a row after which the socket is closed with 1008.
PATIENCE = 20
#: Windows of one player that fight for a seat: so often it changes hands at once, and after that once in five seconds.
_fights = Buckets(burst=4, per_second=0.2, most=10_000)


#: What a notice of another process says, as sentences that can be told in any language.
_NOTICES = {text: text for text in (FROZEN, broadcast.VOID)}


class TableConsumer(LiveSocket):
    """One player or watcher at one table."""

    pushes = frozenset(
        {"table.notice", "table.taken_over", "table.emote"}
        | {"user.turn", "user.news", "user.seated_out", "user.signed_out"}
    )

    async def connect(self) -> None:
        self.table_id: int = int(self.scope["url_route"]["kwargs"]["table_id"])
        self.connection = uuid.uuid4().hex
        self.language = language_asked_for(self.scope)
        self.bucket = TokenBucket(burst=BURST, per_second=PER_SECOND)
        #: The move that is on the fast way, until it is answered.
        self.asked: protocol.Frame | None = None
        self.offences = 0
        self.shown = SeenState(-1, ())
        self.told = -1
        self.told_frozen = self.told_waiting = False
        #: Which of the sockets that came to the seat this is, 0 without a seat, and whether it plays it.
        self.number, self.plays = 0, False
        self.beats_behind = 0
        self.has_joined = False
        #: What was pushed before the client had the frame of their joining, which alone tells how long they were away.
        self.early: Mapping[str, Any] | None = None
        self.is_joining = True
        await self.accept()
        if self.admitted_as is None:
            await self.close(SIGNED_OUT)
            return
        self.user_id = self.admitted_as.user_id
        await self.listen(broadcast.table_group(self.table_id), broadcast.user_group(self.user_id))
        try:
            await self._join()
        except DatabaseError:
            log.warning("a socket could not join its table", exc_info=True)
            await self.close(TRY_LATER)
        self.is_joining = False
        if self.early is not None:
            await self.show_table(self.early)

    async def _join(self) -> None:
        try:
            joined = await pass_the_door(self.table_id, Coming(self.user_id, self.connection, self.language))
        except TableError as error:
            await self._error(error, None)
            if error.code != "frozen":
                await self.close({"not_found": NO_TABLE, "try_again": TRY_LATER}.get(error.code, SIGNED_OUT))
                return
            joined = None
        self.has_joined = True
        note_reader(self.table_id, self.language)
        self.be_watched()
        if joined is not None:
            self.number, self.plays = joined.number, joined.plays
            await self._show_own(joined.frame)
            if joined.frame.stopped:
                await self._tell_frozen()

    async def disconnect(self, code: int) -> None:
        if not self.has_joined:
            return
        forget_reader(self.table_id, self.language)
        if code != TAKEN_OVER and connections.open:
            with contextlib.suppress(TableError, DatabaseError):
                await pass_the_door(self.table_id, Going(self.user_id, self.connection))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.has_joined:
            return
        if len(bytes_data or b"") > protocol.FRAME_LIMIT or len(text_data or "") > protocol.FRAME_LIMIT:
            await self.close(TOO_BIG)
            return
        if not self.bucket.take(asyncio.get_running_loop().time()):
            await self._offend(TableError("rate_limited", say("Too many messages at once. Wait a moment.")), None)
            return
        try:
            frame = protocol.parse_frame(text_data if text_data is not None else "")
        except TableError as error:
            await self._offend(error, protocol.request_id(text_data or ""))
            return
        self.offences = 0
        await self._answer(frame)

    async def _answer(self, frame: protocol.Frame) -> None:
        try:
            await self._claim(frame)
            if frame.type == "ping":
                await self.send_json(await self._pong(), frame.id)
            elif frame.type == "sync":
                look = partial(self._checked, presence.current_frame)
                await self._show_own(await MOVES.read(look, table_id=self.table_id, language=self.language))
            elif frame.type == "emote":
                await self.send_json(await MOVES.read(self._checked, self._emote, frame=frame), frame.id)
            elif frame.type == "skip":
                await self.send_json(await MOVES.read(self._checked, self._skip), frame.id)
            elif not await self._quickly(frame):
                await self.send_json(await self._surely(frame), frame.id)
        except TableError as error:
            if error.code == "signed_out":
                await self.close(SIGNED_OUT)
                return
            await self._error(error, frame.id)
            if error.code == "taken_over":
                await self.close(TAKEN_OVER)
        except Exception:
            log.exception("a frame could not be handled")
            await self._error(busy(), frame.id)

    async def _quickly(self, frame: protocol.Frame) -> bool:
        """Return whether the move went the fast way and was answered; else it has changed nothing."""
        self.asked = frame
        try:
            answer = await quick.make_quickly(self, frame)
        finally:
            unanswered, self.asked = self.asked is not None, None
        if answer is not None and unanswered:  # else it has gone out with the state that the move has led to
            await self.send_json(answer, frame.id)
        return answer is not None

    async def _surely(self, frame: protocol.Frame) -> dict[str, Any]:
        return dict(await MOVES.change(partial(self._checked, self._play), table_id=self.table_id, frame=frame))

    async def _claim(self, frame: protocol.Frame) -> None:
        """Let this socket play the seat from here on: the client has spoken.

        TableError `taken_over` where a later one plays it; `rate_limited` for a move while two windows fight: who only
        looks is shown the table all the same, and claims the seat with the next frame.
        """
        if self.plays or not self.number:
            return
        if _fights.take((self.table_id, self.user_id), asyncio.get_running_loop().time()):
            await pass_the_door(self.table_id, Claim(self.user_id, self.connection, self.number))
            self.plays = True
        elif frame.type not in ("ping", "sync"):
            raise TableError("rate_limited", say("This seat goes to and fro between two windows. Wait a moment."))

    def _checked(self, service: Callable[..., Any], **arguments: Any) -> Any:
        """Check, before every answer that shows or changes anything, that the client is still who it was let in as."""
        if self.admitted_as is None or not credentials.still_valid([self.admitted_as]):
            raise TableError("signed_out", say("You are signed out."), status=401)
        with speaking(self.language):
            return service(user_id=self.user_id, **arguments)

    def _play(self, **arguments: Any) -> dict[str, Any]:
        return play.play(connection=self.connection, number=self.number, **arguments)

    async def _pong(self) -> dict[str, Any]:
        """Return the answer to a ping, from what the heartbeat has just found: nothing is asked of the database for
        each.
        """
        now, version = heartbeat.of_this_loop().known(self.table_id) or await MOVES.read(store.standing, self.table_id)
        return {"type": "pong", "now": now, "version": max(version, self.shown.version)}

    def _emote(self, *, user_id: int, frame: protocol.Frame) -> dict[str, Any]:
        emotes.send_emote(table_id=self.table_id, user_id=user_id, emote=frame.fields["emote"])
        return {"type": "ack", "version": store.version(self.table_id)}

    def _skip(self, *, user_id: int) -> dict[str, Any]:
        skip_to_end(table_id=self.table_id, user_id=user_id)
        return {"type": "ack", "version": store.version(self.table_id)}

    async def _offend(self, error: TableError, request_id: str | int | None) -> None:
        self.offences += 1
        await self._error(error, request_id)
        if self.offences > PATIENCE:
            await self.close(POLICY)

    async def _error(self, error: TableError, request_id: str | int | None) -> None:
        # Who hears that the database is not well must not wait for it once more.
        version = max(0, self.shown.version)
        if error.code != "try_again":
            with contextlib.suppress(DatabaseError):
                version = await MOVES.read(store.version, self.table_id)
        content = {"type": "error", "code": error.code, "message": self._told(error), "version": version}
        await self.send_json(content, request_id)

    def _told(self, error: TableError) -> str:
        with speaking(self.language):
            return spoken(error.message)

    async def _tell_frozen(self) -> None:
        self.told_frozen = True
        await self._error(TableError("frozen", FROZEN), None)

    # --- what is shown: never an older state after a newer one ---

    async def _show_own(self, frame: ShownFrame) -> None:
        await self._show(SeenState(frame.version, frame.connected), frame.text.encode())

    async def _show(self, shown: SeenState, frame: bytes, *, made: bool = False) -> None:
        """Show the client that, unless they have seen a newer one; where they have `made` it, with the answer."""
        if shown.version >= self.shown.version and not self.is_full:
            self.shown, self.beats_behind, self.settled = shown, 0, None
            await self.send_texts(frame, *(self._acknowledged(shown.version) if made else ()))

    def _acknowledged(self, version: int) -> list[bytes]:
        """Return the answer to the move that the client waits for, once."""
        asked, self.asked = self.asked, None
        return [] if asked is None else [self.as_json({"type": "ack", "version": version}, asked.id)]

    async def is_behind(self, status: TableStatus) -> bool:
        """Return whether the client has missed something.

        A seat played elsewhere and a table that stands still: at once.
        """
        playing = status.playing.get(self.user_id)
        if playing is not None and presence.is_beaten(self.number, self.connection, by=playing):
            await self.close(TAKEN_OVER)
        if status.frozen and not self.told_frozen:
            await self._tell_frozen()
        self.told_frozen = status.frozen
        if status.waits and not self.told_waiting:
            await self._error(TableError(STANDS_STILL, broadcast.WAITS), None)
        self.told_waiting = status.waits
        newer = status.shown.version >= self.shown.version and status.shown != self.shown
        waits = newer and not status.frozen and self.has_joined
        self.beats_behind = self.beats_behind + 1 if waits else 0
        self.settled = status if self.has_joined and not waits else None
        return self.beats_behind > 1

    async def resync(self, shown: SeenState, frames: dict[str, bytes]) -> None:
        await self._show(shown, frame_of(self.user_id, frames, self.language))

    # --- from the channel layer ---

    def has_shown(self, version: int, connected: tuple[int, ...]) -> bool:
        """Return whether the client has been shown this, or something newer."""
        return self.shown.version > version or self.shown == SeenState(version, connected)

    async def show_table(self, message: Mapping[str, Any]) -> None:
        """Show the client the table, unless they have seen that or something newer."""
        if self.is_joining:
            self.early = message
            return
        shown = SeenState(message["version"], tuple(message["connected"]))
        news = message["events"] and shown.version > self.told
        if shown != self.shown or news:
            if shown.version >= self.shown.version and message["events"]:
                self.told = shown.version
            made = message.get("mover") == self.connection
            await self._show(shown, frame_of(self.user_id, message["frames"], self.language), made=made)

    async def table_notice(self, message: dict[str, Any]) -> None:
        """Tell the client that the table stands still."""
        self.told_frozen = True
        await self._error(TableError(message["code"], _NOTICES.get(message["message"], message["message"])), None)

    async def table_taken_over(self, message: dict[str, Any]) -> None:
        if message["user"] != self.user_id or message["connection"] == self.connection:
            return
        # A process of before the upgrade tells no number.
        if self.number <= message.get("number", self.number):
            await self.close(TAKEN_OVER)

    async def table_emote(self, message: dict[str, Any]) -> None:
        """Somebody at the table says something; what is muted, the client leaves out."""
        if self.has_joined:
            shown = {"type": "emote", "seat": int(message["seat"]), "emote": str(message["emote"])}
            await self.send_json(shown)

    async def user_seated_out(self, message: dict[str, Any]) -> None:
        """Tell the player why they were seated out here."""
        if message["table"] == self.table_id:
            # A process of before the upgrade says it in one language only.
            said = message.get("told", {}).get(self.language, message["message"])
            await self._error(TableError(message["code"], said), None)

    async def user_turn(self, message: dict[str, Any]) -> None:
        """Do nothing: this call is for the lobby; the table's own frame says it here."""
