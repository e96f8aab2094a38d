"""The base of events: their fields, the viewers of each field, and the change that they make to the state.

An event carries everything its `fold` needs, secrets too. `public` names the fields that everybody may see, `own` those
that the player in `seat` sees as well; nobody sees a field that is named in neither. A viewer who may see no field of
an event never learns of it. An event whose visible fields depend on the pile or the book overrides `visible`.

Folds are made of the functions below, which return the same table with one part changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from rules.cards import Card
from rules.game.results import Groups
from rules.game.state import DealState, Hand, Phase, Seat, Standing, TableState, replace

__all__ = ["EVENTS", "By", "Event"]


class By(StrEnum):
    """Who acted: the player, or the platform in their place; a declarer who leaves makes a wrong show by leaving."""

    PLAYER = "player"
    PLATFORM = "platform"
    LEAVING = "leaving"


EVENTS: dict[str, type[Event]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The base of all events; `name` is the class name in snake case."""

    name: ClassVar[str] = ""
    public: ClassVar[tuple[str, ...]] = ()
    own: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        if Event not in cls.__bases__:
            return
        cls.name = re.sub(r"(?<!^)([A-Z])", r"_\1", cls.__name__).lower()
        EVENTS[cls.name] = cls

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Return the names of the fields that `viewer` (a seat, None for an onlooker) may see."""
        if self.own and viewer is not None and viewer == getattr(self, "seat", None):
            return self.public + self.own
        return self.public

    def fold(self, state: TableState) -> TableState:
        """Return the state after this event, with the version unchanged.

        Only folds make new states. They trust the event: its legality is checked before it is emitted.
        """
        raise NotImplementedError


def assign_seat(state: TableState, seat: int, holder: Seat | None) -> TableState:
    """Return the same table with `holder` in `seat`, or with the seat free."""
    return replace(state, seats=(*state.seats[:seat], holder, *state.seats[seat + 1 :]))


def with_seat(state: TableState, seat: int, **changes: Any) -> TableState:
    """Return the same table with fields of one taken seat changed."""
    return assign_seat(state, seat, replace(state.seat(seat), **changes))


def with_match(state: TableState, **changes: Any) -> TableState:
    """Return the same table with fields of its match changed."""
    assert state.match is not None, "no match is on"
    return replace(state, match=replace(state.match, **changes))


def with_deal(state: TableState, **changes: Any) -> TableState:
    """Return the same table with fields of its deal changed."""
    return replace(state, deal=replace(state.current, **changes))


def with_hand(state: TableState, seat: int, **changes: Any) -> TableState:
    """Return the same table with fields of one hand changed."""
    return with_deal(state, hands=hands_with(state.current, seat, **changes))


def hands_with(deal: DealState, seat: int, **changes: Any) -> tuple[Hand | None, ...]:
    """Return all hands of the deal, with fields of one of them changed."""
    return (*deal.hands[:seat], replace(deal.hand(seat), **changes), *deal.hands[seat + 1 :])


def hands_less(deal: DealState, seat: int, card: Card) -> tuple[Hand | None, ...]:
    """Return all hands of the deal after `card` has gone out of one of them."""
    hand = deal.hand(seat)
    return hands_with(deal, seat, cards=_less(hand.cards, card), groups=_without(hand.groups, card))


def out_of_deal(state: TableState, seat: int, standing: Standing, points: int) -> TableState:
    """Freeze the player's hand; if it was their turn, it is over."""
    turn = state.current.turn
    state = with_hand(state, seat, standing=standing, points=points, auto_drop=False)
    if turn is None or turn.seat != seat:
        return state
    return replace(with_deal(state, turn=None), phase=Phase.PLAYING, clock=None)


def _without(groups: Groups, card: Card) -> Groups:
    """Return the groups after a card has left them; an emptied group is gone."""
    groups_left = [_less(group, card) if card in group else group for group in groups]
    return tuple([group for group in groups_left if group])


def _less(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple([other for other in cards if other != card])
