"""Sockets that connect to a seat, claim it and disconnect, one request at a time."""

from tables.errors import TableError
from tables.play import presence
from tables.play.frames import Joined
from tables.play.seating import Claim, Connect, Disconnect, SeatRequest


def connect(*, table_id: int, user_id: int, connection: str) -> Joined:
    """Handle one Connect; return the user's `state` frame and the number of this socket at the seat."""
    joined = _handle(table_id, Connect(user_id, connection))
    assert joined is not None
    return joined


def take(*, table_id: int, user_id: int, connection: str, number: int) -> None:
    """Handle one Claim. TableError `taken_over` where a later socket plays the seat."""
    _handle(table_id, Claim(user_id, connection, number))


def disconnect(*, table_id: int, user_id: int, connection: str) -> None:
    """Handle one Disconnect."""
    _handle(table_id, Disconnect(user_id, connection))


def _handle(table_id: int, request: SeatRequest) -> Joined | None:
    [answer] = presence.handle_requests(table_id=table_id, requests=[request])
    if isinstance(answer, TableError):
        raise answer
    return answer
