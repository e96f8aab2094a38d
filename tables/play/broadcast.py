"""Messages to the sockets, sent after the commit: those of this process get them directly, frames included.

Other processes that listen to the group of a message get it without the frames, all that wait at that moment in one;
where a table has changed, they follow the move or read the table. The channel layer is left alone while no other
process listens to anything, and for a move of whose table none is known to listen. Push is only a hint: the monitor
makes up for lost messages.
"""

import asyncio
import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from channels.layers import get_channel_layer
from django.db import transaction

from rules.game.events import AutoDropSet, HandArranged, HandSorted, TurnBegan
from rules.text import message
from tables.errors import FROZEN
from tables.metrics import PUSHES, spend
from tables.play import frames
from tables.play.company import PROCESSES, Company
from tables.play.frames.encoder import Pieces
from tables.play.protocol import Frame
from tables.play.seating import connected_seats
from tables.play.store import TableSnapshot
from wallet.base.errors import Refusal

log = logging.getLogger(__name__)

#: This many messages may wait for a channel layer that is not well; more are dropped: the monitor makes up for them.
MOST_WAITING = 2_000
#: Seconds after each message to the channel layer in which the next ones gather: many in one cost no more.
SEND_PAUSE = 0.03

#: What players read at a table that cannot be settled because settlement is frozen.
WAITS = message(
    "This table waits until our staff have checked the books. Your chips are safe, and the game goes on by itself."
)

#: What players read at a table that was cancelled although its state was lost.
VOID = message("This table was cancelled by our staff. What you had there is in your balance again.")


def table_group(table_id: int) -> str:
    return f"table.{table_id}"


def user_group(user_id: int) -> str:
    return f"user.{user_id}"


LOBBY_GROUP = "lobby"
#: Events that change what the lobby shows of a table.
LOBBY_EVENTS = frozenset({"seat_taken", "seat_left", "player_left", "match_started", "match_ended", "deal_ended"})
#: The events that change only what the player in their seat sees.
_OWN = (AutoDropSet, HandArranged, HandSorted)
#: The name under which this process sends to all others.
PROCESS = uuid.uuid4().hex
#: The type of the message by which a process tells all others that it listens, or to which `groups`, from now on.
ARRIVED = "arrived"
#: The type of what the channel layer itself says once its connection was lost and is back: see `config.layers.BACK`.
BACK = "back"
#: The type of a TableMessage on the channel layer, and of the hint to the player whose turn it is.
_STATE, _TURN = "table.state", "user.turn"
#: The types that each move has, and that the monitor, or the next move, makes up for.
_OF_MOVES = frozenset({_STATE, _TURN})
#: An event on the channel layer: when it happened, in ms since 1970 UTC, and its payload as stored.
EventPayload = Sequence[Any]


@dataclass(frozen=True, slots=True)
class TableMessage:
    """The message that a table has changed, or who is connected to it, for the sockets there."""

    version: int
    #: The seats whose players are connected, in order.
    connected: tuple[int, ...]
    #: Whether events have led to this state, which the frames show.
    has_events: bool
    #: The users for whom alone something has changed: they arranged their hand, or armed a switch. None: everybody.
    only: Collection[int] | None = None
    #: The events by which other processes follow the move, sealed; empty where they must read the table.
    rows: Sequence[EventPayload] = ()
    #: Everybody's frames; None from another process. They stay in this process: others make them for themselves.
    frames: Mapping[str, Pieces] | None = None
    #: The client's frame that this answers. It stays in this process as well.
    answers: Frame | None = None

    @classmethod
    def of(
        cls,
        table: TableSnapshot,
        everybodys: Mapping[str, Pieces] | None,
        *,
        answers: Frame | None = None,
        rows: Sequence[EventPayload] = (),
    ) -> "TableMessage":
        """Return the message about the table with everybody's frames."""
        return cls(
            version=table.state.version,
            connected=tuple(sorted(connected_seats(table.seatings.values(), table.now))),
            has_events=bool(table.events),
            only=_only_for(table),
            rows=rows,
            frames=everybodys,
            answers=answers,
        )

    def to_wire(self) -> dict[str, Any]:
        """Return the message as other processes get it."""
        content = {"version": self.version, "connected": self.connected, "events": self.has_events, "only": self.only}
        return {"type": _STATE, **content, **({"rows": self.rows} if self.rows else {})}

    @classmethod
    def from_wire(cls, content: Mapping[str, Any]) -> "TableMessage":
        """Return the message that another process has sent, of this release, the former or the next one.

        Only the version must be there: whatever else is missing is set so that the table is read again, and what is
        unknown is ignored. KeyError, TypeError or ValueError for a message that cannot be read.
        """
        return cls(
            version=int(content["version"]),
            connected=tuple(content.get("connected") or ()),
            has_events=bool(content.get("events", True)),
            only=content.get("only"),
            rows=content.get("rows") or (),
        )


