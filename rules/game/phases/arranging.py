"""Arranging by hand and by the sort button: at any time from the deal to the submission."""

from __future__ import annotations

from collections.abc import Iterable

from rules.cards import NO_SUIT, SUITS, Card, rank, suit
from rules.game.events import HandArranged, HandSorted
from rules.game.legality import resolve
from rules.game.moves import Arrange, Sort
from rules.game.progress import Progress
from rules.game.results import Groups
from rules.messages import refuse


def arrange(p: Progress, move: Arrange) -> None:
    """Arrange the hand in these groups, with the other cards loose."""
    groups = own_groups(p, move.seat, move.groups)
    if groups != p.deal.hand(move.seat).groups:
        p.emit(HandArranged(seat=move.seat, groups=groups))


def sort(p: Progress, move: Sort) -> None:
    """Sort the hand: suits together, ascending, printed jokers apart; once per deal (RULES.md, The books)."""
    p.emit(HandSorted(seat=move.seat, groups=by_suit(p.deal.hand(move.seat).cards)))


def own_groups(p: Progress, seat: int, groups: Iterable[Iterable[str]]) -> Groups:
    """Return these groups as cards of the hand of `seat`, empty ones left out.

    Raises Refused: too_many_groups, not_your_card, bad_groups (a card twice).
    """
    left = list(p.deal.hand(seat).cards)
    named = [tuple(group) for group in groups]
    if sum(1 for group in named if group) > p.book.max_groups:
        refuse("too_many_groups")
    return tuple(tuple(_take(left, p.deal.hand(seat).cards, text) for text in group) for group in named if group)


def _take(left: list[Card], hand: tuple[Card, ...], text: str) -> Card:
    resolve(hand, text)
    if not any(text in (card, card[:-1]) for card in left):
        refuse("bad_groups")
    card = resolve(tuple(left), text)
    left.remove(card)
    return card


def by_suit(cards: tuple[Card, ...]) -> Groups:
    """Return a group for each suit, ascending from the ace, wild cards in their own places; then the printed jokers."""
    ascending = sorted(cards, key=rank)
    groups = (tuple(card for card in ascending if suit(card) == each) for each in (*SUITS, NO_SUIT))
    return tuple(group for group in groups if group)
