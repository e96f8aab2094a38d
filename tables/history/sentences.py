"""What happened, in sentences: the log of a finished deal for people."""

from collections.abc import Callable, Mapping
from typing import Any

from rules.cards import face

_RANKS = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}
_SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}

Event = Mapping[str, Any]


def card_name(card: str) -> str:
    """`the 7 of hearts` for 7H1, `the printed joker` for JR2."""
    shown = face(card)
    if shown == "JR":
        return "the printed joker"
    return f"the {_RANKS.get(shown[:-1], shown[:-1])} of {_SUITS[shown[-1]]}"


def sentence(event: Event, names: Mapping[int, str]) -> str | None:
    """The event of a replay as a sentence; None for one that is of no interest to people."""
    tell = _SENTENCES.get(event["type"])
    if tell is None:
        return None
    told = tell(event, names.get(event.get("seat", -1), "A player"))
    return f"{told}, by the platform: time was up." if event.get("by") == "platform" else f"{told}."


def _drew(event: Event, who: str) -> str:
    card = f" {card_name(event['card'])}" if "card" in event else " a card"
    return f"{who} took{card} from the {event['pile']} {'deck' if event['pile'] == 'closed' else 'pile'}"


def _discarded(event: Event, who: str) -> str:
    return f"{who} discarded {card_name(event['card'])}" if "card" in event else f"{who} discarded face down"


def _finished(event: Event) -> str:
    undrawn = "card" in event and event["card"] is None
    return "showed without drawing" if undrawn else "placed a card in the finish slot"


_SENTENCES: Mapping[str, Callable[[Event, str], str]] = {
    "cards_dealt": lambda event, who: "Thirteen cards were dealt to each player",
    "upcard_turned": lambda event, who: f"The first upcard was {card_name(event['card'])}",
    "cut_joker_turned": lambda event, who: f"The cut joker was {card_name(event['card'])}",
    "card_drawn": _drew,
    "card_discarded": _discarded,
    "player_dropped": lambda event, who: f"{who} dropped for {event['points']} points",
    "player_left": lambda event, who: f"{who} left the table",
    "finish_placed": lambda event, who: f"{who} {_finished(event)}",
    "show_accepted": lambda event, who: f"{who} made a valid show",
    "show_refused": lambda event, who: f"{who} made a wrong show for {event['points']} points",
    "hand_submitted": lambda event, who: f"{who} submitted",
    "closed_deck_reshuffled": lambda event, who: "The discards became the new closed deck",
    "deal_voided": lambda event, who: "The deal was void: nothing was left to draw",
    "match_cancelled": lambda event, who: "The match was cancelled and refunded",
    "clock_credited": lambda event, who: "Play was interrupted; the clock got extra time",
}
