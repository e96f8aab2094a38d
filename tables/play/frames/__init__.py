"""The `state` frames of a table: what each player and each watcher is shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules.game.views import View, view_for
from tables.language import languages_at, using_language
from tables.lockstep import Stages, run_whole
from tables.play.frames.encoder import Encoder, Pieces
from tables.play.frames.names import names_of
from tables.play.seating import connected_seats
from tables.play.store import TableSnapshot
from wallet.language import ENGLISH

#: The key of the frame for all who only watch.
WATCHERS = "watch"


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A `state` frame as JSON, with what it shows.

    That is the version, the time (database clock, ms since 1970 UTC), the seats whose players are connected, and
    whether the table is frozen.
    """

    text: str
    version: int
    now: int
    connected: tuple[int, ...]
    stopped: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer to a socket that has come to a table."""

    frame: ShownFrame
    #: Its number among all sockets that ever came to this seat, from 1; 0 for a user without a seat here.
    number: int = 0
    #: Whether it plays the seat already.
    plays: bool = False
    #: Whether its user only watches: has no seat here, nor had one when the match ended.
    watches: bool = False


def frames(table: TableSnapshot) -> dict[str, Pieces]:
    """Return the `state` frame of each player by user id, and one for all watchers, in each language read here."""
    return run_whole(frames_in_stages(table))


def frames_in_stages(table: TableSnapshot) -> Stages[dict[str, Pieces]]:
    """Make `frames`; those in other languages than English in one step, since what is done between is in English."""
    viewers = _viewers(table)
    encoded = yield from Encoder(table, ENGLISH).frames(viewers.values())
    all_frames = {user: encoded[seat] for user, seat in viewers.items()}
    for language in languages_at(table.row.pk):
        encoded = frames_by_seat(table, viewers.values(), language=language)
        all_frames |= {_key(user, language): encoded[seat] for user, seat in viewers.items()}
    return all_frames


def _viewers(table: TableSnapshot) -> Mapping[str, int | None]:
    """Return the seat of each player by user id, and None for all watchers; remembered while the players are the same.

    Of who has left a deal and sits down anew before it has ended, that is the new seat. To read the user of a seating
    costs as much as all the rest of it.
    """
    cache, seatings = table.encoded.setdefault(ENGLISH, {}), tuple(table.seatings.values())
    cached = cache.get("viewers")
    if cached is None or cached[0] != seatings:
        in_order = sorted(seatings, key=lambda seating: seating.left_at is None)
        players = {str(seating.user_id): seating.seat for seating in in_order if seating.user_id is not None}
        cached = cache["viewers"] = seatings, {WATCHERS: None, **players}
    viewers: Mapping[str, int | None] = cached[1]
    return viewers


def frame_of(user_id: int, all_frames: Mapping[str, Pieces], language: str = ENGLISH) -> Pieces:
    """Return the user's frame among those of `frames`: their own, or that of the watchers.

    In English where nobody was known to read the table in that language when the frames were made.
    """
    if language != ENGLISH and _key(WATCHERS, language) not in all_frames:
        language = ENGLISH
    own = all_frames.get(_key(str(user_id), language))
    return all_frames[_key(WATCHERS, language)] if own is None else own


def _key(viewer: str, language: str) -> str:
    return viewer if language == ENGLISH else f"{language}/{viewer}"


def shown_frame(table: TableSnapshot, seat: int | None, *, language: str = ENGLISH) -> ShownFrame:
    """Return the ShownFrame for the player in that seat, or for a watcher (None)."""
    return shown_frames(table, [seat], language=language)[seat]


def shown_frames(
    table: TableSnapshot, seats: Iterable[int | None], *, away_ms: int = 0, language: str
) -> dict[int | None, ShownFrame]:
    """Return the ShownFrame of each of these seats; None is a watcher.

    `away_ms` is the length of the outage after which the players come back.
    """
    connected = tuple(sorted(connected_seats(table.seatings.values(), table.now)))
    stopped = table.row.status == table.row.Status.FROZEN
    return {
        seat: ShownFrame(b"".join(text).decode(), table.state.version, table.now, connected, stopped)
        for seat, text in frames_by_seat(table, seats, away_ms=away_ms, language=language).items()
    }


def frames_by_seat(
    table: TableSnapshot, seats: Iterable[int | None], *, away_ms: int = 0, language: str
) -> dict[int | None, Pieces]:
    """Return the `state` frame of each of these seats in that language; None is a watcher."""
    encoder = Encoder(table, language)
    if language == ENGLISH:  # The language that sentences are made in: nothing is looked up.
        return run_whole(encoder.frames(seats, away_ms))
    with using_language(language):
        return run_whole(encoder.frames(seats, away_ms))


def view(table: TableSnapshot, seat: int | None) -> View:
    """Return the whole view of the player in that seat, or of a watcher (None)."""
    return view_for(table.state, seat, table.now, names_of(table))
