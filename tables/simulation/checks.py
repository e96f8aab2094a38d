"""Checks after every event of a simulated table. None of them trusts the engine's own bookkeeping."""

import json
import marshal
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from rules.game import (
    DealState,
    TableState,
    Terms,
    Transition,
    View,
    check_invariants,
    codec,
    commit_version,
    events,
    redact,
    start,
    views_for,
)
from rules.game.moves import Pile

_CARD: Final = re.compile(r"\b(?:(?:10|[2-9AJQK])[CDHS]|JR)[1-3]\b")


class CheckFailed(AssertionError):
    """A check of the simulation has found a fault; the message says where."""


class Log:
    """The check of the log: events alone, read back from their stored form, must rebuild a sound state after each."""

    def __init__(self, terms: Terms) -> None:
        self.state = start(terms)

    def follow(self, transition: Transition) -> list[bytes]:
        """Check that the stored events lead from the state before to the state after.

        Return the events as they are stored.

        The state after the last event is not checked here, since the engine has checked it more strictly.
        """
        stored = [codec.canonical(codec.dump_event(event)) for event in transition.events]
        events = [codec.load_event(json.loads(record)) for record in stored]
        state = self.state
        for number, event in enumerate(events, start=1):
            state = event.fold(state)
            if number < len(events):
                check_invariants(state, settled=False)
        self.state = commit_version(state, events)
        if _bytes_of(self.state) != _bytes_of(transition.after):
            raise CheckFailed("the stored events do not rebuild the state")
        return stored

    def check_stored(self, state: TableState) -> None:
        """Check that the rebuilt state is stored as the same bytes as the real one, and that they give it back."""
        stored = codec.canonical(codec.dump_state(state))
        if codec.canonical(codec.dump_state(self.state)) != stored:
            raise CheckFailed("the rebuilt state differs in its bytes")
        if codec.load_state(json.loads(stored)) != state:
            raise CheckFailed("the state does not survive its stored form")


def _bytes_of(state: TableState) -> bytes:
    """Return the plain form of a state as bytes, four times as fast as the canonical form.

    They are equal only if values, types and order are, so equal bytes mean an equal canonical form.
    """
    return marshal.dumps(codec.dump_state(state), 0)


