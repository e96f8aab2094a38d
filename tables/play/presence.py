"""Which socket plays which seat, and who may look at a table."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from django.db import connection as database
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Greatest

from rules.game import moves
from tables.errors import TableError
from tables.models import Seating, Table
from tables.play import broadcast, clocks, frames, outages, store
from tables.play.advance import advance_for_platform, changing, finish, freezing, give_back
from tables.play.fast import live
from tables.play.seating import OFFLINE_AFTER_MS, find_seating, is_connected, seat_shown
from tables.play.store import LockedTable
from wallet.base.among import among
from wallet.base.retry import retried


@dataclass(frozen=True, slots=True)
class Joined:
    """What a socket is told that has come to a table."""

    frame: frames.ShownFrame
    #: Which of all sockets it is that ever came to this seat, from 1; 0 for who has no seat here.
    number: int = 0
    #: Whether it plays the seat already.
    plays: bool = False


@retried
def connect(*, table_id: int, user_id: int, connection: str) -> Joined:
    """Note that `connection` has come to the table.

    Return the user's `state` frame, and which socket of the seat it is.

    It plays the seat at once where nobody does. A living socket is replaced only when the new client has spoken: a
    process that was stopped works off calls whose clients have long gone elsewhere. TableError `not_found`, `frozen`
    where the table cannot be shown, `barred` at one that is not open to watchers.
    """
    with changing(table_id):
        table = store.lock_table(table_id, frozen=True)
        seating = find_seating(table, user_id)
        if seating is None:
            return Joined(current_frame(table_id=table_id, user_id=user_id))
        plays = not is_connected(seating, table.now)
        away_ms = _make_up(table, seating)
        seating.joins += 1
        seating.save(update_fields=["joins"])
        if plays:
            adopt(table, seating, connection, seating.joins)
        return Joined(frames.shown_frame(table, seating.seat, away_ms=away_ms), seating.joins, plays)


def _make_up(table: LockedTable, seating: Seating) -> int:
    """Give whoever comes back after an outage, and is awaited, outages.GRACE_MS from the first frame on, once for each
    outage; return how long it took, in ms, 0 where there was none.
    """
    missed = outages.missed_by(table, seating) if table.row.status == Table.Status.OPEN else None
    if missed is None:
        return 0
    seating.seen_ms = table.now
    seating.save(update_fields=["seen_ms"])
    give_back(table)
    clock = table.state.clock
    if clock is not None and outages.is_for(clock, seating.seat) and clock.deadline < table.now + outages.GRACE_MS:
        advance_for_platform(table, moves.Grant(ms=outages.GRACE_MS))
    finish(table)
    return max(0, missed.ended_ms - missed.began_ms)


@retried
def take(*, table_id: int, user_id: int, connection: str, number: int) -> None:
    """Let `connection`, the `number`th that came to the user's seat, play it, for its client has spoken.

    TableError `taken_over` where a later one does.
    """
    with changing(table_id):
        table = store.lock_table(table_id, frozen=True)
        seating = find_seating(table, user_id)
        if seating is not None and seating.connection != connection:
            adopt(table, seating, connection, number)


def adopt(table: LockedTable, seating: Seating, connection: str, number: int) -> None:
    """Let `connection` play the seat, and tell whatever played it before.

    Its number is 0 where it watched before the seat was taken: such a one has only a seat that nobody plays.
    TableError `taken_over` where one that came later plays it, or did.
    """
    if is_beaten(number, connection, by=seating):
        raise TableError("taken_over", "This seat is now played from another window.")
    replaces, was_connected = bool(seating.connection), is_connected(seating, table.now)
    seating.connection, seating.joined, seating.seen_ms = connection, number, table.now
    # Who sat here before has brought a number of then: whoever comes next is later all the same.
    seating.joins = max(seating.joins, number)
    seating.save(update_fields=["connection", "joined", "joins", "seen_ms"])
    if replaces:
        broadcast.taken_over(table.row.pk, seating.user_id or 0, connection, number)
    transaction.on_commit(partial(live.forget, table.row.pk))
    if table.row.practice_for_id is not None:
        clocks.wake_computers([table.row.pk], table.now)
    if not was_connected:
        broadcast.presence(table)


class Present(Protocol):
    """A socket that is open at a table: whose it is, and which one to come to the seat it was."""

    table_id: int
    user_id: int
    connection: str
    number: int


class Playing(Protocol):
    """Which socket plays a seat: its connection, empty where none does, and which one to come it was."""

    connection: str
    joined: int


def is_beaten(number: int, connection: str, *, by: Playing) -> bool:
    """Return whether a socket that came later than this one, the `number`th, plays the seat or did."""
    if by.connection == connection:
        return False
    return number <= by.joined if by.connection else number < by.joined


@retried
def disconnect(*, table_id: int, user_id: int, connection: str) -> None:
    """Note that the seat has no connection, unless another one plays it already."""
    with changing(table_id):
        table = store.lock_table(table_id, frozen=True)
        seating = find_seating(table, user_id)
        if seating is not None and seating.connection == connection:
            seating.connection = ""
            seating.save(update_fields=["connection"])
            transaction.on_commit(partial(live.forget, table.row.pk))
            broadcast.presence(table)
        else:
            # Who has left the seat in the meantime is not there either.
            Seating.objects.filter(table_id=table_id, user_id=user_id, connection=connection).update(connection="")


@retried
def seen(*, table_id: int, user_id: int, connection: str, number: int = 0) -> None:
    """Note that the connection is alive, and let it play a seat of the user's that nobody plays."""
    own = Seating.objects.filter(table_id=table_id, user_id=user_id, left_at=None)
    own.filter(connection=connection).update(seen_ms=store.now_ms())
    taken = own.filter(connection="", joined__lte=number).update(
        connection=connection, joined=number, joins=Greatest("joins", number), seen_ms=store.now_ms()
    )
    if taken:
        clocks.wake_computers([table_id], store.now_ms())


