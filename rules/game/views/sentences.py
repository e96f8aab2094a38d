"""Events in sentences: for each viewer as they happen, and later in the log of a deal.

A sentence is made from the event as its reader may see it, so it cannot reveal more. Readers are "You" in sentences
about themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from rules.cards import JOKER, face, is_joker
from rules.text import Message, message, translatable

EventView = Mapping[str, Any]

#: Whole, not a rank in a frame: in Hindi what stands before a queen is not what stands before a king.
_NAMES: Final = translatable(
    {"A": "ace of {suit}", "J": "jack of {suit}", "Q": "queen of {suit}", "K": "king of {suit}"}
)
_SUIT_NAMES: Final = translatable({"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"})

#: Events that are worth a sentence only while they last.
PASSING: Final = frozenset({"turn_began", "extra_time_began"})


def face_name(of: str) -> Message:
    """Return `7 of hearts` for 7H and `queen of hearts` for QH: of a face that is no printed joker."""
    rank, suit = of[:-1], message(_SUIT_NAMES[of[-1]])
    return message(_NAMES[rank], suit=suit) if rank in _NAMES else message("{rank} of {suit}", rank=rank, suit=suit)


@lru_cache(maxsize=4096)
def card_name(card: str, wild: int = 0) -> Message:
    """Return `the 7 of hearts` for 7H1, `the wild 7 of hearts` where sevens are, `the printed joker` for JR2."""
    card_face = face(card)
    if card_face == JOKER:
        return message("the printed joker")
    if wild and is_joker(card, wild):
        return message("the wild {card}", card=face_name(card_face))
    return message("the {card}", card=face_name(card_face))


def sentence(event: EventView, names: Mapping[int, str], *, reader: int | None = None, wild: int = 0) -> Message | None:
    """Return the event as a sentence for the player in seat `reader`, or for anybody (None); None for an event that
    needs no sentence. `names` are the players by seat."""
    kind = event["type"]
    way = _WAYS.get(kind)
    of_others, own = _SENTENCES.get(kind if way is None else kind + way(event), (None, None))
    seat = event.get("seat")
    template = own if reader is not None and seat == reader else of_others
    if template is None:
        return None
    return _filled_in(template, event.get("by") == "platform", *_values(event, names, wild))


def in_words(event: dict[str, Any], names: Mapping[int, str], *, reader: int | None = None, wild: int = 0) -> EventView:
    """Return the event with its sentence as `text`, if it has one."""
    text = sentence(event, names, reader=reader, wild=wild)
    return event if text is None else {**event, "text": text}


@lru_cache(maxsize=4096)
def _filled_in(template: str, late: bool, who: str, card: str, points: int | None, total: int | None) -> Message:
    what = message(template, who=who, card=card, points=points, total=total)
    return message("{what} (time was up).", what=what) if late else message("{what}.", what=what)


def _values(event: EventView, names: Mapping[int, str], wild: int) -> tuple[str, str, int | None, int | None]:
    """Return the values for a sentence: the player, the card if the reader may see it, points and total."""
    seat, card = event.get("seat"), event.get("card")
    who = names.get(seat if seat is not None else -1) or _SOMEBODY
    named = card_name(card, 0 if event["type"] == "cut_joker_turned" else wild) if card else ""
    return who, named, event.get("points"), event.get("total")


_SOMEBODY: Final = message("A player")
#: In which of several ways an event may have happened.
_WAYS: Final[Mapping[str, Callable[[EventView], str]]] = {
    "card_drawn": lambda event: " open" if event["pile"] == "open" else "" if event.get("card") else " unseen",
    "card_discarded": lambda event: "" if event.get("card") else " unseen",
    "finish_placed": lambda event: " undrawn" if "card" in event and event["card"] is None else "",
    "split_answered": lambda event: "" if event["accept"] else " refused",
    "split_ended": lambda event: "" if event["agreed"] else " refused",
}


#: What others read, and what the player of the event's seat reads; None: nothing.
_SENTENCES: Final[Mapping[str, tuple[str | None, str | None]]] = translatable({
    "turn_began": ("{who} to play", "Your turn. Draw a card"),
    "extra_time_began": (None, "Your extra time is running"),
    "card_drawn": ("{who} drew {card} from the closed deck", "You drew {card} from the closed deck"),
    "card_drawn unseen": ("{who} drew a card from the closed deck", "You drew a card from the closed deck"),
    "card_drawn open": ("{who} took {card} from the open pile", "You took {card} from the open pile"),
    "card_discarded": ("{who} discarded {card}", "You discarded {card}"),
    "card_discarded unseen": ("{who} discarded face down", "You discarded face down"),
    "turn_auto_played": (
        "{who} ran out of time: the turn was played for them",
        "You ran out of time: your turn was played for you",
    ),
    "player_dropped": ("{who} dropped for {points} points", "You dropped for {points} points"),
    "player_left": ("{who} left the table", "You left the table"),
    "seat_taken": ("{who} sat down", "You sat down"),
    "seat_left": ("{who} got up", "You got up"),
    "match_started": ("The match begins", "The match begins"),
    "cards_dealt": ("Thirteen cards are dealt to each player", "Thirteen cards are dealt to each player"),
    "upcard_turned": ("The first upcard is {card}", "The first upcard is {card}"),
    "cut_joker_turned": ("The cut joker is {card}", "The cut joker is {card}"),
    "finish_placed": ("{who} placed a card in the finish slot", "You placed a card in the finish slot"),
    "finish_placed undrawn": ("{who} showed without drawing", "You showed without drawing"),
    "show_accepted": ("{who} made a valid show", "You made a valid show"),
    "show_refused": ("{who} made a wrong show for {points} points", "You made a wrong show for {points} points"),
    "hand_submitted": ("{who} submitted", "You submitted"),
    "closed_deck_reshuffled": ("The discards became the new closed deck", "The discards became the new closed deck"),
    "deal_voided": ("The deal is void: nothing was left to draw", "The deal is void: nothing was left to draw"),
    "player_eliminated": ("{who} is out at {total}", "You are out at {total}"),
    "player_rejoined": ("{who} rejoined with {total} points", "You rejoined with {total} points"),
    "rejoin_declined": ("{who} did not rejoin", "You did not rejoin"),
    "split_offered": ("{who} offered to split the prize", "You offered to split the prize"),
    "split_answered": ("{who} accepted the split", "You accepted the split"),
    "split_answered refused": ("{who} refused the split", "You refused the split"),
    "split_ended": ("The prize is split", "The prize is split"),
    "split_ended refused": ("The split was not agreed", "The split was not agreed"),
    "match_cancelled": ("The match was cancelled and everything refunded",) * 2,
    "clock_credited": ("Play goes on after an interruption; the clock got extra time",) * 2,
})  # fmt: skip
