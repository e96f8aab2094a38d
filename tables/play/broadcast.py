"""The one way out: after the commit, one message for the table with each viewer's own view in it."""

import asyncio
import logging
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from channels.layers import get_channel_layer
from django.db import transaction

from rules.game.events import TurnBegan
from tables.metrics import PUSHES
from tables.play import frames
from tables.play.seating import connected_seats
from tables.play.store import LockedTable

log = logging.getLogger(__name__)

#: So many messages may wait for a channel layer that is not well; more are dropped, and the heartbeat makes up for it.
MOST_WAITING = 2_000

#: What players read at a table that stands still.
FROZEN = "This table is stopped until our staff have looked at it. Your chips are safe."

#: What players read at a table that is to be settled while the books are being looked at.
WAITS = "This table waits until our staff have checked the books. Your chips are safe, and the game goes on by itself."

#: What players read at a table that was cancelled although its state was lost.
VOID = "This table was cancelled by our staff. What you had there is in your balance again."


def table_group(table_id: int) -> str:
    return f"table.{table_id}"


def user_group(user_id: int) -> str:
    return f"user.{user_id}"


LOBBY_GROUP = "lobby"


def after_commit(table: LockedTable) -> None:
    """Once the transaction is committed, everyone at the table gets their frame; before that nobody gets anything.

    Whatever goes wrong with the sending is logged and undoes nothing.
    """
    transaction.on_commit(lambda: _send_table(table), robust=True)


def presence(table: LockedTable) -> None:
    """As `after_commit`, for a change of who is connected: the same version, no events."""
    transaction.on_commit(lambda: _send_table(table), robust=True)


def taken_over(table_id: int, user_id: int, connection: str, number: int) -> None:
    """This player's sockets at this table close with 4001, but for `connection` and those that came after it."""
    message = {"type": "table.taken_over", "user": user_id, "connection": connection, "number": number}
    transaction.on_commit(lambda: send(table_group(table_id), message), robust=True)


def frozen(table_id: int) -> None:
    """Everybody at the table is told, once this is committed, that it stands still for our staff."""
    message = {"type": "table.notice", "code": "frozen", "message": FROZEN}
    transaction.on_commit(lambda: send(table_group(table_id), message), robust=True)


def voided(table_id: int) -> None:
    """Everybody at the table is told, once this is committed, that it was cancelled."""
    message = {"type": "table.notice", "code": "table_closed", "message": VOID}
    transaction.on_commit(lambda: send(table_group(table_id), message), robust=True)


def signed_out(user_id: int, session: str | None) -> None:
    """The user's sockets of that session (of every session where it is None) close with 4003."""
    send(user_group(user_id), {"type": "user.signed_out", "session": session})


def _send_table(table: LockedTable) -> None:
    message = {
        "type": "table.state",
        "version": table.state.version,
        "connected": sorted(connected_seats(table.seatings.values(), table.now)),
        "events": bool(table.events),
        "frames": frames.frames(table),
    }
    send(table_group(table.row.pk), message)
    _send_lobby(table)


def _send_lobby(table: LockedTable) -> None:
    if table.row.stake_id is not None and any(event.name in frames.SEEN_IN_THE_LOBBY for event in table.events):
        send(LOBBY_GROUP, {"type": "lobby.stake", "stake_id": table.row.stake_id})
    for event in table.events:
        if isinstance(event, TurnBegan):
            seating = table.seatings.get(event.seat)
            if seating is not None and seating.user_id is not None and seating.left_at is None:
                send(user_group(seating.user_id), {"type": "user.turn", "table": table.row.pk})


def send(group: str, message: Mapping[str, Any]) -> None:
    """Hands the message to the channel layer and returns at once. Push is a hint: a failure is logged, no more."""
    layer = get_channel_layer()
    if layer is None or len(_waiting) >= MOST_WAITING:
        return
    handed_over = asyncio.run_coroutine_threadsafe(layer.group_send(group, dict(message)), _sending_loop())
    _waiting.add(handed_over)
    handed_over.add_done_callback(_note_failure)


#: What the channel layer has not taken yet.
_waiting: set[Any] = set()


def _note_failure(done: Any) -> None:
    _waiting.discard(done)
    failed = done.cancelled() or done.exception() is not None
    PUSHES.labels("failed" if failed else "sent").inc()
    if failed and not done.cancelled():
        log.warning("a message could not be pushed", exc_info=done.exception())


@lru_cache(maxsize=1)
def _sending_loop() -> asyncio.AbstractEventLoop:
    """One loop in a daemon thread for each process: a loop per message would mean a Redis connection per message."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="push", daemon=True).start()
    return loop
