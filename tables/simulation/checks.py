"""What is checked after every event of a simulated table, by means that do not trust the engine's own bookkeeping."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rules.game import codec, events
from rules.game.engine import Transition, check_invariants, fold, redact, start, view_for
from rules.game.folding import sealed
from rules.game.moves import Pile
from rules.game.state import TableState, Terms

_CARD: Final = re.compile(r"\b(?:(?:10|[2-9AJQK])[CDHS]|JR)[1-3]\b")


class CheckFailed(AssertionError):
    """A check of the simulation has found a fault; the message says where."""


class Log:
    """The events through their stored form and back: they alone must rebuild the state, sound after each of them."""

    def __init__(self, terms: Terms) -> None:
        self._state = start(terms)

    def follow(self, transition: Transition) -> None:
        """The stored events lead from the state before to the state after."""
        stored = [json.loads(codec.canonical(codec.dump_event(event))) for event in transition.events]
        told = [codec.load_event(record) for record in stored]
        state = self._state
        for event in told:
            state = fold(state, event)
            check_invariants(state, settled=False)
        self._state = sealed(state, told)
        if self._state != transition.after:
            raise CheckFailed("the stored events do not rebuild the state")

    def check_bytes(self, state: TableState) -> None:
        """The rebuilt state and the real one are the same bytes, also after a round trip."""
        stored = codec.canonical(codec.dump_state(state))
        if codec.canonical(codec.dump_state(self._state)) != stored:
            raise CheckFailed("the rebuilt state differs in its bytes")
        if codec.load_state(json.loads(stored)) != state:
            raise CheckFailed("the state does not survive its stored form")


class Till:
    """Where all money is, told by the events alone: what came in is on stacks, in the pot, or went out."""

    def __init__(self) -> None:
        self.inside = 0
        self.fees = 0

    def follow(self, transition: Transition) -> None:
        for event in transition.events:
            self._count(event)
            if isinstance(event, events.DealEnded):
                self._settled_as_shown(transition, event)
        state = transition.after
        stacks = sum(seat.stack for seat in state.seats if seat is not None)
        if stacks + (state.match.pot if state.match is not None else 0) != self.inside:
            raise CheckFailed("money on the table is not what came in less what went out")

    def _settled_as_shown(self, transition: Transition, ended: events.DealEnded) -> None:
        """Each stack has changed by what the result says, in the same transition (Invariant D-4)."""
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


class Eyes:
    """What each seat and one who watches may know (Invariant H-1), and whether their frames say more."""

    def __init__(self, seats: int) -> None:
        self._viewers: Sequence[int | None] = (*range(seats), None)
        self._known: dict[int | None, set[str]] = {viewer: set() for viewer in self._viewers}

    def follow(self, transition: Transition, now: int) -> None:
        for event in transition.events:
            self._learn(event, face_down=not transition.after.book.open_pile)
        for viewer in self._viewers:
            frame = [redact(event, viewer) for event in transition.events]
            unseen = cards_in([frame, view_for(transition.after, viewer, now)]) - self._known[viewer]
            if unseen:
                raise CheckFailed(f"a frame for {viewer} shows {len(unseen)} unseen cards")

    def _learn(self, event: events.Event, *, face_down: bool) -> None:
        match event:
            case events.CardsDealt():
                self._known = {viewer: set() for viewer in self._viewers}
                for seat, hand in zip(event.order, event.hands, strict=True):
                    self._known[seat].update(hand)
            case events.UpcardTurned(card=card) | events.CutJokerTurned(card=card):
                self._all_see([card])
            case events.CardDrawn(pile=Pile.CLOSED):
                self._known[event.seat].add(event.card)
            case events.CardDiscarded(card=card) | events.ShowRefused(card=card) if not face_down:
                self._all_see([card])
            case events.DealEnded(rows=rows, finish_card=finish_card):
                self._all_see(card for row in rows for group in (row.loose, *row.groups) for card in group)
                self._all_see([finish_card] if finish_card is not None else [])

    def _all_see(self, cards: Iterable[str]) -> None:
        shown = set(cards)
        for known in self._known.values():
            known |= shown


def cards_in(content: Any) -> set[str]:
    """Every physical card that is written anywhere in this content."""
    return set(_CARD.findall(json.dumps(content)))


Refusals = tuple[type[Exception], ...]


def refusal_changes_nothing(state: TableState, attempt: Callable[[], Any], refusals: Refusals) -> bool:
    """Whether the attempt was refused; a refused one has left the state's canonical bytes as they were."""
    before = codec.canonical(codec.dump_state(state))
    try:
        attempt()
    except refusals:
        if codec.canonical(codec.dump_state(state)) != before:
            raise CheckFailed("a refused move has changed the state") from None
        return True
    return False
