"""Which socket plays which seat, and who may look at a table."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from django.db import connection as database
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Greatest

from rules.game import moves
from tables.errors import TableError
from tables.models import Outage, Seating, Table
from tables.play import broadcast, clocks, frames, outages, store
from tables.play.advance import advance_for_platform, changing, finish, freezing, give_back
from tables.play.fast import live
from tables.play.frames import Joined
from tables.play.seating import (
    OFFLINE_AFTER_MS,
    Call,
    Claim,
    Coming,
    Going,
    connected_seats,
    find_seating,
    is_connected,
    seat_shown,
)
from tables.play.store import LockedTable
from wallet.base.among import among
from wallet.base.retry import retried
from wallet.language import ENGLISH, worded

Answer = Joined | TableError | None


@dataclass(frozen=True, slots=True)
class _Shown:
    """What to show a connection that has come: the table from that seat, or as a watcher sees it where it is None."""

    seat: int | None
    language: str = ENGLISH
    away_ms: int = 0
    number: int = 0
    plays: bool = False


@retried
def come_and_go(*, table_id: int, calls: Sequence[Call]) -> list[Answer]:
    """Handle these calls at the table, in this order and under one lock; return an answer to each.

    The answer is a Joined to a Coming, None to other calls, or a TableError that concerns this call alone: `barred` at
    a table not open to watchers, `taken_over` where a later connection plays the seat. Raises TableError `not_found`,
    or `frozen` where the table cannot be shown; then nothing has changed.
    """
    with changing(table_id):
        table = store.lock_table(table_id, frozen=True)
        return _passed({table_id: table}, {table_id: calls})[table_id]


@retried
def come_and_go_at_many(*, calls: Mapping[int, Sequence[Call]]) -> dict[int, list[Answer]]:
    """Handle calls at many tables as `come_and_go` does, in one transaction: an error at one of them undoes everything.

    It waits for no lock: the answers leave out tables that do not exist, are frozen or are locked.
    """
    known = {table_id: table for table_id in calls if (table := live.find(table_id)) is not None}
    with transaction.atomic():
        return _passed(store.lock_free_tables(calls, known), calls)


def _passed(tables: Mapping[int, LockedTable], calls: Mapping[int, Sequence[Call]]) -> dict[int, list[Answer]]:
    """Handle the calls at the locked tables, and return the answers."""
    there = {pk: connected_seats(table.seatings.values(), table.now) for pk, table in tables.items()}
    comers = {pk: {call.user_id for call in calls[pk] if isinstance(call, Coming)} for pk in tables}
    seen = [each.seen_ms for pk in tables for each in tables[pk].seatings.values() if each.user_id in comers[pk]]
    ended = outages.ended_since(min(seen)) if seen else []
    heard = {pk: [_heard(table, call, ended) for call in calls[pk]] for pk, table in tables.items()}
    store.write_presence(tables.values())
    for pk, table in tables.items():
        finish(table)
        transaction.on_commit(partial(_keep_known, table))
        if not table.events and there[pk] != connected_seats(table.seatings.values(), table.now):
            broadcast.presence(table)
    return {pk: _shown(table, heard[pk]) for pk, table in tables.items()}


def _shown(table: LockedTable, heard: Sequence[_Shown | TableError | None]) -> list[Answer]:
    shown = [each for each in heard if isinstance(each, _Shown)]
    made = {
        (away, language): frames.shown_frames(table, seats, away_ms=away, language=language)
        for (away, language), seats in _grouped(shown).items()
    }
    return [
        Joined(made[each.away_ms, each.language][each.seat], each.number, each.plays)
        if isinstance(each, _Shown)
        else each
        for each in heard
    ]


def _grouped(shown: Iterable[_Shown]) -> dict[tuple[int, str], list[int | None]]:
    """Return the seats by absence and language: those of a group can be encoded together."""
    seats: dict[tuple[int, str], list[int | None]] = {}
    for each in shown:
        seats.setdefault((each.away_ms, each.language), []).append(each.seat)
    return seats


def _keep_known(table: LockedTable) -> None:
    """Let the fast way remember the table as just committed; where it knows a newer state, update who is connected."""
    live.keep(table)
    live.note(table.row.pk, table.seatings.values())


def _heard(table: LockedTable, call: Call, ended: Sequence[Outage]) -> _Shown | TableError | None:
    seating = find_seating(table, call.user_id)
    try:
        if isinstance(call, Coming):
            return _come(table, seating, call, ended)
        if isinstance(call, Going):
            _go(table, seating, call)
        elif seating is not None and seating.connection != call.connection:
            _adopt(table, seating, call.connection, call.number)
    except TableError as refusal:
        # These refusals come before any change.
        if refusal.code not in ("barred", "taken_over"):
            raise
        return refusal
    return None


def _come(table: LockedTable, seating: Seating | None, call: Coming, ended: Sequence[Outage]) -> _Shown:
    if seating is None:
        seat = seat_shown(table, call.user_id)
        if seat is None:
            check_watcher(table.row, call.user_id)
        return _Shown(seat, call.language)
    plays = not is_connected(seating, table.now) or call.has_spoken()
    away_ms = _make_up(table, seating, ended)
    seating.joins += 1
    table.came_and_went[seating.pk] = seating
    if plays:
        _adopt(table, seating, call.connection, seating.joins)
    return _Shown(seating.seat, call.language, away_ms, seating.joins, plays)


def _go(table: LockedTable, seating: Seating | None, call: Going) -> None:
    if seating is not None and seating.connection == call.connection:
        seating.connection = ""
        table.came_and_went[seating.pk] = seating
    else:
        # The player may have left the seat in the meantime: that seating has no socket now either.
        own = Seating.objects.filter(table_id=table.row.pk, user_id=call.user_id, connection=call.connection)
        own.update(connection="")


def _make_up(table: LockedTable, seating: Seating, ended: Sequence[Outage]) -> int:
    """Grant outages.GRACE_MS to a player who comes back after an outage and must act, once for each outage.

    Return how long the outage was, in ms; 0 if they missed none. The seating's sign of life is not saved here.
    """
    missed = outages.missed_by(table, seating, ended) if table.row.status == Table.Status.OPEN else None
    if missed is None:
        return 0
    seating.seen_ms = table.now
    if table.row.outages_seen < missed.pk:
        give_back(table)
    clock = table.state.clock
    if clock is not None and outages.is_for(clock, seating.seat) and clock.deadline < table.now + outages.GRACE_MS:
        advance_for_platform(table, moves.Grant(ms=outages.GRACE_MS))
    return max(0, missed.ended_ms - missed.began_ms)


def connect(*, table_id: int, user_id: int, connection: str) -> Joined:
    """Handle one Coming; return the user's `state` frame and the number of this socket at the seat."""
    joined = _one(table_id, Coming(user_id, connection))
    assert joined is not None
    return joined