#: A message, as the sockets of this process get it: all but one kind are mappings with a `type`.
Announcement = TableMessage | Mapping[str, Any]
#: A message, and the group that it is for.
Announced = tuple[str, Announcement]
Receiver = Callable[[Sequence[Announced]], None]
#: The functions that take messages for the sockets of this process, one for each loop; called from any thread.
_receivers: dict[object, Receiver] = {}
#: The messages that a thread holds back; see `together`.
_batch = threading.local()


#: What this process knows of the others.
company = Company()


def listen(key: object, receiver: Receiver) -> None:
    """Call `receiver` with every message of this process from now on."""
    _receivers[key] = receiver


def stop_listening(key: object) -> None:
    """Stop calling the receiver of that key."""
    _receivers.pop(key, None)


def frames_after_commit(table: TableSnapshot) -> None:
    """Send everyone at the table their frame once the transaction is committed; before that nobody gets anything.

    A failure to send is logged and undoes nothing.
    """
    transaction.on_commit(lambda: tell(table), robust=True)


def _send_after_commit(group: str, message: Announcement) -> None:
    transaction.on_commit(lambda: send(group, message), robust=True)


def taken_over(table_id: int, user_id: int, connection: str, number: int) -> None:
    """Close this player's sockets at this table with 4001, except `connection` and those that came after it."""
    message = {"type": "table.taken_over", "user": user_id, "connection": connection, "number": number}
    _send_after_commit(table_group(table_id), message)


def frozen(table_id: int) -> None:
    """Send everybody at the table, after the commit, the notice that it is frozen."""
    message = {"type": "table.notice", "code": "frozen", "message": FROZEN}
    _send_after_commit(table_group(table_id), message)


def voided(table_id: int) -> None:
    """Send everybody at the table, after the commit, the notice that it was cancelled."""
    message = {"type": "table.notice", "code": "table_closed", "message": VOID}
    _send_after_commit(table_group(table_id), message)


def seated_out(table_id: int, user_id: int, refusal: Refusal, by_language: Mapping[str, str]) -> None:
    """Send the player, after the commit, the reason why they may not play on; `by_language` holds it by language."""
    message = {"type": "user.seated_out", "table": table_id, "code": refusal.code, "told": dict(by_language)}
    _send_after_commit(user_group(user_id), message)


def tournament_table(user_id: int, *, tournament_id: int, table_id: int) -> None:
    """Call the user, after the commit, to their table of the tournament, wherever on the site they are."""
    message = {"type": "user.tournament_table", "tournament": tournament_id, "table": table_id}
    _send_after_commit(user_group(user_id), message)


def tournament_over(user_id: int, *, tournament_id: int, place: int | None, prize: int) -> None:
    """Tell the user, after the commit, how the tournament ended for them; `place` is None where they have none."""
    message = {"type": "user.tournament_over", "tournament": tournament_id, "place": place, "prize": prize}
    _send_after_commit(user_group(user_id), message)


def signed_out(user_id: int, session: str | None) -> None:
    """Close the user's sockets of that session (of every session where it is None) with 4003."""
    send(user_group(user_id), {"type": "user.signed_out", "session": session})


def tell(table: TableSnapshot, message: TableMessage | None = None) -> None:
    """Send everybody at the table their frame, or the `message` that was made of it; what it shows must be committed.

    The fast way makes its messages during the commit. A process without sockets, such as a worker, makes no frames.
    """
    everybodys = frames.frames(table) if message is None and _receivers else None
    send(table_group(table.row.pk), message or TableMessage.of(table, everybodys))
    _send_lobby(table)


def _only_for(table: TableSnapshot) -> list[int] | None:
    """Return the users for whom alone something has changed; None where everybody is to be told."""
    if not table.events or not all(isinstance(event, _OWN) for event in table.events):
        return None
    seats = {event.seat for event in table.events if isinstance(event, _OWN)}
    return [user for seat in seats if seat in table.seatings and (user := table.seatings[seat].user_id) is not None]


