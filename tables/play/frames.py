"""The `state` frames of a table: the public part is encoded once, and each viewer's own part beside it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import orjson
from django.utils.translation import get_language

from rules.game import TableState
from rules.game.events import Event
from rules.game.views import (
    MoneyFormat,
    Names,
    PublicView,
    View,
    own_facts,
    own_view,
    public_view,
    redact,
    view_for,
)
from rules.game.views.redaction import is_own
from rules.game.views.sentences import in_words
from tables.language import languages_at, speaking, title, told_in
from tables.models import Deal
from tables.play.computers import practice
from tables.play.seating import connected_seats
from tables.play.store import LockedTable
from wallet.base import money
from wallet.language import ENGLISH

#: Events that change what the lobby shows of a table.
SEEN_IN_THE_LOBBY = frozenset({"seat_taken", "seat_left", "player_left", "match_started", "match_ended", "deal_ended"})
#: The key under which those who only watch find their frame.
WATCHERS = "watch"

Parts = Mapping[str, bytes]
"""The parts of a view as JSON, each under its key."""


def _encode(content: Any) -> bytes:
    return orjson.dumps(told_in(content))


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A `state` frame as JSON, and what it shows: the version, the seats whose players are there, and whether the table
    stands still."""

    text: str
    version: int
    connected: tuple[int, ...]
    stopped: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """What a socket is told that has come to a table."""

    frame: ShownFrame
    #: Which of all sockets it is that ever came to this seat, from 1; 0 for who has no seat here.
    number: int = 0
    #: Whether it plays the seat already.
    plays: bool = False


def frames(table: LockedTable) -> dict[str, bytes]:
    """Return the `state` frame of everybody concerned, by user id, and one for all who watch."""
    viewers: dict[str, int | None] = {WATCHERS: None}
    viewers.update({str(user): seat for seat, s in table.seatings.items() if (user := s.user_id) is not None})
    made: dict[str, bytes] = {}
    for language in (ENGLISH, *languages_at(table.row.pk)):
        encoded = frames_by_seat(table, viewers.values(), language=language)
        made |= {_key(user, language): encoded[seat] for user, seat in viewers.items()}
    return made


def frame_of(user_id: int, all_frames: Mapping[str, bytes], language: str = ENGLISH) -> bytes:
    """Return the user's frame among those of `frames`: their own, or that of all who watch.

    In English where nobody was known to read the table in that language when they were made.
    """
    language = language if _key(WATCHERS, language) in all_frames else ENGLISH
    return all_frames.get(_key(str(user_id), language), all_frames[_key(WATCHERS, language)])


def _key(viewer: str, language: str) -> str:
    return viewer if language == ENGLISH else f"{language}/{viewer}"


def state_frame(table: LockedTable, seat: int | None, *, away_ms: int = 0, language: str = ENGLISH) -> str:
    """Return the `state` frame for the player of that seat, or for a watcher; `away_ms` tells who comes back after an
    outage how long it took."""
    return frames_by_seat(table, [seat], away_ms=away_ms, language=language)[seat].decode()


def shown_frame(table: LockedTable, seat: int | None, *, away_ms: int = 0, language: str = ENGLISH) -> ShownFrame:
    """Return the same frame with what it shows."""
    return shown_frames(table, [seat], away_ms=away_ms, language=language)[seat]


def shown_frames(
    table: LockedTable, seats: Iterable[int | None], *, away_ms: int = 0, language: str = ENGLISH
) -> dict[int | None, ShownFrame]:
    """Return those of all these seats, and under None that of a watcher."""
    connected = tuple(sorted(connected_seats(table.seatings.values(), table.now)))
    stopped = table.row.status == table.row.Status.FROZEN
    return {
        seat: ShownFrame(text.decode(), table.state.version, connected, stopped)
        for seat, text in frames_by_seat(table, seats, away_ms=away_ms, language=language).items()
    }


def frames_by_seat(
    table: LockedTable, seats: Iterable[int | None], *, away_ms: int = 0, language: str = ENGLISH
) -> dict[int | None, bytes]:
    """Return the frames of these seats, and under None that of a watcher, in that language."""
    with speaking(language):
        return _frames_by_seat(table, seats, away_ms)


def _frames_by_seat(table: LockedTable, seats: Iterable[int | None], away_ms: int) -> dict[int | None, bytes]:
    names = names_of(table)
    public = public_view(table.state, table.now, names)
    wild = wild_rank_of(table.state)
    shared, told = part_bytes(public, table.encoded), event_bytes(table.events, names, wild)
    head = {"type": "state", "version": table.state.version, "now": table.now}
    if away_ms:
        head["away_ms"] = away_ms
    begin, whole = _encode(head)[:-1], _joined(shared)
    begins = dict.fromkeys(seats, frame_begin(begin, told))
    for seat in begins:
        if any(is_own(event, seat) for event in table.events):
            begins[seat] = frame_begin(begin, own_event_bytes(table.events, told, seat, names, wild))
    return {seat: begins[seat] + _with_own(shared, whole, *own_bytes(table, seat, public, names)) for seat in begins}


