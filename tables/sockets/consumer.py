"""The table socket: frames in, one service call each, frames out. It holds no state of the game."""

import contextlib
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import DatabaseError

from rules.text import message
from tables.errors import TableError
from tables.language import forget_reader, language_asked_for, note_reader, using_language
from tables.metrics import spend
from tables.play import broadcast, presence, protocol, services as play, store
from tables.play.computers import skip_to_end
from tables.play.executors import MOVES, busy
from tables.play.fast import group_commit
from tables.play.guards import MoveRequest
from tables.play.seating import Claim, Connect, Disconnect
from tables.sockets import credentials, monitor
from tables.sockets.admission import Buckets, TokenBucket, connections
from tables.sockets.base import NO_TABLE, POLICY, SIGNED_OUT, TAKEN_OVER, TRY_LATER
from tables.sockets.seat_requests import submit_request
from tables.sockets.state_sender import StateSender

log = logging.getLogger(__name__)

#: Frames that a socket may send in a burst, and per second in the long run.
BURST, PER_SECOND = 40, 8
#: What a move that passes the turn on, or leads there, counts less than another frame: only two who pass it to and fro
#: could flood a table by it.
PASSING, DISCOUNT = frozenset({"draw", "discard"}), 0.75
#: After more than this many offences in a row (malformed or too many frames) the socket is closed with 1008.
PATIENCE = 20
#: How often a seat may change hands between windows of its player: a few times at once, then every five seconds.
_takeovers = Buckets(burst=4, per_second=0.2, most=10_000)

# When the monitor is late, the credentials of all moves of a batch are checked at once.
group_commit.GroupCommit.verify = staticmethod(credentials.still_valid)