class Still:
    """The check by hash that a state never changes, whatever the engine does with it."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self._hash = hash(state)

    def check(self, after: str) -> None:
        """Check that nothing in the state has changed since. Raises CheckFailed."""
        if hash(self.state) != self._hash:
            raise CheckFailed(f"{after} has changed the state")


class Till:
    """The check of the money, by the events alone: all that came in is on stacks, in the pot, or was paid out."""

    def __init__(self, inside: int = 0) -> None:
        self.inside = inside
        self.fees = 0

    def follow(self, transition: Transition) -> None:
        for event in transition.events:
            self._count(event)
            if isinstance(event, events.DealEnded):
                self._settled_as_shown(transition, event)
        if on_table(transition.after) != self.inside:
            raise CheckFailed("money on the table is not what came in less what went out")

    def _settled_as_shown(self, transition: Transition, ended: events.DealEnded) -> None:
        """Check that each stack has changed by the amount in the result, in the same transition (Invariant D-4)."""
        for row in ended.rows:
            before, after = transition.before.seats[row.seat], transition.after.seats[row.seat]
            if before is not None and after is not None and before.stack + row.amount != after.stack:
                raise CheckFailed("a stack has not changed by what the result shows")

    def _count(self, event: events.Event) -> None:
        match event:
            case events.SeatTaken(stack=amount):
                self.inside += amount
            case events.ChipsAdded(amount=amount) | events.PlayerRejoined(amount=amount):
                self.inside += amount
            case events.SeatLeft(returned=amount) | events.PlayerLeft(returned=amount):
                self.inside -= amount
            case events.DealSettled(fee=fee):
                self._fee(fee)
            case events.PrizeAwarded(shares=shares, fee=fee):
                self.inside -= sum(amount for _, amount in shares)
                self._fee(fee)
            case events.MatchCancelled(refunds=refunds):
                self.inside -= sum(amount for _, amount in refunds)

    def _fee(self, fee: int) -> None:
        self.inside -= fee
        self.fees += fee


def on_table(state: TableState) -> int:
    """Sum all money on stacks and in the pot."""
    pot = state.match.pot if state.match is not None else 0
    return pot + sum(seat.stack for seat in state.seats if seat is not None)


class Eyes:
    """The check of secrecy: no frame shows a card that its viewer, seated or not, may not know (Invariant H-1)."""

    def __init__(self, seats: int) -> None:
        self.viewers: Sequence[int | None] = (*range(seats), None)
        self._known: dict[int | None, set[str]] = {viewer: set() for viewer in self.viewers}
        self._read: dict[object, tuple[Any, frozenset[str]]] = {}

    def follow(self, transition: Transition, now: int) -> dict[int | None, View]:
        """Check that no frame shows a card that its viewer may not know; return all views after the transition."""
        for event in transition.events:
            self._learn(event, face_down=not transition.after.book.open_pile)
        views = views_for(transition.after, self.viewers, now)
        everybody = _Frame([redact(event, None) for event in transition.events], views[None])
        to_all = self._cards_to_all(everybody)
        for viewer, view in views.items():
            frame = _Frame([redact(event, viewer) for event in transition.events], view)
            unseen = (to_all | self._cards_beside(viewer, frame, everybody)) - self._known[viewer]
            if unseen:
                raise CheckFailed(f"a frame for {viewer} shows {len(unseen)} unseen cards")
        return views

    def _cards_to_all(self, frame: "_Frame") -> frozenset[str]:
        """Return the cards in the frame of an onlooker."""
        parts = (self._cards(name, part) for name, part in frame.view.items() if part is not None)
        return cards_in(frame.told).union(*parts)

    def _cards_beside(self, viewer: int | None, frame: "_Frame", everybody: "_Frame") -> frozenset[str]:
        """Return the cards in those parts of the viewer's frame that are not as in the frame of an onlooker."""
        cards = cards_in(frame.told) if frame.told != everybody.told else frozenset()
        for name, part in frame.view.items():
            if part is not everybody.view.get(name):
                cards |= self._cards((viewer, name), part)
        return cards

    def _cards(self, place: object, part: Any) -> frozenset[str]:
        """Return the cards in a part of a view. A part that equals the last one read in its place is not read again."""
        last = self._read.get(place)
        if last is None or (last[0] is not part and last[0] != part):
            last = self._read[place] = part, cards_in(part)
        return last[1]

    def _learn(self, event: events.Event, *, face_down: bool) -> None:
        match event:
            case events.CardsDealt():
                self.begin(zip(event.order, event.hands, strict=True))
            case events.UpcardTurned(card=card) | events.CutJokerTurned(card=card):
                self._all_see([card])
            case events.CardDrawn(pile=Pile.CLOSED):
                self._known[event.seat].add(event.card)
            case events.CardDiscarded(card=str() as card) | events.ShowRefused(card=str() as card) if not face_down:
                self._all_see([card])
            case events.DealEnded(rows=rows, finish_card=finish_card):
                self._all_see(card for row in rows for group in (row.loose, *row.groups) for card in group)
                self._all_see([finish_card] if finish_card is not None else [])

    def begin(self, hands: Iterable[tuple[int, Iterable[str]]]) -> None:
        """Begin a deal: each player knows only their own cards."""
        self._known = {viewer: set() for viewer in self.viewers}
        for seat, hand in hands:
            self._known[seat].update(hand)

    def take_up(self, deal: DealState, *, face_down: bool) -> None:
        """Continue from this deal: besides their own cards all players know the open ones."""
        self.begin((seat, hand.cards) for seat, hand in enumerate(deal.hands) if hand is not None)
        self._all_see([] if face_down else [entry.card for entry in deal.discards])
        self._all_see([deal.cut] if deal.cut is not None else [])

    def _all_see(self, cards: Iterable[str]) -> None:
        faces = set(cards)
        for known in self._known.values():
            known |= faces


@dataclass(frozen=True, slots=True)
class _Frame:
    told: list[dict[str, Any] | None]
    view: View


def cards_in(content: Any) -> frozenset[str]:
    """Return every physical card that occurs anywhere in this content of plain JSON types."""
    texts: set[str] = set()
    left = [content]
    for part in left:
        kind = type(part)
        if kind is str:
            texts.add(part)
        elif kind is dict:
            texts.update(part)
            left += part.values()
        elif kind is list:
            left += part
    return frozenset().union(*map(_written, texts))


@lru_cache(maxsize=4096)
def _written(text: str) -> frozenset[str]:
    return frozenset(_CARD.findall(text))
