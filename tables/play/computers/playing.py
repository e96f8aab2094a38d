"""The moves of computer players: when their moment has come, or without a pause for a player who only looks on."""

from rules import bots
from rules.game import IN_DEAL
from tables.errors import TableError
from tables.play import clocks, frames, protocol, store
from tables.play.advance import advance_for_platform, changing, finish
from tables.play.computers import practice
from tables.play.seating import seating_of
from tables.play.store import LockedTable
from wallet.base.retry import retried
from wallet.language import worded

#: Moves of computer players that are made for one wish to skip: more than any deal has left.
MOST = 600


def move_computer(table: LockedTable) -> None:
    """Let the computer player move who is waited for, if the moment has come that is stored for it."""
    if not clocks.is_computer_due(table.row.computer_due_ms, table.now):
        return
    _move_next(table)
    table.row.computer_due_ms = None
    table.row.save(update_fields=["computer_due_ms"])


def skip_to_end(*, table_id: int, user_id: int) -> None:
    """Play the deal to its end without pauses, at a practice table whose player is out of it; each move is committed
    by itself. Where no deal is under way, nothing is done.

    TableError `not_seated`, `not_practice`, `still_in_deal`.
    """
    moved = 0
    while moved < MOST and _skip_one(table_id, user_id, first=not moved):
        moved += 1


@retried
def _skip_one(table_id: int, user_id: int, *, first: bool) -> bool:
    """Make the next move of a computer player; return whether there was one. Only the `first` is refused to the
    player: what comes later ends the skipping.
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
        raise TableError("not_practice", worded("Only a practice table can be skipped to the end."))
    if table.state.phase in IN_DEAL and not practice.looks_on(table):
        raise TableError("still_in_deal", worded("You are still in the deal: play your hand."))


def _move_next(table: LockedTable) -> None:
    for seat in clocks.awaited_computers(table)[:1]:
        chosen = bots.choose(frames.view(table, seat), bots.Strength(table.row.strength or bots.Strength.SOUND))
        if chosen is not None:
            advance_for_platform(table, protocol.to_move(protocol.read_frame(chosen), seat))
