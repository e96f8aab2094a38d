"""Which socket plays which seat, and who may look at a table."""

from tables import broadcast, store, timers, views
from tables.advance import changing, freezing
from tables.errors import TableError
from tables.models import Seating, Table
from tables.seating import find_seating, seat_shown
from wallet.retrying import retried


@retried
def connect(*, table_id: int, user_id: int, connection: str) -> str:
    """`connection` plays the user's seat from now on, if he has one here; answers his `state` frame.

    TableError `not_found`, `frozen` where the table cannot be shown, `barred` at one that is not open to watchers.
    """
    with changing(table_id):
        held = store.hold(table_id, frozen=True)
        seating = find_seating(held, user_id)
        if seating is None:
            return current_frame(table_id=table_id, user_id=user_id)
        taken = bool(seating.connection)
        was_connected = views.is_connected(seating, held.now)
        seating.connection, seating.seen_ms = connection, held.now
        seating.save(update_fields=["connection", "seen_ms"])
        if taken:
            broadcast.taken_over(table_id, user_id, connection)
        if not was_connected:
            broadcast.presence(held)
        return views.state_frame(held, seating.seat)


def adopt(seating: Seating, connection: str) -> None:
    """A seat that nobody plays is played by `connection`: it was taken while that socket already watched.

    TableError `taken_over` where another connection plays it.
    """
    if seating.connection:
        raise TableError("taken_over", "This seat is now played from another window.")
    seating.connection, seating.seen_ms = connection, store.now_ms()
    seating.save(update_fields=["connection", "seen_ms"])


@retried
def disconnect(*, table_id: int, user_id: int, connection: str) -> None:
    """The seat has no connection, unless another one plays it already."""
    with changing(table_id):
        held = store.hold(table_id, frozen=True)
        seating = find_seating(held, user_id)
        if seating is not None and seating.connection == connection:
            seating.connection = ""
            seating.save(update_fields=["connection"])
            broadcast.presence(held)
        else:
            # Who has left the seat in the meantime is not there either.
            Seating.objects.filter(table_id=table_id, user_id=user_id, connection=connection).update(connection="")


@retried
def seen(*, table_id: int, user_id: int, connection: str) -> None:
    """The connection is alive; a seat of the user's that nobody plays is played by it.

    A sign of life of the platform as well: it plays on without a worker as long as sockets watch its clocks.
    """
    timers.beat(store.now_ms())
    own = Seating.objects.filter(table_id=table_id, user_id=user_id, left_at=None)
    own.filter(connection__in=("", connection)).update(connection=connection, seen_ms=store.now_ms())


def current_frame(*, table_id: int, user_id: int) -> str:
    """The `state` frame of this user as the table stands, without changing anything."""
    with freezing(table_id):
        held = store.look(table_id)
        seat = seat_shown(held, user_id)
        if seat is None:
            check_watcher(held.row, user_id)
        return views.state_frame(held, seat)


def may_watch(table: Table, user_id: int) -> bool:
    """Anybody may watch a public table, nobody a private one, and a practice table who practises there."""
    private = table.private_code or table.practice_for_id is not None
    return not private or table.practice_for_id == user_id


def check_watcher(table: Table, user_id: int) -> None:
    """TableError `barred` for who may not watch."""
    if not may_watch(table, user_id):
        raise TableError("barred", "This table is not open to watchers.", status=403)
