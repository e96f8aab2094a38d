"""What happened, in sentences: as it happens, for each viewer, and later in the log of a deal.

A sentence is made of an event as its reader may see it, so that it cannot say more than that. Readers are "You" in
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rules.cards import JOKER, face, is_joker

EventView = Mapping[str, Any]

_RANKS: Final = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}
_SUITS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}

PASSING: Final = frozenset({"turn_began", "extra_time_began"})
"""Events that are worth a sentence only while they last."""


def card_name(card: str, wild: int = 0) -> str:
    """Return `the 7 of hearts` for 7H1, `the wild 7 of hearts` where sevens are, `the printed joker` for JR2."""
    shown = face(card)
    if shown == JOKER:
        return "the printed joker"
    name = f"{_RANKS.get(shown[:-1], shown[:-1])} of {_SUITS[shown[-1]]}"
    return f"the wild {name}" if wild and is_joker(card, wild) else f"the {name}"


def sentence(event: EventView, names: Mapping[int, str], *, reader: int | None = None, wild: int = 0) -> str | None:
    """Return what happened in the words of the player in seat `reader`, or of anybody (None); None for an event that
    needs no words. `names` are the players by seat."""
    tell = _SENTENCES.get(event["type"])
    if tell is None:
        return None
    seat = event.get("seat")
    you = reader is not None and seat == reader
    text = tell(_Happening(event, "You" if you else names.get(seat if seat is not None else -1, "A player"), you, wild))
    if text is None:
        return None
    return f"{text} (time was up)." if event.get("by") == "platform" else f"{text}."


def in_words(event: dict[str, Any], names: Mapping[int, str], *, reader: int | None = None, wild: int = 0) -> EventView:
    """Return the event with its sentence beside it as `text`, where it has one."""
    text = sentence(event, names, reader=reader, wild=wild)
    return event if text is None else {**event, "text": text}


@dataclass(frozen=True, slots=True)
class _Happening:
    """An event as a sentence needs it: who did it, and whether that is the reader."""

    event: EventView
    who: str
    you: bool
    wild: int

    def __getitem__(self, name: str) -> Any:
        return self.event[name]

    @property
    def card(self) -> str | None:
        """The card by its name, None where the reader does not see it."""
        card = self.event.get("card")
        return card_name(card, self.wild) if card else None


def _turn(it: _Happening) -> str:
    return "Your turn. Draw a card" if it.you else f"{it.who} to play"


def _drawn(it: _Happening) -> str:
    if it["pile"] == "open":
        return f"{it.who} took {it.card} from the open pile"
    return f"{it.who} drew {it.card or 'a card'} from the closed deck"


def _discarded(it: _Happening) -> str:
    return f"{it.who} discarded {it.card}" if it.card else f"{it.who} discarded face down"


def _finished(it: _Happening) -> str:
    shows_undrawn = "card" in it.event and it["card"] is None
    return f"{it.who} {'showed without drawing' if shows_undrawn else 'placed a card in the finish slot'}"


_SENTENCES: Final[Mapping[str, Callable[[_Happening], str | None]]] = {
    "turn_began": _turn,
    "extra_time_began": lambda it: "Your extra time is running" if it.you else None,
    "card_drawn": _drawn,
    "card_discarded": _discarded,
    "turn_auto_played": lambda it: f"{it.who} {'were' if it.you else 'was'} played for: time was up",
    "player_dropped": lambda it: f"{it.who} dropped for {it['points']} points",
    "player_left": lambda it: f"{it.who} left the table",
    "seat_taken": lambda it: f"{it.who} sat down",
    "seat_left": lambda it: f"{it.who} got up",
    "match_started": lambda it: "The match begins",
    "cards_dealt": lambda it: "Thirteen cards are dealt to each player",
    "upcard_turned": lambda it: f"The first upcard is {it.card}",
    "cut_joker_turned": lambda it: f"The cut joker is {card_name(it['card'])}",
    "finish_placed": _finished,
    "show_accepted": lambda it: f"{it.who} made a valid show",
    "show_refused": lambda it: f"{it.who} made a wrong show for {it['points']} points",
    "hand_submitted": lambda it: f"{it.who} submitted",
    "closed_deck_reshuffled": lambda it: "The discards became the new closed deck",
    "deal_voided": lambda it: "The deal is void: nothing was left to draw",
    "player_eliminated": lambda it: f"{it.who} {'are' if it.you else 'is'} out with {it['total']} points",
    "player_rejoined": lambda it: f"{it.who} rejoined with {it['total']} points",
    "rejoin_declined": lambda it: f"{it.who} did not rejoin",
    "split_offered": lambda it: f"{it.who} offered to split the prize",
    "split_answered": lambda it: f"{it.who} {'accepted' if it['accept'] else 'refused'} the split",
    "split_ended": lambda it: "The prize is split" if it["agreed"] else "The split was not agreed",
    "match_cancelled": lambda it: "The match was cancelled and everything refunded",
    "clock_credited": lambda it: "Play goes on after an interruption; the clock got extra time",
}
