"""Guards: what forbids a request for a move before the rules are asked.

Both ways of a move ask `why_not`, so that a guard in GUARDS binds both: the way with the lock answers with the refusal,
and the fast way leaves the request to it. The fast way asks of a table in memory. So a guard that depends on what
another process may change must be a condition of the write as well (`fast.commit`).
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from rules import game
from tables.errors import TableError
from tables.models import Seating
from tables.play import protocol
from tables.play.seating import may_use, not_seated
from tables.play.store import TableSnapshot
from wallet.base.errors import Refusal
from wallet.language import gettext as _
from wallet.responsible_gaming import admission


@dataclass(frozen=True, slots=True, eq=False)
class MoveRequest:
    """A socket's request to make a move at a table."""

    table_id: int
    user_id: int
    connection: str
    frame: protocol.Frame
    #: The socket's credential, where it was not found valid within the last second: see `fast.group_commit`.
    unverified: Hashable = None


MoveGuard = Callable[[TableSnapshot, Seating | None, MoveRequest], Refusal | None]


def why_not(table: TableSnapshot, seating: Seating | None, request: MoveRequest) -> Refusal | None:
    """Return why the player in that seating (None: without a seat) may not make the move; None where they may.

    The first of GUARDS that refuses decides.
    """
    for guard in GUARDS:
        refusal = guard(table, seating, request)
        if refusal is not None:
            return refusal
    return None


def has_seat(table: TableSnapshot, seating: Seating | None, request: MoveRequest) -> Refusal | None:
    """Refuse with `not_seated` a user without a seat, or with a locked account."""
    return None if may_use(seating) else not_seated()


def plays_seat(table: TableSnapshot, seating: Seating | None, request: MoveRequest) -> Refusal | None:
    """Refuse with `taken_over` a socket that does not play the seat."""
    if seating is None or seating.connection != request.connection:
        return played_elsewhere()
    return None


def has_seen_enough(table: TableSnapshot, seating: Seating | None, request: MoveRequest) -> Refusal | None:
    """Refuse with `stale` a move that was decided on an older view."""
    seen = request.frame.version
    if seen is None or seating is None or request.frame.type not in protocol.VERSIONED:
        return None
    if game.is_stale(table.state, seating.seat, seen):
        return TableError("stale", _("The table has moved on since. Look again, then choose."))
    return None


def may_go_on(table: TableSnapshot, seating: Seating | None, request: MoveRequest) -> Refusal | None:
    """Refuse another deal to a player who takes a break, or has played long enough.

    A match of several deals is played to its end. This alone asks the database, of a frame that is never fast.
    """
    if request.frame.type != "continue" or seating is None or seating.user_id is None or not table.state.book.per_point:
        return None
    return admission.barred([seating.user_id]).get(seating.user_id)


#: In the order in which they are asked.
GUARDS: tuple[MoveGuard, ...] = (has_seat, plays_seat, has_seen_enough, may_go_on)


def played_elsewhere() -> TableError:
    """Return the refusal for a socket whose seat another one plays."""
    return TableError("taken_over", _("This seat is now played from another window."))
