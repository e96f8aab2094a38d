"""Time that passes while the platform serves, or is down."""

import json
from typing import Any

from tables import tasks
from tables.models import LoggedEvent
from tables.play import outages
from tests.support import connections
from tests.support.clock import Clock
from tests.support.tables import Client


def alive(clock: Clock, seconds: float) -> None:
    """Let time pass while a web process serves and the sweep looks at the clocks."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        outages.record_heartbeat()
        tasks.sweep()


def away(clock: Clock, seconds: float) -> None:
    """Let the web processes die while the workers live on; at the end a web process is back."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        tasks.sweep()
    outages.record_heartbeat(starting=True)


def stepped(clock: Clock, seconds: float) -> None:
    """Step the database's clock while everything runs."""
    clock.wait(seconds)
    outages.record_heartbeat()
    tasks.sweep()


def kinds(table: int) -> list[str]:
    return list(LoggedEvent.objects.filter(table=table).order_by("pk").values_list("kind", flat=True))


def left(client: Client) -> float:
    """Return the seconds until the running clock ends."""
    return float(client.view()["clock"]["remaining_ms"]) / 1000


def back(client: Client) -> dict[str, Any]:
    """Return the first frame of a new socket of the player's."""
    return dict(
        json.loads(connections.connect(table_id=client.table, user_id=client.user.pk, connection="again").frame.text)
    )


def away_unswept(clock: Clock, seconds: float) -> None:
    """Let the web processes die and one come back; no worker has looked at the clocks meanwhile."""
    clock.wait(seconds)
    outages.record_heartbeat(starting=True)
