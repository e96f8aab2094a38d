"""The fast way of a frame, as far as its socket has a part in it: who may take it, and who is asked for them."""

import time
from typing import Any, Protocol

from tables import metrics
from tables.play.fast.gathering import GATHERING
from tables.play.fast.moves import QUICK, Ask
from tables.play.lanes import noted
from tables.play.protocol import Frame
from tables.sockets import credentials, heartbeat

# Where the heartbeat comes late, all whose moves wait at that moment are asked for at once.
GATHERING.vouch = credentials.still_valid


class Mover(heartbeat.Watched, Protocol):
    """A socket at a table, and whether it plays its seat."""

    user_id: int
    connection: str
    plays: bool


async def make_quickly(socket: Mover, frame: Frame) -> dict[str, Any] | None:
    """Return the `ack` of a move that went the fast way; None, and nothing was changed, where it must go the other.

    The client is who they were let in as: that was so within the last second, or else it is asked for now.
    """
    if frame.type not in QUICK or not socket.plays or socket.table_id is None or socket.admitted_as is None:
        return None
    doubted = None if heartbeat.of_this_loop().has_just_asked(socket) else socket.admitted_as
    began = time.perf_counter()
    with noted():
        answer = await GATHERING.play(Ask(socket.table_id, socket.user_id, socket.connection, frame, doubted))
    if answer is not None:
        metrics.count(frame.type, "ack", time.perf_counter() - began)
    return answer
