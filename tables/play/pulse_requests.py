"""Requests for the pulse: a worker runs a clock out only once a web process has noted the pulse after its end.

Web processes note it twice a second, and a nudge comes right after the end of its clock. So the worker asks them to
note it now, and waits for a moment.
"""

import time
from collections.abc import Mapping
from typing import Any

from tables.models import ServerHeartbeat
from tables.play import broadcast

#: The group of the web processes' heartbeats.
GROUP = "pulse"
#: Seconds that a worker waits at most, and between two looks whether the pulse has been noted.
PATIENCE, PAUSE = 0.3, 0.01
#: The last pulse after which nobody answered: no request is sent again until there is a newer one.
_unanswered = {"at_ms": 0}


def await_pulse(moment: int, pulse: ServerHeartbeat | None) -> None:
    """Have the pulse noted if it was not since that moment (ms), which is past; wait for that, but not for long.

    `pulse` is the pulse as it was read last.
    """
    if pulse is None or pulse.at_ms >= moment or pulse.at_ms == _unanswered["at_ms"]:
        return
    broadcast.send(GROUP, {"type": "pulse", "since": moment})
    give_up = time.monotonic() + PATIENCE
    while not ServerHeartbeat.objects.filter(at_ms__gte=moment).exists():
        if time.monotonic() >= give_up:
            _unanswered["at_ms"] = pulse.at_ms
            return
        time.sleep(PAUSE)


def moment_of(message: Mapping[str, Any]) -> int:
    """Return the moment after which a request wants the pulse noted."""
    return int(message["since"])
