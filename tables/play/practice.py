"""Practice tables: one person against computer players. They wait for the person, and close when the person leaves."""

from rules.game import IN_DEAL, Clock, Phase, Standing, hand_of, legal_moves
from tables.play.seating import is_connected
from tables.play.store import TableSnapshot

#: How long a practice table waits for its player, in ms: a day. Such a clock is not shown.
PATIENCE_MS = 86_400_000

#: The share of their usual time that computer players take once the player is out of the deal and only looks on.
HURRY = 0.15


def is_patient(clock: Clock | None) -> bool:
    """Return whether the clock only means that a practice table waits for its player."""
    return clock is not None and clock.length >= PATIENCE_MS


def has_person(table: TableSnapshot) -> bool:
    """Return whether a person holds a seat and has not left."""
    return any(not seating.is_computer and seating.left_at is None for seating in table.seatings.values())


def is_watched(table: TableSnapshot) -> bool:
    """Return whether computer players move now: at tables without clocks only while a seated person is connected.

    In a tournament they play also where nobody else does, and a deal of a fixed shoe to its end once its player is out.
    """
    if table.row.tournament_id is not None:
        return True
    if table.row.shoe_id is not None and table.state.phase in IN_DEAL and looks_on(table):
        return has_person(table)
    if table.state.terms.clocks.turn < PATIENCE_MS:
        return has_person(table)
    people = (seating for seating in table.seatings.values() if not seating.is_computer and seating.left_at is None)
    return any(is_connected(seating, table.now) for seating in people)


def pace(table: TableSnapshot) -> float:
    """Return the factor on the time that computer players seem to think."""
    return HURRY if table.state.phase in IN_DEAL and not _people_in(table) else 1


def looks_on(table: TableSnapshot) -> bool:
    """Return whether the deal waits only for computer players: all people are out of it, or have submitted melds."""
    people = _people_in(table)
    melding = table.state.phase is Phase.MELDING
    return not people or (melding and not any("submit" in legal_moves(table.state, seat) for seat in people))


def _people_in(table: TableSnapshot) -> list[int]:
    """Return the seats of the people who are still in the deal."""
    people = [seat for seat, seating in table.seatings.items() if not seating.is_computer and seating.left_at is None]
    hands = {seat: hand_of(table.state, seat) for seat in people}
    return [seat for seat, hand in hands.items() if hand is not None and hand.standing is Standing.IN]


def is_attended(table: TableSnapshot) -> bool:
    """Return whether this is a practice table that its player has not left."""
    return table.row.practice_for_id is not None and has_person(table)


def next_to_go(table: TableSnapshot) -> int | None:
    """Return the seat of a computer player who may leave now, None if there is none."""
    for seat, seating in sorted(table.seatings.items()):
        if seating.is_computer and seating.left_at is None and "leave" in legal_moves(table.state, seat):
            return seat
    return None
