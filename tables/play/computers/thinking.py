"""Where computer players think: an expert in a process of its own, so that no move of anybody else waits for it.

All moves of a process share one interpreter: in a thread of it, an expert who thinks for 20 ms would hold up its loop.
The others decide in less than a millisecond, here.
"""

import atexit
import shlex
import sys
import threading
from functools import lru_cache
from typing import Any, Final

from django.conf import settings

from rules import bots
from rules.game import View
from tables.play.computers.external import Instead, Program

_one_at_a_time = threading.Lock()
#: Seconds for which a decision waits for others: the table is locked, and the database ends what stands idle for three.
_PATIENCE: Final = 0.5


def decision(view: View, strength: bots.Strength) -> dict[str, Any] | None:
    """Return the frame that the computer player of this view sends, None if it has nothing to do."""
    if strength is not bots.Strength.EXPERT:
        return bots.choose(view, strength)
    answer = _asked(view)
    # Its process is late or gone: the same is found here, more slowly for everybody else.
    return bots.choose(view, strength) if isinstance(answer, Instead) else answer


def _asked(view: View) -> dict[str, Any] | Instead:
    """Return what the expert answers from its process; LATE where that is taken too long by others."""
    if not _one_at_a_time.acquire(timeout=_PATIENCE):
        return Instead.LATE
    try:
        return _expert().asked(view)
    finally:
        _one_at_a_time.release()


@lru_cache(maxsize=1)
def _expert() -> Program:
    """Return the process of the expert, which starts with the first view and ends with this process."""
    program = Program(f"{shlex.quote(sys.executable)} -m rules.bots expert", folder=settings.BASE_DIR)
    atexit.register(program.end)
    return program
