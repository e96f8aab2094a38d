"""Encoding the `state` frames of a table: a public part once for all, and each viewer's own part."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from rules.game.events import Event
from rules.game.views import (
    Names,
    PublicView,
    discard_views,
    own_facts,
    own_view,
    public_view,
    redact,
    seat_facts,
    seat_view,
    table_facts,
    table_view,
)
from rules.game.views.redaction import is_own
from rules.game.views.sentences import in_words
from tables.language import translate_content
from tables.lockstep import Stages
from tables.play import practice
from tables.play.frames.names import names_of
from tables.play.seating import connected_seats
from tables.play.store import TableSnapshot
from wallet.language import ENGLISH

#: The parts of a view as members of a JSON object, by key.
Parts = Mapping[str, bytes]
#: A text in UTF-8 in pieces, one after the other: the frames of a table share the public piece, which is not copied.
Pieces = tuple[bytes, ...]
#: The parts encoded last in one language, by key, each after the values that it was encoded from.
EncodedParts = dict[object, tuple[Any, ...]]


class Encoder:
    """The encoder of a table's frames as JSON in one language; parts that have not changed are not encoded again."""

    def __init__(self, table: TableSnapshot, language: str) -> None:
        self._table, self._state = table, table.state
        self._cache: EncodedParts = table.encoded.setdefault(language, {})
        self._names = self._known_names()
        self._english = language == ENGLISH
        self._wild = table.state.deal.wild if table.state.deal is not None else 0

    def frames(self, seats: Iterable[int | None], away_ms: int = 0) -> Stages[dict[int | None, Pieces]]:
        """Make the frames of these seats: the public part is built and encoded once for all of them."""
        public = self._public()
        parts = self._parts(public)
        public_members = b",".join(parts.values())
        yield
        opening, openings = self._openings(away_ms)
        yield
        encoded_frames: dict[int | None, Pieces] = {}
        for seat in seats:
            own, end = self._own(seat, public)
            if not parts.keys().isdisjoint(own):
                encoded_frames[seat] = openings.get(seat, opening), b",".join({**parts, **own}.values()), b"}}"
            else:
                encoded_frames[seat] = openings.get(seat, opening), public_members, end
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
        """Return the parts that one viewer sees besides, or instead of, the public ones: by key, and as a frame's end.

        They are not even built again while nothing that they depend on has changed.
        """
        facts, cached = own_facts(self._state, seat, self._names), self._cache.get((seat,))
        if cached is not None and cached[0] == facts:
            unchanged: tuple[Parts, bytes] = cached[1]
            return unchanged
        own = own_view(self._state, seat, public, self._names)
        parts = {key: self._member(key, part) for key, part in own.items()}
        encoded = parts, b",%s}}" % b",".join(parts.values())
        self._cache[seat,] = facts, encoded
        return encoded

    def _openings(self, away_ms: int) -> tuple[bytes, Mapping[int | None, bytes]]:
        """Return the beginning of a frame with its events for all, and for each seat that an event concerns."""
        events, head = self._table.events, self._head(away_ms)
        public_events = [self._event(event, None) for event in events]
        concerned = {seat for event in events if (seat := getattr(event, "seat", None)) is not None}
        own = {seat: _opening_of_frame(head, self._events_of(seat, public_events)) for seat in concerned}
        return _opening_of_frame(head, public_events), own

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