class TableConsumer(StateSender):
    """One player or watcher at one table."""

    pushes = frozenset({
        *("table.notice", "table.taken_over", "table.emote"),
        *("user.news", "user.tournament_table", "user.tournament_over", "user.seated_out", "user.signed_out"),
    })  # fmt: skip

    async def connect(self) -> None:
        self.table_id: int = int(self.scope["url_route"]["kwargs"]["table_id"])
        self.connection = uuid.uuid4().hex
        self.language = language_asked_for(self.scope)
        self.bucket = TokenBucket(burst=BURST, per_second=PER_SECOND)
        self.offences = 0
        self.plays = False
        self.begin_showing()
        await self.accept()
        if self.credential is None:
            await self.close(SIGNED_OUT)
            return
        self.user_id = self.credential.user_id
        await self.listen(broadcast.table_group(self.table_id), broadcast.user_group(self.user_id))
        if self.is_gone:
            # Its page gave up while the process started, and has come again: the other socket must hear of the outage.
            return
        try:
            await self._join()
        except DatabaseError:
            log.warning("a socket could not join its table", exc_info=True)
            await self.close(TRY_LATER)
        await self.end_joining()

    async def _join(self) -> None:
        try:
            arrival = Connect(self.user_id, self.connection, self.language, self._may_claim)
            joined = await submit_request(self.table_id, arrival)
        except TableError as error:
            await self.show_error(error, None)
            if error.code != "frozen":
                await self.close({"not_found": NO_TABLE, "try_again": TRY_LATER}.get(error.code, SIGNED_OUT))
                return
            joined, self.joins_later = None, True
        self.has_joined = True
        note_reader(self.table_id, self.language)
        self.join_monitor()
        if joined is not None:
            self.number, self.plays = joined.number, joined.plays
            if joined.watches and not connections.acquire_watcher(self.table_id):
                await self.close(TRY_LATER)
                return
            self.watches = joined.watches
            await self.show_own(joined.frame)
            if joined.frame.stopped:
                await self.show_frozen()

    async def disconnect(self, code: int) -> None:
        if not self.has_joined:
            return
        forget_reader(self.table_id, self.language)
        if self.watches:
            connections.release_watcher(self.table_id)
        if code != TAKEN_OVER and connections.open:
            with contextlib.suppress(TableError, DatabaseError):
                await submit_request(self.table_id, Disconnect(self.user_id, self.connection))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.has_joined or self.credential is None:
            return
        text = text_data or ""
        try:
            if not self.bucket.take(time.monotonic()):
                raise TableError("rate_limited", message("Too many messages at once. Wait a moment."))
            frame = protocol.parse_frame(text)
        except TableError as error:
            await self._offend(error, protocol.request_id(text))
            return
        self.offences = 0
        await self._handle(frame)

    async def _handle(self, frame: protocol.Frame) -> None:
        self.unanswered = frame
        try:
            if self.number and not self.plays:
                await self._claim(frame)
            if frame.type == "ping":
                await self.answer(frame, await self._pong())
            elif frame.type == "sync":
                read_frame = partial(self._checked, presence.current_frame)
                shown = await MOVES.read(read_frame, table_id=self.table_id, language=self.language)
                await self.show_own(shown)
                if frame.id is not None:
                    await self.answer(frame, protocol.ack(shown.version))
            elif frame.type == "emote":
                await self.answer(frame, await MOVES.read(self._checked, self._emote, frame=frame))
            elif frame.type == "skip":
                await self.answer(frame, await MOVES.read(self._checked, self._skip))
            else:
                await self.answer(frame, await self._move(frame))
        except TableError as error:
            if error.code == "signed_out":
                await self.close(SIGNED_OUT)
                return
            await self.show_error(error, frame.id)
            if error.code == "taken_over":
                await self.close(TAKEN_OVER)
        except Exception:
            log.exception("a frame could not be handled")
            await self.show_error(busy(), frame.id)
        finally:
            self.unanswered = None

    async def _move(self, frame: protocol.Frame) -> dict[str, Any]:
        """Make the move, the fast way or else under the lock, and return its answer.

        The moves of who only watches would keep those of the players waiting: a batch takes one of each table.
        """
        unverified = None if monitor.current().is_freshly_verified(self) else self.credential
        request = MoveRequest(self.table_id, self.user_id, self.connection, frame, unverified)
        spend("receiving", self.received)
        answer: dict[str, Any] | None = await group_commit.play(request) if self.plays else None
        if answer is None:
            locked = partial(self._checked, play.play, connection=self.connection, number=self.number)
            answer = await MOVES.change(locked, table_id=self.table_id, frame=frame)
            # Who has no seat was refused with an error. Who has taken one since they came plays it from now on.
            self.plays = True
        elif frame.type in PASSING:
            self.bucket.give_back(DISCOUNT)
        return answer

    async def _claim(self, frame: protocol.Frame) -> None:
        """Let this socket play the seat from now on, since its client has sent a frame.

        TableError `taken_over` where a later socket plays it; `rate_limited` for a move while two windows fight for the
        seat. A ping or a sync is answered even then, and the next frame claims the seat again.
        """
        if self._may_take_over():
            await submit_request(self.table_id, Claim(self.user_id, self.connection, self.number))
            self.plays = True
        elif frame.type not in ("ping", "sync"):
            raise TableError("rate_limited", message("Two windows take this seat from each other. Wait a moment."))

    def _may_claim(self) -> bool:
        """Return whether the client has sent a frame and may have the seat for it: see `Connect`, `_claim`."""
        return bool(self.scope.get("has_spoken", bool)()) and self._may_take_over()

    def _may_take_over(self) -> bool:
        return _takeovers.take((self.table_id, self.user_id), time.monotonic())

    def _checked(self, service: Callable[..., Any], **arguments: Any) -> Any:
        """Run the service for the user, in their language, if the socket's credential is still valid.

        TableError `signed_out` if it is not.
        """
        if self.credential is None or not credentials.still_valid([self.credential]):
            raise TableError("signed_out", message("You are signed out."), status=401)
        with using_language(self.language):
            return service(user_id=self.user_id, **arguments)

    async def _pong(self) -> dict[str, Any]:
        """Return the answer to a ping: from the last look of the monitor or the client's own last frame, if recent.

        Only otherwise is the database queried.
        """
        recent = monitor.current().recent_version(self.table_id) or self.recently_read()
        now, version = recent or await MOVES.read(store.clock_and_version, self.table_id)
        return {"type": "pong", "now": now, "version": max(version, self.shown.version)}

    def _emote(self, *, user_id: int, frame: protocol.Frame) -> dict[str, Any]:
        play.send_emote(table_id=self.table_id, user_id=user_id, emote=frame.fields["emote"])
        return protocol.ack(store.version(self.table_id))

    def _skip(self, *, user_id: int) -> dict[str, Any]:
        skip_to_end(table_id=self.table_id, user_id=user_id)
        return protocol.ack(store.version(self.table_id))

    async def _offend(self, error: TableError, request_id: str | int | None) -> None:
        self.offences += 1
        await self.show_error(error, request_id)
        if self.offences > PATIENCE:
            await self.close(POLICY)

    def concerns(self, message: Mapping[str, Any]) -> bool:
        """Return whether the message is for this player, and not about a takeover by this very socket.

        `user.turn` is for the lobby: here the table's own frame shows whose turn it is.
        """
        if message.get("type") == "user.turn":
            return False
        own = message.get("user", self.user_id) == self.user_id
        return own and message.get("connection") != self.connection

    async def table_taken_over(self, message: dict[str, Any]) -> None:
        if self.number <= message["number"]:
            await self.close(TAKEN_OVER)

    async def table_emote(self, message: dict[str, Any]) -> None:
        """Send the client an emote of somebody at the table; the client leaves out muted players."""
        if self.has_joined:
            content = {"type": "emote", "seat": int(message["seat"]), "emote": str(message["emote"])}
            await self.send_json(content)

    async def user_seated_out(self, message: dict[str, Any]) -> None:
        """Send the player the reason why they were seated out here."""
        if message["table"] == self.table_id:
            reason = message["told"][self.language]
            await self.show_error(TableError(message["code"], reason), None)
