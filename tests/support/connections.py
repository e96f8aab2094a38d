"""Sockets that connect to a seat, claim it and disconnect, one call at a time."""

from tables.errors import TableError
from tables.play import presence
from tables.play.frames import Joined
from tables.play.seating import Arrival, Call, Claim, Departure


def connect(*, table_id: int, user_id: int, connection: str) -> Joined:
    """Handle one Arrival; return the user's `state` frame and the number of this socket at the seat."""
    joined = _handle(table_id, Arrival(user_id, connection))
    assert joined is not None
    return joined


def take(*, table_id: int, user_id: int, connection: str, number: int) -> None:
    """Handle one Claim. TableError `taken_over` where a later socket plays the seat."""
    _handle(table_id, Claim(user_id, connection, number))


def disconnect(*, table_id: int, user_id: int, connection: str) -> None:
    """Handle one Departure."""
    _handle(table_id, Departure(user_id, connection))


def _handle(table_id: int, call: Call) -> Joined | None:
    [answer] = presence.handle_calls(table_id=table_id, calls=[call])
    if isinstance(answer, TableError):
        raise answer
    return answer
