"""The `state` frames of a table: a public part, encoded once for all, and each viewer's own part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from rules.game import TableState
from rules.game.events import Event
from rules.game.views import (
    MoneyFormat,
    Names,
    PublicView,
    View,
    discard_views,
    own_facts,
    own_view,
    public_view,
    redact,
    seat_facts,
    seat_view,
    table_facts,
    table_view,
    view_for,
)
from rules.game.views.redaction import is_own
from rules.game.views.sentences import in_words
from tables.language import languages_at, title, translate_content, using_language
from tables.models import Deal
from tables.play.computers import practice
from tables.play.seating import connected_seats
from tables.play.store import LockedTable
from wallet.base import money
from wallet.language import ENGLISH

#: Events that change what the lobby shows of a table.
LOBBY_EVENTS = frozenset({"seat_taken", "seat_left", "player_left", "match_started", "match_ended", "deal_ended"})
#: The key of the frame for all who only watch.
WATCHERS = "watch"

#: The parts of a view as members of a JSON object, by key.
Parts = Mapping[str, bytes]
#: The parts encoded last in one language, by key, each after the values that it was encoded from.
EncodedParts = dict[object, tuple[Any, ...]]


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


def frames(table: LockedTable) -> dict[str, bytes]:
    """Return the `state` frame of each player by user id, and one for all watchers, in each language read here."""
    viewers = _viewers(table)
    encoded_frames: dict[str, bytes] = {}
    for language in (ENGLISH, *languages_at(table.row.pk)):
        encoded = frames_by_seat(table, viewers.values(), language=language)
        encoded_frames |= {_key(user, language): encoded[seat] for user, seat in viewers.items()}
    return encoded_frames


def _viewers(table: LockedTable) -> Mapping[str, int | None]:
    """Return the seat of each player by user id, and None for all watchers; remembered while the players are the same.

    To read the user of a seating costs as much as all the rest of it.
    """
    cache, seatings = table.encoded.setdefault(ENGLISH, {}), tuple(table.seatings.values())
    cached = cache.get("viewers")
    if cached is None or cached[0] != seatings:
        players = {str(seating.user_id): seating.seat for seating in seatings if seating.user_id is not None}
        cached = cache["viewers"] = seatings, {WATCHERS: None, **players}
    viewers: Mapping[str, int | None] = cached[1]
    return viewers


def frame_of(user_id: int, all_frames: Mapping[str, bytes], language: str = ENGLISH) -> bytes:
    """Return the user's frame among those of `frames`: their own, or that of the watchers.

    In English where nobody was known to read the table in that language when the frames were made.
    """
    if language != ENGLISH and _key(WATCHERS, language) not in all_frames:
        language = ENGLISH
    own = all_frames.get(_key(str(user_id), language))
    return all_frames[_key(WATCHERS, language)] if own is None else own


def _key(viewer: str, language: str) -> str:
    return viewer if language == ENGLISH else f"{language}/{viewer}"


def state_frame(table: LockedTable, seat: int | None, *, away_ms: int = 0, language: str = ENGLISH) -> str:
    """Return the `state` frame for the player in that seat, or for a watcher (None).

    `away_ms` is the length of the outage after which the player comes back.
    """
    return frames_by_seat(table, [seat], away_ms=away_ms, language=language)[seat].decode()


def shown_frame(table: LockedTable, seat: int | None, *, away_ms: int = 0, language: str = ENGLISH) -> ShownFrame:
    """Return the same frame as a ShownFrame."""
    return shown_frames(table, [seat], away_ms=away_ms, language=language)[seat]


def shown_frames(
    table: LockedTable, seats: Iterable[int | None], *, away_ms: int = 0, language: str = ENGLISH
) -> dict[int | None, ShownFrame]:
    """Return the ShownFrame of each of these seats; None is a watcher."""
    connected = tuple(sorted(connected_seats(table.seatings.values(), table.now)))
    stopped = table.row.status == table.row.Status.FROZEN
    return {
        seat: ShownFrame(text.decode(), table.state.version, table.now, connected, stopped)
        for seat, text in frames_by_seat(table, seats, away_ms=away_ms, language=language).items()
    }


def frames_by_seat(
    table: LockedTable, seats: Iterable[int | None], *, away_ms: int = 0, language: str = ENGLISH
) -> dict[int | None, bytes]:
    """Return the `state` frame of each of these seats in that language; None is a watcher."""
    encoder = _Encoder(table, language)
    if language == ENGLISH:  # The language that sentences are made in: nothing is looked up.
        return encoder.frames(seats, away_ms)
    with using_language(language):
        return encoder.frames(seats, away_ms)


def view(table: LockedTable, seat: int | None) -> View:
    """Return the whole view of the player in that seat, or of a watcher (None)."""
    return view_for(table.state, seat, table.now, names_of(table))


def names_of(table: LockedTable) -> Names:
    """Return the facts in the views of this table that the rules do not know."""
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
    """Return the names of the players, by seat, in the deal whose result is shown."""
    if table.state.result is not None and not table.names:
        rows = Deal.objects.filter(pk=int(table.state.result.deal_id)).values_list("result", flat=True).first() or []
        table.names = {line["seat"]: line["name"] for line in rows}
    return table.names


def wild_rank_of(state: TableState) -> int:
    """Return the rank whose cards are wild now, 0 for none."""
    return state.deal.wild if state.deal is not None else 0


class _Encoder:
    """The encoder of a table's frames as JSON in one language; parts that have not changed are not encoded again."""

    def __init__(self, table: LockedTable, language: str) -> None:
        self._table, self._state = table, table.state
        self._cache: EncodedParts = table.encoded.setdefault(language, {})
        self._names = self._known_names()
        self._english = language == ENGLISH
        self._wild = wild_rank_of(table.state)

    def frames(self, seats: Iterable[int | None], away_ms: int) -> dict[int | None, bytes]:
        """Return the frames of these seats: the public part is built and encoded once for all of them."""
        public = self._public()
        parts, event_parts = self._parts(public), [self._event(event, None) for event in self._table.events]
        public_members, head = b",".join(parts.values()), self._head(away_ms)
        opening_for_all = _opening_of_frame(head, event_parts)
        concerned = {getattr(event, "seat", None) for event in self._table.events}
        encoded_frames: dict[int | None, bytes] = {}
        for seat in seats:
            own, own_members = self._own(seat, public)
            opening = opening_for_all
            if seat is not None and seat in concerned:
                opening = _opening_of_frame(head, self._events_of(seat, event_parts))
            if parts.keys().isdisjoint(own):
                encoded_frames[seat] = b"".join([opening, public_members, b",", own_members, b"}}"])
            else:
                encoded_frames[seat] = b"".join([opening, b",".join({**parts, **own}.values()), b"}}"])
        return encoded_frames

    def _known_names(self) -> Names:
        """Return `names_of` the table: the same object while nothing that they depend on has changed."""
        table, seatings = self._table, self._table.seatings.values()
        facts = (
            *(table.row.status, table.state.result, practice.is_patient(table.state.clock)),
            *(connected_seats(seatings, table.now), *seatings),
        )
        cached = self._cache.get("names")
        if cached is None or cached[0] != facts:
            cached = self._cache["names"] = facts, names_of(table)
        names: Names = cached[1]
        return names

    def _public(self) -> PublicView:
        table, seats, discards = self._its_table(), self._seats(), self._discards()
        return public_view(self._state, self._table.now, self._names, table=table, seats=seats, discards=discards)

    def _its_table(self) -> orjson.Fragment:
        """Return the table's own part, encoded; the same object while what it depends on is the same."""
        facts, cached = table_facts(self._state, self._names), self._cache.get("its table")
        if cached is None or cached[0] != facts:
            cached = self._cache["its table"] = facts, self._fragment(table_view(self._state, self._names))
        part: orjson.Fragment = cached[1]
        return part

    def _seats(self) -> list[orjson.Fragment]:
        """Return all seats, each encoded; the same objects while what they depend on is the same."""
        state, names = self._state, self._names
        facts = [seat_facts(state, seat, names) for seat in range(len(state.seats))]
        known_facts, known = self._cache.get("its seats", ([None] * len(facts), [None] * len(facts)))
        parts = [
            known[seat] if of_seat == known_facts[seat] else self._fragment(seat_view(state, seat, names))
            for seat, of_seat in enumerate(facts)
        ]
        self._cache["its seats"] = facts, parts
        return parts

    def _fragment(self, part: Any) -> orjson.Fragment:
        return orjson.Fragment(_at_its_size(self._encode(part)))

    def _discards(self) -> Any:
        """Return the discards as the view shows them; only those that are new are encoded."""
        deal = self._state.deal
        if deal is None:
            return None
        encoded_discards, encoded, part = self._cache.get("discards", ((), b"", orjson.Fragment(b"[]")))
        if deal.discards == encoded_discards:
            return part
        if deal.discards[: len(encoded_discards)] != encoded_discards:
            encoded_discards, encoded = (), b""
        added = orjson.dumps(discard_views(self._state, deal.discards[len(encoded_discards) :]))[1:-1]
        encoded = b"%s,%s" % (encoded, added) if encoded else added
        part = orjson.Fragment(b"[%s]" % encoded)
        self._cache["discards"] = deal.discards, encoded, part
        return part

    def _parts(self, public: PublicView) -> Parts:
        parts = {}
        for key, part in public.items():
            cached = self._cache.get(key)
            # Each field has one type, so that equal values are always written the same.
            if cached is None or cached[0] != part:
                cached = self._cache[key] = part, self._member(key, part)
            parts[key] = cached[1]
        return parts

    def _own(self, seat: int | None, public: PublicView) -> tuple[Parts, bytes]:
        """Return the parts that one viewer sees besides, or instead of, the public ones: by key, and joined.

        They are not even built again while nothing that they depend on has changed.
        """
        facts, cached = own_facts(self._state, seat, self._names), self._cache.get((seat,))
        if cached is not None and cached[0] == facts:
            unchanged: tuple[Parts, bytes] = cached[1]
            return unchanged
        own = own_view(self._state, seat, public, self._names)
        parts = {key: self._member(key, part) for key, part in own.items()}
        encoded = parts, b",".join(parts.values())
        self._cache[seat,] = facts, encoded
        return encoded

    def _head(self, away_ms: int) -> bytes:
        """Return the beginning of a frame (type, version, now) without its closing brace."""
        head = {"type": "state", "version": self._state.version, "now": self._table.now}
        if away_ms:
            head["away_ms"] = away_ms
        return self._encode(head)[:-1]

    def _events_of(self, seat: int, public_events: Sequence[bytes]) -> list[bytes]:
        """Return the events as the player in that seat sees them; `public_events` are those that everybody sees."""
        return [
            self._event(event, seat) if is_own(event, seat) else public_event
            for event, public_event in zip(self._table.events, public_events, strict=True)
        ]

    def _event(self, event: Event, seat: int | None) -> bytes:
        """Return the event as its viewer sees it; empty bytes if they may not see it."""
        visible = redact(event, seat)
        if visible is None:
            return b""
        return self._encode(in_words(visible, self._names.players, reader=seat, wild=self._wild))

    def _member(self, key: str, part: Any) -> bytes:
        """Return the part as a member of the view."""
        return b'"%s":%s' % (key.encode(), self._encode(part))

    def _encode(self, content: Any) -> bytes:
        return orjson.dumps(content if self._english else translate_content(content))


def _at_its_size(encoded: bytes) -> bytes:
    """Return a copy to keep, as large as its content: what orjson returns keeps 4 KB of memory or more."""
    return bytes(memoryview(encoded))


def _opening_of_frame(head: bytes, events: Iterable[bytes]) -> bytes:
    return b'%s,"events":[%s],"view":{' % (head, b",".join(event for event in events if event))