def _send_lobby(table: TableSnapshot) -> None:
    if table.row.stake_id is not None and any(event.name in LOBBY_EVENTS for event in table.events):
        send(LOBBY_GROUP, {"type": "lobby.stake", "stake_id": table.row.stake_id})
    for event in table.events:
        if isinstance(event, TurnBegan):
            seating = table.seatings.get(event.seat)
            if seating is not None and seating.user_id is not None and seating.left_at is None:
                send(user_group(seating.user_id), {"type": _TURN, "table": table.row.pk})


def send(group: str, message: Announcement) -> None:
    """Hand the message to the sockets of this process and to the channel layer, and return at once.

    Push is a hint: a failure of the layer is only logged.
    """
    batch = getattr(_batch, "news", None)
    if batch is None:
        _hand_over([(group, message)])
    else:
        batch.append((group, message))


@contextmanager
def together() -> Iterator[None]:
    """Hold back the messages that this thread sends inside, and hand them all over at the end.

    So each loop is woken once; woken for each message, it would compete for the interpreter with the thread that makes
    the next one. A failure to hand over is logged and undoes nothing.
    """
    _batch.news = []
    try:
        yield
    finally:
        news, _batch.news = _batch.news, None
        try:
            _hand_over(news)
        except Exception:
            log.exception("%s messages could not be handed over", len(news))


def _hand_over(news: Sequence[Announced]) -> None:
    for receiver in list(_receivers.values()):
        receiver(news)
    if get_channel_layer() is None or company.is_absent():
        return
    for group, said in news:
        content = to_wire(said)
        is_heard = content["type"] not in _OF_MOVES or not company.is_absent(group)
        if is_heard and len(_outbox) < MOST_WAITING:
            _outbox.append((group, content))
    if _outbox:
        _start_sending()


def arrival(groups: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the message that this process listens to these groups from now on; None: that it listens at all."""
    return {"type": ARRIVED, "from": PROCESS, "groups": None if groups is None else sorted(groups)}


def to_wire(message: Announcement) -> Mapping[str, Any]:
    """Return the message as the channel layer carries it."""
    return message.to_wire() if isinstance(message, TableMessage) else message


def from_wire(content: Mapping[str, Any]) -> Announcement:
    """Return a message that the channel layer has brought; see `TableMessage.from_wire`."""
    return TableMessage.from_wire(content) if content.get("type") == _STATE else content


#: The messages that wait for the channel layer, with their groups; all that wait go out together.
_outbox: deque[tuple[str, Mapping[str, Any]]] = deque()
#: Whether the outbox is being emptied: only one message to the layer is under way at a time.
_is_sending = threading.Event()


def _start_sending() -> None:
    if not _is_sending.is_set():
        _is_sending.set()
        asyncio.run_coroutine_threadsafe(_empty_outbox(), _sending_loop()).add_done_callback(_note_failure)


async def _empty_outbox() -> None:
    began = time.thread_time()
    try:
        while _outbox:
            news = [_outbox.popleft() for _ in range(len(_outbox))]
            if heard := await _heard_elsewhere(news):
                await get_channel_layer().group_send(PROCESSES, {"type": "news", "from": PROCESS, "news": heard})
            await asyncio.sleep(SEND_PAUSE)
    finally:
        # Its thread does nothing else.
        spend("layer", began)
        _is_sending.clear()
        # Messages may have come since the last look: do not leave them lying.
        if _outbox:
            _start_sending()


async def _heard_elsewhere(news: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
    """Return the messages for groups that another process listens to."""
    found = company.asking()
    groups = {PROCESSES, *(group for group, _ in news), *company.ahead()}
    listening = await get_channel_layer().listening_elsewhere(groups)
    # A process without sockets, such as a worker, hears of no arrivals.
    if _receivers:
        # Whoever seems alone may only be the first to come back to Redis: of the tables that says nothing for long.
        alone = not listening[PROCESSES]
        found([PROCESSES] if alone else [group for group, listeners in listening.items() if not listeners])
    return [(group, message) for group, message in news if listening[group]]


def _note_failure(future: Any) -> None:
    failed = future.cancelled() or future.exception() is not None
    PUSHES.labels("failed" if failed else "sent").inc()
    if failed and not future.cancelled():
        log.warning("a message could not be pushed", exc_info=future.exception())


@lru_cache(maxsize=1)
def _sending_loop() -> asyncio.AbstractEventLoop:
    """Return this process's loop for sending, in a daemon thread: a loop per message would need a connection each."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="push", daemon=True).start()
    return loop
