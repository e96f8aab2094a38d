"""Which socket plays which seat, who is online, and who may look at a table.

Seats record who is online for players at tables, a mark that expires for everybody else.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from django.core.cache import cache
from django.db import connection as database, transaction
from django.db.models import Q
from django.db.models.functions import Greatest

from rules.game import moves
from tables.errors import TableError
from tables.models import Outage, Seating, Table
from tables.play import broadcast, clocks, frames, outages, store
from tables.play.advance import advance_for_platform, changing, finish, freezing, give_back
from tables.play.fast import table_cache
from tables.play.frames import Joined
from tables.play.guards import played_elsewhere
from tables.play.seating import (
    OFFLINE_AFTER_MS,
    Connect,
    Disconnect,
    SeatRequest,
    connected_seats,
    find_seating,
    is_connected,
    viewed_seat,
)
from tables.play.store import LockedTable
from wallet.base.queries import in_list
from wallet.base.retry import retried
from wallet.language import ENGLISH, gettext as _

#: Seconds for which a sign of life outside a table counts: three times as long as between two notes of who listens.
ONLINE_SECONDS = 60
JoinAnswer = Joined | TableError | None


@dataclass(frozen=True, slots=True)
class _Viewpoint:
    """What to show a connection that has come: the table from that seat, or as a watcher sees it where it is None."""

    seat: int | None
    language: str = ENGLISH
    away_ms: int = 0
    number: int = 0
    plays: bool = False


@retried
def handle_requests(*, table_id: int, requests: Sequence[SeatRequest]) -> list[JoinAnswer]:
    """Handle these requests at the table, in this order and under one lock; return an answer to each.

    The answer is a Joined to a Connect, None to other requests, or a TableError for this request alone: `barred` at
    a table not open to watchers, `taken_over` where a later connection plays the seat. Raises TableError `not_found`,
    or `frozen` where the table cannot be shown; then nothing has changed.
    """
    with changing(table_id):
        table = store.lock_table(table_id, frozen=True)
        return _handle_all({table_id: table}, {table_id: requests})[table_id]


@retried
def handle_requests_at_many(*, requests: Mapping[int, Sequence[SeatRequest]]) -> dict[int, list[JoinAnswer]]:
    """Handle requests at many tables as `handle_requests` does, in one transaction: an error at one undoes everything.

    It waits for no lock: the answers leave out tables that do not exist, are frozen or are locked.
    """
    known = {table_id: table for table_id in requests if (table := table_cache.get(table_id)) is not None}
    with transaction.atomic():
        return _handle_all(store.lock_free_tables(requests, known), requests)


def _handle_all(
    tables: Mapping[int, LockedTable], requests: Mapping[int, Sequence[SeatRequest]]
) -> dict[int, list[JoinAnswer]]:
    """Handle the requests at the locked tables, and return the answers."""
    connected_before = {pk: connected_seats(table.seatings.values(), table.now) for pk, table in tables.items()}
    arriving = {pk: {request.user_id for request in requests[pk] if isinstance(request, Connect)} for pk in tables}
    seatings = ((pk, seating) for pk, table in tables.items() for seating in table.seatings.values())
    last_seen = [seating.seen_ms for pk, seating in seatings if seating.user_id in arriving[pk]]
    ended_outages = outages.ended_since(min(last_seen)) if last_seen else []
    outcomes = {
        pk: [_handle(table, request, ended_outages) for request in requests[pk]] for pk, table in tables.items()
    }
    store.write_presence(tables.values())
    for pk, table in tables.items():
        finish(table)
        transaction.on_commit(partial(_remember_committed, table))
        if not table.events and connected_before[pk] != connected_seats(table.seatings.values(), table.now):
            broadcast.frames_after_commit(table)
    return {pk: _frames_of(table, outcomes[pk]) for pk, table in tables.items()}


def _frames_of(table: LockedTable, outcomes: Sequence[_Viewpoint | TableError | None]) -> list[JoinAnswer]:
    """Return the answers; frames for the same absence and language are encoded together."""
    groups: dict[tuple[int, str], list[int | None]] = {}
    for outcome in outcomes:
        if isinstance(outcome, _Viewpoint):
            groups.setdefault((outcome.away_ms, outcome.language), []).append(outcome.seat)
    encoded = {
        (away_ms, language): frames.shown_frames(table, seats, away_ms=away_ms, language=language)
        for (away_ms, language), seats in groups.items()
    }
    return [
        Joined(
            encoded[outcome.away_ms, outcome.language][outcome.seat],
            outcome.number,
            outcome.plays,
            watches=outcome.seat is None,
        )
        if isinstance(outcome, _Viewpoint)
        else outcome
        for outcome in outcomes
    ]


def _remember_committed(table: LockedTable) -> None:
    """Let the fast way remember the table as just committed; where it knows a newer state, update who is connected."""
    table_cache.put(table)
    table_cache.update_presence(table.row.pk, table.seatings.values())


def _handle(
    table: LockedTable, request: SeatRequest, ended_outages: Sequence[Outage]
) -> _Viewpoint | TableError | None:
    seating = find_seating(table, request.user_id)
    try:
        if isinstance(request, Connect):
            return _arrive(table, seating, request, ended_outages)
        if isinstance(request, Disconnect):
            _depart(table, seating, request)
        elif seating is not None and seating.connection != request.connection:
            _take_over(table, seating, request.connection, request.number)
    except TableError as refusal:
        # These refusals come before any change.
        if refusal.code not in ("barred", "taken_over"):
            raise
        return refusal
    return None


def _arrive(
    table: LockedTable, seating: Seating | None, request: Connect, ended_outages: Sequence[Outage]
) -> _Viewpoint:
    if seating is None:
        seat = viewed_seat(table, request.user_id)
        if seat is None:
            check_watcher(table.row, request.user_id)
        return _Viewpoint(seat, request.language)
    plays = not is_connected(seating, table.now) or request.has_spoken()
    away_ms = _grant_lost_time(table, seating, ended_outages)
    seating.connection_count += 1
    table.presence_changes[seating.pk] = seating
    if plays:
        _take_over(table, seating, request.connection, seating.connection_count)
    return _Viewpoint(seating.seat, request.language, away_ms, seating.connection_count, plays)


def _depart(table: LockedTable, seating: Seating | None, request: Disconnect) -> None:
    if seating is not None and seating.connection == request.connection:
        seating.connection = ""
        table.presence_changes[seating.pk] = seating
    else:
        # The player may have left the seat in the meantime: that seating has no socket now either.
        own = Seating.objects.filter(table_id=table.row.pk, user_id=request.user_id, connection=request.connection)
        own.update(connection="")


def _grant_lost_time(table: LockedTable, seating: Seating, ended_outages: Sequence[Outage]) -> int:
    """Grant outages.GRACE_MS to a player who comes back after an outage and must act, once for each outage.

    Return how long the outage was, in ms; 0 if they missed none. The seating's sign of life is not saved here.
    """
    missed = outages.missed_by(table, seating, ended_outages) if table.row.status == Table.Status.OPEN else None
    if missed is None:
        return 0
    seating.seen_ms = table.now
    if table.row.last_outage < missed.pk:
        give_back(table)
    clock = table.state.clock if outages.is_for(table.state.clock, seating.seat) else None
    if clock is not None and (ms := outages.allowance(clock, table.now, returns=True)):
        advance_for_platform(table, moves.Grant(ms=ms))
    return max(0, missed.ended_ms - missed.began_ms)


def take_over(table: LockedTable, seating: Seating, connection: str, number: int) -> bool:
    """Let `connection` play the seat and close the socket it replaces; return whether the player was not connected.

    `number` is 0 for a socket that watched before the seat was taken: it gets the seat only if no other socket plays it
    and none with a number has. TableError `taken_over` where a socket that came later plays the seat, or did.
    """
    is_new = _take_over(table, seating, connection, number)
    store.write_presence([table])
    transaction.on_commit(partial(_remember_committed, table))
    return is_new


def _take_over(table: LockedTable, seating: Seating, connection: str, number: int) -> bool:
    if is_superseded(number, connection, by=seating):
        raise played_elsewhere()
    replaces, was_connected = bool(seating.connection), is_connected(seating, table.now)
    seating.connection, seating.connection_number, seating.seen_ms = connection, number, table.now
    # The number may come from an earlier stay: the next socket to come must have a higher one all the same.
    seating.connection_count = max(seating.connection_count, number)
    table.presence_changes[seating.pk] = seating
    if replaces:
        broadcast.taken_over(table.row.pk, seating.user_id or 0, connection, number)
    if table.row.practice_for_id is not None:
        clocks.wake_computers([table.row.pk], table.now)
    return not was_connected


class Present(Protocol):
    """A socket at a table: its user, its connection, and its number among the sockets that came to the seat."""

    table_id: int
    user_id: int
    connection: str
    number: int
    #: Set before its departure is noted, if it goes.
    closing: bool


class Playing(Protocol):
    """The socket that plays a seat: its connection, empty if there is none, and its number."""

    connection: str
    connection_number: int


def is_superseded(number: int, connection: str, *, by: Playing) -> bool:
    """Return whether a socket that came later than this one, the `number`th, plays the seat or did."""
    if by.connection == connection:
        return False
    return number <= by.connection_number if by.connection else number < by.connection_number


@retried
def record_sign_of_life(*, table_id: int, user_id: int, connection: str, number: int = 0) -> None:
    """Note that the connection is alive, and let it play a seat of the user's that no socket plays."""
    own = Seating.objects.filter(table_id=table_id, user_id=user_id, left_at=None)
    own.filter(connection=connection).update(seen_ms=store.now_ms())
    took_over = own.filter(connection="", connection_number__lte=number).update(
        connection=connection,
        connection_number=number,
        connection_count=Greatest("connection_count", number),
        seen_ms=store.now_ms(),
    )
    if took_over:
        clocks.wake_computers([table_id], store.now_ms())


