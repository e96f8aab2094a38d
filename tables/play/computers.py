"""The moves of computer players: at their stored time, or without pauses for a player who only looks on.

All moves of a process share one interpreter, so an expert, who thinks for 20 ms, does so in a process of its own. The
others decide in less than a millisecond, here.
"""

import atexit
import shlex
import sys
import threading
from functools import lru_cache
from typing import Any, Final

from django.conf import settings

from rules import bots
from rules.game import IN_DEAL, View
from tables.errors import TableError
from tables.play import clocks, frames, practice, protocol, store
from tables.play.advance import advance_for_platform, changing, finish
from tables.play.external import Instead, Program
from tables.play.seating import seating_of
from tables.play.store import LockedTable
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.base.retry import retried
from wallet.language import gettext as _

_one_at_a_time = threading.Lock()
#: Seconds for which a decision waits for others: the table is locked, and the database ends what stands idle for three.
_PATIENCE: Final = 0.5
#: How often a player may skip: each skip may be a whole deal of moves.
PACE = RateLimit("skips", 10, 30)
#: The most moves of computer players in one skip: more than any deal has left.
MOST = 600


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


def move_computer(table: LockedTable) -> None:
    """Make the move of the computer player that the table waits for, if the time stored for it has come."""
    if not clocks.is_computer_due(table.row.computer_due_ms, table.now):
        return
    _move_next(table)
    table.row.computer_due_ms = None
    table.row.save(update_fields=["computer_due_ms"])


def skip_to_end(*, table_id: int, user_id: int) -> None:
    """Play the deal of a practice table to its end without pauses, once its player is out of it.

    Each move has a commit of its own. Where no deal is under way, nothing is done. TableError `not_seated`,
    `not_practice`, `still_in_deal`, `rate_limited`.
    """
    if not rate_limits.count_tries([(PACE, PACE.key(user_id))]):
        raise TableError("rate_limited", _("You have skipped several times. Wait a moment."), status=429)
    moved = 0
    while moved < MOST and _skip_one(table_id, user_id, first=not moved):
        moved += 1


@retried
def _skip_one(table_id: int, user_id: int, *, first: bool) -> bool:
    """Make the next move of a computer player; return whether there was one.

    Only the `first` is refused with an error: where a later one is not possible, the skipping ends.
    """
    with changing(table_id):
        table = store.lock_table(table_id)
        if first:
            _check(table, user_id)
        if table.state.phase not in IN_DEAL or not practice.looks_on(table) or not clocks.awaited_computers(table):
            return False
        _move_next(table)
        finish(table)
        return bool(table.events)


def _check(table: LockedTable, user_id: int) -> None:
    seating_of(table, user_id)
    if table.row.practice_for_id is None:
        raise TableError("not_practice", _("Only a practice table can be skipped to the end."))
    if table.state.phase in IN_DEAL and not practice.looks_on(table):
        raise TableError("still_in_deal", _("You are still in the deal: play your hand."))


def _move_next(table: LockedTable) -> None:
    for seat in clocks.awaited_computers(table)[:1]:
        strength = bots.Strength(table.row.strength or bots.Strength.SOUND)
        chosen = decision(frames.view(table, seat), strength)
        if chosen is not None:
            advance_for_platform(table, protocol.to_move(protocol.read_frame(chosen), seat))
