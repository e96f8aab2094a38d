"""Practice tables: one person against computer players. They wait for the person, and end when the person has gone."""

from rules.game import Clock, Phase, legal_moves
from tables.play.store import LockedTable

#: Between two deals a practice table waits so long for its player, in ms: a day. No such clock is shown.
PATIENCE_MS = 86_400_000

#: The phases in which nothing happens before the player has looked and chosen.
BETWEEN_DEALS = (Phase.RESULT, Phase.REJOIN, Phase.SPLIT)


def is_patient(clock: Clock | None) -> bool:
    """Return whether the clock only stands for a table that waits for its player."""
    return clock is not None and clock.length >= PATIENCE_MS


def has_person(table: LockedTable) -> bool:
    """Return whether somebody who is no computer player holds a seat and has not left."""
    return any(not seating.is_computer and seating.left_at is None for seating in table.seatings.values())


def is_attended(table: LockedTable) -> bool:
    """Return whether it is a practice table with its player at it."""
    return table.row.practice_for_id is not None and has_person(table)


def next_to_go(table: LockedTable) -> int | None:
    """Return the seat of a computer player who may get up now; None where nobody is left who could."""
    for seat, seating in sorted(table.seatings.items()):
        if seating.is_computer and seating.left_at is None and "leave" in legal_moves(table.state, seat):
            return seat
    return None
