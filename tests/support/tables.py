"""Terms of a table, and a player who acts at it as their socket would."""

import json
from dataclasses import dataclass
from typing import Any

from django.db import connection as database

from rules.game import codec
from rules.game.events import Event
from rules.game.state import Terms
from tables.log.sealing import EVENTS
from tables.models import LoggedEvent, Table
from tables.play import presence, protocol, services as play
from tables.play.advance import freezing
from tables.play.fast import moves as fast
from tables.play.guards import MoveRequest
from tests.support import connections
from tests.support.players import signed_up
from wallet.base.retry import retried


def terms(**changes: Any) -> Terms:
    usual = {"book": "standard-points", "book_version": 1, "seats": 2, "point_value": 1, "minimum": 80}
    return Terms(**{**usual, "fee_percent": 10, **changes})


def read_event(row: LoggedEvent) -> Event:
    """Return the event in the row."""
    return codec.load_event(json.loads(EVENTS.unseal(row)))


@dataclass
class Client:
    """One player at one table, as their socket would act."""

    table: int
    user: Any
    connection: str

    def send(self, frame_type: str, **fields: Any) -> dict[str, Any]:
        frame = protocol.parse_frame(json.dumps({"type": frame_type, **fields}))
        return play_move(table_id=self.table, user_id=self.user.pk, connection=self.connection, frame=frame)

    def view(self) -> dict[str, Any]:
        frame = presence.current_frame(table_id=self.table, user_id=self.user.pk).text
        return dict(json.loads(frame)["view"])

    @property
    def me(self) -> dict[str, Any]:
        return dict(self.view()["me"])


@retried
def play_move(*, table_id: int, user_id: int, connection: str, frame: protocol.Frame) -> dict[str, Any]:
    """Make the move as its socket would, the fast way or else under the lock; but what fails on the fast way is raised.

    Inside a transaction it is made under the lock: a fast move has one of its own.
    """
    if frame.type in fast.QUICK and not database.in_atomic_block:
        with freezing(table_id):
            [answer] = fast.play_together([MoveRequest(table_id, user_id, connection, frame)])
        if answer is not None:
            return answer
    return play.play(table_id=table_id, user_id=user_id, connection=connection, frame=frame)


def connected(table: Table, user: Any) -> Client:
    """Connect the user to their seat, and return them there."""
    connections.connect(table_id=table.pk, user_id=user.pk, connection=f"c{user.pk}")
    return Client(table.pk, user, f"c{user.pk}")


def seated_at(table: Table, *names: str, amount: int | None = None) -> list[Client]:
    """Sign up players of these names, and give each a seat, with `amount` where the table asks for a buy-in."""
    clients = []
    for name in names:
        user = signed_up(name)
        play.sit(table_id=table.pk, user=user, amount=amount)
        clients.append(connected(table, user))
    return clients
