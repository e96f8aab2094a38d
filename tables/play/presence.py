"""Which socket plays which seat, and who may look at a table."""

from collections.abc import Collection, Sequence
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
from tables.play.seating import OFFLINE_AFTER_MS, connected_seats, find_seating, is_connected, seat_shown
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


@dataclass(frozen=True, slots=True)
class Coming:
    """`connection` has come to the table. It plays the user's seat at once where nobody does.

    A living socket is replaced only when the new client has spoken: a process that was stopped works off calls whose
    clients have long gone elsewhere.
    """

    user_id: int
    connection: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The client of `connection`, the `number`th that came to the user's seat, has spoken, and plays the seat."""

    user_id: int
    connection: str
    number: int


@dataclass(frozen=True, slots=True)
class Going:
    """`connection` is gone: the seat has none, unless another one plays it already."""

    user_id: int
    connection: str


@dataclass(frozen=True, slots=True)
class _Shown:
    """Who has come is to be shown the table, from that seat, or as a watcher."""

    seat: int | None
    away_ms: int = 0
    number: int = 0
    plays: bool = False


@retried
def come_and_go(*, table_id: int, calls: Sequence[Coming | Claim | Going]) -> list[Joined | TableError | None]:
    """Let all this happen at the table, in this order and under one lock, and return an answer to each call.

    That is a Joined for who has come, or a TableError that concerns nobody else: `barred` at a table that is not open
    to watchers, `taken_over` where a later connection plays the seat. TableError `not_found`, `frozen` where the table
    cannot be shown: then nothing has happened.
    """
    with changing(table_id):
        table = store.lock_table(table_id, frozen=True)
        there = connected_seats(table.seatings.values(), table.now)
        heard = [_heard(table, call) for call in calls]
        finish(table)
        if not table.events and there != connected_seats(table.seatings.values(), table.now):
            broadcast.presence(table)
        shown = [each for each in heard if isinstance(each, _Shown)]
        made = {
            away: frames.shown_frames(table, [each.seat for each in shown if each.away_ms == away], away_ms=away)
            for away in {each.away_ms for each in shown}
        }
        return [
            Joined(made[each.away_ms][each.seat], each.number, each.plays) if isinstance(each, _Shown) else each
            for each in heard
        ]


def _heard(table: LockedTable, call: Coming | Claim | Going) -> _Shown | TableError | None:
    seating = find_seating(table, call.user_id)
    try:
        if isinstance(call, Coming):
            return _come(table, seating, call)
        if isinstance(call, Going):
            _go(table, seating, call)
        elif seating is not None and seating.connection != call.connection:
            adopt(table, seating, call.connection, call.number)
    except TableError as refusal:
        # Whoever is refused with these has changed nothing.
        if refusal.code not in ("barred", "taken_over"):
            raise
        return refusal
    return None


def _come(table: LockedTable, seating: Seating | None, call: Coming) -> _Shown:
    if seating is None:
        seat = seat_shown(table, call.user_id)
        if seat is None:
            check_watcher(table.row, call.user_id)
        return _Shown(seat)
    plays = not is_connected(seating, table.now)
    away_ms = _make_up(table, seating)
    seating.joins += 1
    if plays:
        adopt(table, seating, call.connection, seating.joins)
    else:
        seating.save(update_fields=["joins", "seen_ms"])
    return _Shown(seating.seat, away_ms, seating.joins, plays)


def _go(table: LockedTable, seating: Seating | None, call: Going) -> None:
    if seating is not None and seating.connection == call.connection:
        seating.connection = ""
        seating.save(update_fields=["connection"])
        transaction.on_commit(partial(live.forget, table.row.pk))
    else:
        # Who has left the seat in the meantime is not there either.
        own = Seating.objects.filter(table_id=table.row.pk, user_id=call.user_id, connection=call.connection)
        own.update(connection="")


def _make_up(table: LockedTable, seating: Seating) -> int:
    """Give whoever comes back after an outage, and is awaited, outages.GRACE_MS from the first frame on, once for each
    outage; return how long it took, in ms, 0 where there was none. The seating's sign of life is not saved.
    """
    missed = outages.missed_by(table, seating) if table.row.status == Table.Status.OPEN else None
    if missed is None:
        return 0
    seating.seen_ms = table.now
    give_back(table)
    clock = table.state.clock
    if clock is not None and outages.is_for(clock, seating.seat) and clock.deadline < table.now + outages.GRACE_MS:
        advance_for_platform(table, moves.Grant(ms=outages.GRACE_MS))
    return max(0, missed.ended_ms - missed.began_ms)


def connect(*, table_id: int, user_id: int, connection: str) -> Joined:
    """Let one come, as `Coming` says; return the user's `state` frame, and which socket of the seat it is."""
    joined = _one(table_id, Coming(user_id, connection))
    assert joined is not None
    return joined


def take(*, table_id: int, user_id: int, connection: str, number: int) -> None:
    """Let one take their seat, as `Claim` says. TableError `taken_over` where a later one plays the seat."""
    _one(table_id, Claim(user_id, connection, number))


def disconnect(*, table_id: int, user_id: int, connection: str) -> None:
    """Let one go, as `Going` says."""
    _one(table_id, Going(user_id, connection))


def _one(table_id: int, call: Coming | Claim | Going) -> Joined | None:
    [answer] = come_and_go(table_id=table_id, calls=[call])
    if isinstance(answer, TableError):
        raise answer
    return answer


def adopt(table: LockedTable, seating: Seating, connection: str, number: int) -> bool:
    """Let `connection` play the seat, and tell whatever played it before; return whether nobody was there.

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
    return not was_connected


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
