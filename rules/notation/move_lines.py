"""The reader of one move: `seat [auto] action [cards] [@ms]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from rules.cards import HAND_SIZE, Card
from rules.errors import quoted
from rules.game.moves import Pile
from rules.game.results import Groups
from rules.notation.shape import Action, MoveLine, NotationError
from rules.text import message

_LINE: Final = re.compile(r"([0-5])[ \t]+(auto[ \t]+)?([a-z]+)((?:[ \t]+[^@]*)?)", re.ASCII)
_TIME: Final = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)
#: Whatever a declarer left has no more cards than the hand.
_MOST_CARDS: Final = HAND_SIZE

ShoeCards = frozenset[Card]


class _BadMove(Exception):
    """The reason why these words are no move."""


def read_move(number: int, line: str, shoe: ShoeCards) -> MoveLine:
    """Return the move in the line with this number; it has neither comment nor outer blanks. Raises NotationError."""
    said, at, time = line.replace("\t", " ").partition(" @")
    found = _LINE.fullmatch(said.rstrip())
    if found is None or found[3] not in _WHAT or (at and not _TIME.fullmatch(time)):
        raise NotationError(number, message("This is no move: {given}", given=quoted(line)))
    action, is_auto = Action(found[3]), found[2] is not None
    try:
        what = _WHAT[action](found[4].strip(), shoe)
    except _BadMove as error:
        raise NotationError(number, error.args[0]) from error
    if is_auto and action in (Action.FINISH, Action.LEAVE):
        raise NotationError(number, message("The platform never does this: {given}", given=quoted(line)))
    return MoveLine(
        seat=int(found[1]), action=action, auto=is_auto, at_ms=int(time) if at else None, line=number, **what
    )


def _pile(words: str, shoe: ShoeCards) -> Mapping[str, Any]:
    pile, *cards = words.split() or [""]
    if pile == Pile.CLOSED and not cards:
        return {"pile": Pile.CLOSED}
    if pile != Pile.OPEN or len(cards) != 1:
        raise _BadMove(
            message("A card is drawn from the closed deck, unseen, or it is the one named of the open pile.")
        )
    return {"pile": Pile.OPEN, "card": _card(cards[0], shoe)}


def _one_card(words: str, shoe: ShoeCards) -> Mapping[str, Any]:
    if len(words.split()) != 1:
        raise _BadMove(message("One card is discarded."))
    return {"card": _card(words, shoe)}


def _card_or_none(words: str, shoe: ShoeCards) -> Mapping[str, Any]:
    """Read the card of the finish slot, which stays empty where somebody shows without having drawn."""
    return _one_card(words, shoe) if words else {}


def _nothing(words: str, shoe: ShoeCards) -> Mapping[str, Any]:
    if words:
        raise _BadMove(message("Nothing is said behind a drop."))
    return {}


def _hand(words: str, shoe: ShoeCards) -> Mapping[str, Any]:
    groups, semicolon, loose = words.partition(";")
    laid = _groups(groups, shoe)
    kept = loose.split()
    if semicolon and (len(kept) < 2 or kept[0] != "loose"):
        raise _BadMove(message("Behind the semicolon are the loose cards."))
    cards = tuple(_card(each, shoe) for each in kept[1:])
    everything = [*(card for group in laid for card in group), *cards]
    if len(set(everything)) != len(everything):
        raise _BadMove(message("A card is there twice."))
    if len(everything) != _MOST_CARDS:
        raise _BadMove(message("A hand has {hand_size} cards, here are {count}.", hand_size=_MOST_CARDS,
                           count=len(everything)))  # fmt: skip
    return {"groups": laid, "loose": cards}


def _hand_or_nothing(words: str, shoe: ShoeCards) -> Mapping[str, Any]:
    return _hand(words, shoe) if words else {}


def _groups(words: str, shoe: ShoeCards) -> Groups:
    if not words.strip():
        return ()
    groups = tuple(tuple(_card(each, shoe) for each in group.split()) for group in words.split("|"))
    if not all(groups):
        raise _BadMove(message("A group is empty."))
    return groups


def _card(text: str, shoe: ShoeCards) -> Card:
    if text not in shoe:
        raise _BadMove(message("{given} is no card of these packs.", given=quoted(text)))
    return text


_WHAT: Final[Mapping[str, Callable[[str, ShoeCards], Mapping[str, Any]]]] = {
    Action.DRAW: _pile,
    Action.DISCARD: _one_card,
    Action.DROP: _nothing,
    Action.FINISH: _card_or_none,
    Action.SHOW: _hand,
    Action.LEAVE: _hand_or_nothing,
}
