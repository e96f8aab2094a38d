"""Terms of a table, and a player who acts at it as their socket would."""

import json
from dataclasses import dataclass
from typing import Any

from rules.game.state import Terms
from tables.models import Table
from tables.play import presence, protocol
from tables.play import services as play
from tests.support import connections
from tests.support.players import signed_up


def terms(**changes: Any) -> Terms:
    usual = {"book": "standard-points", "book_version": 1, "seats": 2, "point_value": 1, "minimum": 80}
    return Terms(**{**usual, "fee_percent": 10, **changes})


@dataclass
class Client:
    """One player at one table, as their socket would act."""

    table: int
    user: Any
    connection: str

    def send(self, frame_type: str, **fields: Any) -> dict[str, Any]:
        frame = protocol.parse_frame(json.dumps({"type": frame_type, **fields}))
        return play.play(table_id=self.table, user_id=self.user.pk, connection=self.connection, frame=frame)

    def view(self) -> dict[str, Any]:
        frame = presence.current_frame(table_id=self.table, user_id=self.user.pk).text
        return dict(json.loads(frame)["view"])

    @property
    def me(self) -> dict[str, Any]:
        return dict(self.view()["me"])


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