def take(*, table_id: int, user_id: int, connection: str, number: int) -> None:
    """Handle one Claim. TableError `taken_over` where a later socket plays the seat."""
    _one(table_id, Claim(user_id, connection, number))


def disconnect(*, table_id: int, user_id: int, connection: str) -> None:
    """Handle one Going."""
    _one(table_id, Going(user_id, connection))


def _one(table_id: int, call: Coming | Claim | Going) -> Joined | None:
    [answer] = come_and_go(table_id=table_id, calls=[call])
    if isinstance(answer, TableError):
        raise answer
    return answer


def adopt(table: LockedTable, seating: Seating, connection: str, number: int) -> bool:
    """Let `connection` play the seat and close the socket it replaces; return whether the player was not connected.

    `number` is 0 for a socket that watched before the seat was taken: it gets the seat only if no other socket plays it
    and none with a number has. TableError `taken_over` where a socket that came later plays the seat, or did.
    """
    is_new = _adopt(table, seating, connection, number)
    store.write_presence([table])
    transaction.on_commit(partial(_keep_known, table))
    return is_new


def _adopt(table: LockedTable, seating: Seating, connection: str, number: int) -> bool:
    if is_beaten(number, connection, by=seating):
        raise TableError("taken_over", worded("This seat is now played from another window."))
    replaces, was_connected = bool(seating.connection), is_connected(seating, table.now)
    seating.connection, seating.joined, seating.seen_ms = connection, number, table.now
    # The number may come from an earlier stay: the next socket to come must have a higher one all the same.
    seating.joins = max(seating.joins, number)
    table.came_and_went[seating.pk] = seating
    if replaces:
        broadcast.taken_over(table.row.pk, seating.user_id or 0, connection, number)
    if table.row.practice_for_id is not None:
        clocks.wake_computers([table.row.pk], table.now)
    return not was_connected


class Present(Protocol):
    """An open socket at a table: its user, its connection, and its number among the sockets that came to the seat."""

    table_id: int
    user_id: int
    connection: str
    number: int


class Playing(Protocol):
    """The socket that plays a seat: its connection, empty if there is none, and its number."""

    connection: str
    joined: int


def is_beaten(number: int, connection: str, *, by: Playing) -> bool:
    """Return whether a socket that came later than this one, the `number`th, plays the seat or did."""
    if by.connection == connection:
        return False
    return number <= by.joined if by.connection else number < by.joined


@retried
def seen(*, table_id: int, user_id: int, connection: str, number: int = 0) -> None:
    """Note that the connection is alive, and let it play a seat of the user's that no socket plays."""
    own = Seating.objects.filter(table_id=table_id, user_id=user_id, left_at=None)
    own.filter(connection=connection).update(seen_ms=store.now_ms())
    taken = own.filter(connection="", joined__lte=number).update(
        connection=connection, joined=number, joins=Greatest("joins", number), seen_ms=store.now_ms()
    )
    if taken:
        clocks.wake_computers([table_id], store.now_ms())


@retried
def seen_together(sockets: Collection[Present]) -> None:
    """Note that all these sockets are alive: one update for all, then `seen` for each seat that no socket plays.

    A locked seat is skipped: its change is a sign of life too. Computer players who waited for these players go on.
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


def current_frame(*, table_id: int, user_id: int, language: str = ENGLISH) -> frames.ShownFrame:
    """Return the current `state` frame of this user in that language; change nothing."""
    with freezing(table_id):
        table = store.look(table_id)
        seat = seat_shown(table, user_id)
        if seat is None:
            check_watcher(table.row, user_id)
        return frames.shown_frame(table, seat, language=language)


def may_watch(table: Table, user_id: int) -> bool:
    """Return whether the user may watch: anybody a public table, nobody a private one, its player a practice table."""
    private = table.private_code or table.practice_for_id is not None
    return not private or table.practice_for_id == user_id


def check_watcher(table: Table, user_id: int) -> None:
    """Raise TableError `barred` for a user who may not watch."""
    if not may_watch(table, user_id):
        raise TableError("barred", worded("This table is not open to watchers."), status=403)