@retried
def record_signs_of_life(sockets: Collection[Present]) -> None:
    """Note that all these sockets are alive: one update, then `record_sign_of_life` for each seat that no socket plays.

    A locked seat is skipped: its change is a sign of life too. Computer players who waited for these players go on.
    """
    now = store.now_ms()
    seatings = Seating.objects.filter(in_list("user_id", {socket.user_id for socket in sockets}), left_at=None)
    lapsed = seatings.filter(Q(connection="") | Q(seen_ms__lt=now - OFFLINE_AFTER_MS))
    silent = list(lapsed.values_list("table_id", "user_id", "connection"))
    with transaction.atomic():
        playing = seatings.filter(in_list("connection", [socket.connection for socket in sockets]))
        unlocked = playing.select_for_update(skip_locked=database.features.has_select_for_update_skip_locked)
        Seating.objects.filter(pk__in=unlocked.values("pk")).update(seen_ms=now)
    if returned := {table for table, _seat, connection in silent if connection}:
        clocks.wake_computers(returned, now)
    for socket in sockets:
        # A seat that no socket plays may be that of a socket which has gone since the monitor looked.
        if (socket.table_id, socket.user_id, "") in silent and not socket.closing:
            record_sign_of_life(
                table_id=socket.table_id, user_id=socket.user_id, connection=socket.connection, number=socket.number
            )