def view(table: LockedTable, seat: int | None) -> View:
    """Return the whole view of the player of that seat, or of a watcher."""
    return view_for(table.state, seat, table.now, names_of(table))


def names_of(table: LockedTable) -> Names:
    """Return what the views of this table say that the rules do not know."""
    row, unit = table.row, money.currency(table.row.currency)
    return Names(
        table=row.pk,
        title=title(row.title),
        currency=MoneyFormat(code=unit.code, digits=unit.decimals, sign=unit.symbol, noun=unit.noun),
        practice=row.practice_for_id is not None,
        guided=row.guided,
        stopped=row.status == row.Status.FROZEN,
        waits=practice.is_patient(table.state.clock),
        private_code=row.private_code or None,
        players={seat: seating.name for seat, seating in table.seatings.items()},
        connected=connected_seats(table.seatings.values(), table.now),
        played=_played(table),
    )


def _played(table: LockedTable) -> dict[int, str]:
    """Return who held the seats in the deal whose result is shown."""
    if table.state.result is not None and not table.names:
        rows = Deal.objects.filter(pk=int(table.state.result.deal_id)).values_list("result", flat=True).first() or []
        table.names = {line["seat"]: line["name"] for line in rows}
    return table.names


def wild_rank_of(state: TableState) -> int:
    """Return the rank whose cards are wild now, 0 for none."""
    return state.deal.wild if state.deal is not None else 0


# --- encoding: each of these can be kept for as long as what it encodes stays the same ---


def part_bytes(public: PublicView, encoded: dict[object, tuple[Any, Any]]) -> Parts:
    """Return what everybody sees as JSON, part by part. What is as it was last is not encoded again."""
    return {key: _kept(encoded, key, part, partial(_encode, part)) for key, part in public.items()}


def own_bytes(table: LockedTable, seat: int | None, public: PublicView, names: Names) -> tuple[Parts, bytes]:
    """Return what one viewer sees besides, or in place of, what everybody sees, as JSON, part by part, and joined.

    It is not even made again where all that it depends on is as it was last.
    """

    def made() -> tuple[Parts, bytes]:
        parts = {key: _encode(part) for key, part in own_view(table.state, seat, public, names).items()}
        return parts, _joined(parts)

    return _kept(table.encoded, (seat,), own_facts(table.state, seat, names), made)


def _kept(encoded: dict[object, tuple[Any, Any]], place: object, facts: Any, make: Callable[[], T]) -> T:
    """Return what was encoded last at that place, unless the facts that it rests on are others now."""
    place = (get_language(), place)
    known = encoded.get(place)
    # A field has one type: nothing is equal here that is written otherwise.
    if known is not None and known[0] == facts:
        kept: T = known[1]
        return kept
    made = make()
    encoded[place] = facts, made
    return made


def event_bytes(events: Sequence[Event], names: Names, wild: int) -> list[bytes]:
    """Return the events as everybody sees them, as JSON; empty bytes for one that is not for everybody."""
    return [_event(event, None, names, wild) for event in events]


def own_event_bytes(
    events: Sequence[Event], told: Sequence[bytes], seat: int | None, names: Names, wild: int
) -> list[bytes]:
    """Return the events as the player of that seat sees them; `told` is what everybody sees of them."""
    return [
        _event(event, seat, names, wild) if is_own(event, seat) else shown
        for event, shown in zip(events, told, strict=True)
    ]


def frame_begin(head: bytes, events: Iterable[bytes]) -> bytes:
    """Return how a `state` frame begins: `head` (type, version, now) but for its end, and the events for its viewer."""
    return b'%s,"events":[%s],"view":{' % (head, b",".join(event for event in events if event))


def _with_own(public: Parts, whole: bytes, own: Parts, joined: bytes) -> bytes:
    """Return the rest of a frame: `whole` is the public part, joined once for all of whom it keeps every part."""
    if public.keys() & own.keys():
        return _joined({**public, **own}) + b"}}"
    return b"%s,%s}}" % (whole, joined)


def _joined(parts: Parts) -> bytes:
    return b",".join(b'"%s":%s' % (key.encode(), part) for key, part in parts.items())


def _event(event: Event, seat: int | None, names: Names, wild: int) -> bytes:
    shown = redact(event, seat)
    return b"" if shown is None else _encode(in_words(shown, names.players, reader=seat, wild=wild))
