"""The socket's part in the fast way of a frame: whether it may take it, and whose credentials are checked first."""

import time
from typing import Any, Protocol

from tables import metrics
from tables.play.fast import gathering
from tables.play.fast.moves import QUICK
from tables.play.guards import MoveRequest
from tables.play.lanes import CountedCall
from tables.play.protocol import Frame
from tables.sockets import credentials, heartbeat

# When the heartbeat is late, the credentials of all moves of a batch are checked at once.
gathering.Gathering.vouch = staticmethod(credentials.still_valid)


class Mover(heartbeat.MonitoredSocket, Protocol):
    """A socket at a table, with its user, its connection, and whether it plays its seat."""

    user_id: int
    connection: str
    plays: bool


async def play_fast(socket: Mover, frame: Frame) -> dict[str, Any] | None:
    """Make the move the fast way and return its `ack`; return None, with nothing changed, if it cannot go that way.

    The socket's credential was found valid within the last second, or is checked now.
    """
    if frame.type not in QUICK or not socket.plays or socket.table_id is None or socket.credential is None:
        return None
    to_verify = None if heartbeat.of_this_loop().is_freshly_verified(socket) else socket.credential
    began = time.perf_counter()
    with CountedCall():
        answer = await gathering.of_this_loop().play(
            MoveRequest(socket.table_id, socket.user_id, socket.connection, frame, to_verify)
        )
    if answer is not None:
        metrics.count(frame.type, "ack", time.perf_counter() - began)
    return answer