@retried
def seen_together(sockets: Collection[Present]) -> None:
    """Note that all these sockets are alive: one statement, and one more for each seat of theirs that nobody plays.

    Nobody is waited for: whoever changes a seat at this moment leaves a sign of life themselves. Computer players who
    waited for one of them go on.
    """
    now = store.now_ms()
    own = Seating.objects.filter(among("user_id", {each.user_id for each in sockets}), left_at=None)
    lapsed = own.filter(Q(connection="") | Q(seen_ms__lt=now - OFFLINE_AFTER_MS))
    away = list(lapsed.values_list("table_id", "user_id", "connection"))
    with transaction.atomic():
        played = own.filter(among("connection", [each.connection for each in sockets]))
        free_now = played.select_for_update(skip_locked=database.features.has_select_for_update_skip_locked)
        Seating.objects.filter(pk__in=free_now.values("pk")).update(seen_ms=now)
    if back := {table for table, _, connection in away if connection}:
        clocks.wake_computers(back, now)
    for each in sockets:
        if (each.table_id, each.user_id, "") in away:
            seen(table_id=each.table_id, user_id=each.user_id, connection=each.connection, number=each.number)


def current_frame(*, table_id: int, user_id: int) -> frames.ShownFrame:
    """Return the `state` frame of this user as the table stands, without changing anything."""
    with freezing(table_id):
        table = store.look(table_id)
        seat = seat_shown(table, user_id)
        if seat is None:
            check_watcher(table.row, user_id)
        return frames.shown_frame(table, seat)


def may_watch(table: Table, user_id: int) -> bool:
    """Anybody may watch a public table, nobody a private one, and a practice table who practises there."""
    private = table.private_code or table.practice_for_id is not None
    return not private or table.practice_for_id == user_id


def check_watcher(table: Table, user_id: int) -> None:
    """Raise TableError `barred` for somebody who may not watch."""
    if not may_watch(table, user_id):
        raise TableError("barred", "This table is not open to watchers.", status=403)
