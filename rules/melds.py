"""Judgement of one group of cards. RULES.md, Melds.

A wild card may stand in its own place, where it is no joker. So every test below counts the fewest jokers that must
*stand* for a missing card.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rules.books import RuleBook
from rules.cards import ACE, HAND_SIZE, Card, Face, face, is_joker, rank, suit
from rules.text import message

LEAST: Final = 3
LARGEST_SET: Final = 4


class Kind(StrEnum):
    PURE = "pure"
    IMPURE = "impure"
    SET = "set"
    JOKERS = "jokers"
    INVALID = "invalid"

    @property
    def is_sequence(self) -> bool:
        return self in (Kind.PURE, Kind.IMPURE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The kind of a group; `reason` says in a few words why it is no meld, None if it is one."""

    kind: Kind
    reason: str | None = None


def _window(start: int, length: int) -> int:
    """Return the ranks of a run as bits; rank 14 is the ace again."""
    return sum(1 << (ACE if place > HAND_SIZE else place) for place in range(start, start + length))


# For every length the runs of one suit: ace low or high, never both ways round.
WINDOWS: Final = {
    length: tuple(_window(start, length) for start in range(1, 16 - length)) for length in range(LEAST, HAND_SIZE + 1)
}


def judge_group(book: RuleBook, wild: int, cards: Sequence[Card | Face]) -> Verdict:
    """Return the verdict on this group when rank `wild` is wild; a group that could be sequence or set is a sequence.

    Groups of any size are judged, and the order of the cards does not matter. Sources: RULES.md, Melds and
    Valid declaration; seed 000 rules 21 to 24, seed 002 for tunnela, one joker a meld and jokers apart.
    """
    plain = [card for card in cards if not is_joker(card, wild)]
    in_run = _jokers_in_run(cards, plain, wild)
    if in_run == 0 or (book.tunnela and _is_tunnela(cards)):
        return Verdict(Kind.PURE)
    limit = len(cards) if book.jokers_per_meld is None else book.jokers_per_meld
    if in_run is not None and in_run <= limit:
        return Verdict(Kind.IMPURE)
    if not plain and book.jokers_per_meld is None and len(cards) >= LEAST:
        return Verdict(Kind.IMPURE)
    in_set = _jokers_in_set(cards, plain, wild)
    if in_set is not None and in_set <= limit:
        return Verdict(Kind.SET)
    if not plain and cards and book.jokers_apart:
        return Verdict(Kind.JOKERS)
    if in_run is not None or in_set is not None:
        return Verdict(Kind.INVALID, message("Too many jokers in one meld"))
    return Verdict(Kind.INVALID, _reason(cards, plain))


def _jokers_in_run(cards: Sequence[Card | Face], plain: Sequence[Card | Face], wild: int) -> int | None:
    """Return the fewest standing jokers with which these cards are a run; None if they are not a run."""
    windows = WINDOWS.get(len(cards))
    if windows is None or len({suit(card) for card in plain}) != 1:
        return None
    ranks = sum({1 << rank(card) for card in plain})
    if ranks.bit_count() != len(plain):
        return None
    missing = len(cards) - len(plain)
    fitting = [window for window in windows if ranks & ~window == 0]
    own_place = any(rank(card) == wild and suit(card) == suit(plain[0]) for card in cards)
    return min((missing - (own_place and window >> wild & 1) for window in fitting), default=None)


def _jokers_in_set(cards: Sequence[Card | Face], plain: Sequence[Card | Face], wild: int) -> int | None:
    """Return the fewest standing jokers with which these cards are a set; None if they are not a set."""
    if not LEAST <= len(cards) <= LARGEST_SET:
        return None
    of_rank = plain or [card for card in cards if rank(card) == wild]
    suits = {suit(card) for card in of_rank}
    if len({rank(card) for card in plain}) > 1 or len(suits) < len(plain):
        return None
    return len(cards) - len(suits)


def _is_tunnela(cards: Sequence[Card | Face]) -> bool:
    return len(cards) == LEAST and len({face(card) for card in cards}) == 1 and rank(cards[0]) > 0


def _reason(cards: Sequence[Card | Face], plain: Sequence[Card | Face]) -> str:
    if len(cards) < LEAST:
        return message("A meld needs three cards or more")
    if len({rank(card) for card in plain}) == 1:
        return (
            message("A set has four cards at most")
            if len(cards) > LARGEST_SET
            else message("A set needs different suits")
        )
    if len({suit(card) for card in plain}) > 1:
        return message("These cards share neither suit nor rank")
    if len({rank(card) for card in plain}) < len(plain):
        return message("A sequence holds no card twice")
    return message("This sequence has a gap")


#: The place of an ace above the king.
ACE_HIGH: Final = 14


def in_reading_order(cards: Sequence[Card | Face], kind: Kind, wild: int) -> tuple[Card | Face, ...]:
    """Return the cards as one reads them: those of a sequence as a run, others by suit and rank, the jokers last."""
    run = in_run(cards, wild) if kind.is_sequence else None
    return run or tuple(sorted(cards, key=lambda card: (is_joker(card, wild), suit(card), rank(card), card)))


def in_run(cards: Sequence[Card | Face], wild: int) -> tuple[Card | Face, ...] | None:
    """Return the cards as they stand in a run, or None if they are no run.

    Jokers lie in its gaps, then above it, and below it where nothing is above. A wild card lies in its own place where
    it can, and is no joker there.
    """
    plain = {rank(card): card for card in cards if not is_joker(card, wild)}
    jokers = sorted(card for card in cards if is_joker(card, wild))
    suits = {suit(card) for card in plain.values()}
    own = {rank(card): card for card in cards if suit(card) in suits}
    rows = [
        [(place - 1) % HAND_SIZE + 1 for place in range(start, start + len(cards))]
        for start in range(1, 16 - len(cards))
    ]
    fitting = [row for row in rows if plain.keys() <= set(row)]
    if len(suits) != 1 or len(plain) + len(jokers) < len(cards) or not fitting:
        return None
    row = max(fitting, key=lambda row: (len(own.keys() & row), row[0]))
    if wild in own.keys() & row:
        jokers.remove(own[wild])
    return tuple(own[place] if place in own else jokers.pop() for place in row)


def has_run(cards: Iterable[Card | Face]) -> bool:
    """Return whether three of the cards are a run of one suit, each in its own place; the ace is low or high."""
    held = {(suit(card), rank(card)) for card in cards}
    return any({(letter, value % 13 + 1), (letter, (value + 1) % 13 + 1)} <= held
               for letter, value in held if 0 < value < 13)  # fmt: skip


def ranks_apart(one: Card | Face, other: Card | Face) -> int:
    """Return by how many ranks two cards differ; the ace is low or high, whichever is nearer."""
    low, high = sorted((rank(one), rank(other)))
    return min(high - low, ACE_HIGH - high) if low == ACE else high - low
