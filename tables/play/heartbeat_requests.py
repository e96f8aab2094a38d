"""Requests for the heartbeat: a worker runs a clock out only once a web process has noted the heartbeat after its end.

Web processes note it twice a second, and a nudge comes right after the end of its clock. So the worker asks them to
note it now, and waits for a moment.
"""

import time
from collections.abc import Mapping
from typing import Any

from tables.models import ServerHeartbeat
from tables.play import broadcast

#: The group of the web processes' heartbeats, and the type of a request, by the names that 1.0.0 knows.
GROUP = "pulse"
#: Seconds that a worker waits at most, and between two looks whether the heartbeat has been noted.
PATIENCE, PAUSE = 0.3, 0.01
#: The last heartbeat after which nobody answered: no request is sent again until there is a newer one.
_unanswered = {"at_ms": 0}


def await_heartbeat(moment: int, heartbeat: ServerHeartbeat | None) -> None:
    """Have the heartbeat noted if it was not since that moment (ms), which is past; wait for that, but not for long.

    `heartbeat` is the heartbeat as it was read last.
    """
    if heartbeat is None or heartbeat.at_ms >= moment or heartbeat.at_ms == _unanswered["at_ms"]:
        return
    broadcast.send(GROUP, {"type": "pulse", "since": moment})
    give_up = time.monotonic() + PATIENCE
    while not ServerHeartbeat.objects.filter(at_ms__gte=moment).exists():
        if time.monotonic() >= give_up:
            _unanswered["at_ms"] = heartbeat.at_ms
            return
        time.sleep(PAUSE)


def moment_of(message: Mapping[str, Any]) -> int:
    """Return the moment after which a request wants the heartbeat noted."""
    return int(message["since"])