def current_frame(*, table_id: int, user_id: int, language: str = ENGLISH) -> frames.ShownFrame:
    """Return the current `state` frame of this user in that language; change nothing."""
    with freezing(table_id):
        table = store.read_table(table_id)
        seat = viewed_seat(table, user_id)
        if seat is None:
            check_watcher(table.row, user_id)
        return frames.shown_frame(table, seat, language=language)


def may_watch(table: Table, user_id: int) -> bool:
    """Return whether the user may see a table where they hold no seat, with the hands of each result.

    A public table: anybody, unless somebody who has sat there hides their hands. A practice table: its player alone.
    A private table, or one of a knock-out, of which the final alone is watched, one deal behind: nobody.
    """
    if table.private_code or table.practice_for_id is not None:
        return table.practice_for_id == user_id
    if table.round is not None:
        return False
    return not Seating.objects.filter(table=table, user__forbids_watching=True).exists()


def check_watcher(table: Table, user_id: int) -> None:
    """Raise TableError `barred` for a user who may not watch."""
    if not may_watch(table, user_id):
        raise TableError("barred", _("This table is not open to watchers."), status=403)


def note_alive(*user_ids: int) -> None:
    """Count these players as online for the next ONLINE_SECONDS."""
    cache.set_many({_key(user_id): 1 for user_id in user_ids}, ONLINE_SECONDS)


def online(user_ids: Collection[int], seatings: Collection[Seating]) -> set[int]:
    """Return the players who are online; `seatings` are the seats that they hold."""
    now = store.now_ms()
    at_tables = {seating.user_id for seating in seatings if seating.user_id is not None and is_connected(seating, now)}
    others = {_key(user_id): user_id for user_id in user_ids if user_id not in at_tables}
    return at_tables | {others[key] for key in cache.get_many(others)}


def _key(user_id: int) -> str:
    return f"online:{user_id}"
