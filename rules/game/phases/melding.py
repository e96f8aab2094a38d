"""Arranging, by hand and by the sort button, from the deal to the submission; finish and declaration.

After a finish the declarer melds, then the others, then the deal is scored.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.books import NoSubmission
from rules.cards import NO_SUIT, SUITS, Card, rank, suit
from rules.declaration import Judgement, judge
from rules.game import events as e
from rules.game.events import By, HandArranged, HandSorted
from rules.game.legality import resolve
from rules.game.moves import Arrange, Expire, Finish, Sort, Submit
from rules.game.phases.deal_end import end_deal
from rules.game.phases.turns import next_turn
from rules.game.prices import price_of_losing
from rules.game.results import Groups
from rules.game.state import ClockKind, replace
from rules.game.transitions import Progress
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


def place_in_finish_slot(p: Progress, move: Finish) -> None:
    """Place the card in the finish slot; the player melds the other thirteen.

    Where the book allows a show before drawing, it is a show of all thirteen and the slot stays empty. Raises Refused:
    must_draw, card_needed, not_your_card.
    """
    has_drawn = p.deal.turn is not None and p.deal.turn.drawn is not None
    if has_drawn and move.card is None:
        refuse("card_needed")
    if not has_drawn and move.card is not None:
        refuse("must_draw")
    card = None if move.card is None else resolve(p.deal.hand(move.seat).cards, move.card)
    clock = p.clock(ClockKind.MELD, p.clocks.meld, move.seat)
    p.emit(e.FinishPlaced(seat=move.seat, card=card, clock=clock))


def submit(p: Progress, move: Submit) -> None:
    """Judge these groups, or the last arrangement. Raises Refused as `own_groups` does."""
    groups = p.deal.hand(move.seat).groups
    if move.groups is not None:
        groups = own_groups(p, move.seat, move.groups)
    _submitted(p, move.seat, groups, By.PLAYER)


def expire_melding(p: Progress, move: Expire) -> None:
    """Submit the current arrangement of every player who has not submitted in time."""
    for seat in (p.state.melding_by,) if p.state.melding_by is not None else p.deal.alive:
        _submitted(p, seat, p.deal.hand(seat).groups, By.PLATFORM)


def _submitted(p: Progress, seat: int, groups: Groups, by: By) -> None:
    if p.state.melding_by == seat:
        _declared(p, seat, groups, by)
    else:
        _lost(p, seat, groups, by)
        if not p.deal.alive:
            assert p.deal.winner is not None
            end_deal(p, p.deal.winner)


def _declared(p: Progress, seat: int, groups: Groups, by: By) -> None:
    """Judge a declaration: a valid one wins, any other costs the full count (RULES.md, The books).

    In books with the full count for no submission, a declarer who submits nothing in time has declared wrongly.
    """
    missed = by is By.PLATFORM and p.book.no_submission is NoSubmission.FULL_COUNT
    if _judged(p, seat, groups).valid and not missed:
        clock = p.clock(ClockKind.MELD, p.clocks.meld)
        p.emit(e.ShowAccepted(seat=seat, groups=groups, by=by, clock=clock))
        return
    wrong_show(p, seat, groups, by)
    next_turn(p, seat)


def wrong_show(p: Progress, seat: int, groups: Groups, by: By) -> None:
    """Take the declarer out of the deal at the full count; a card in the finish slot goes to the discards."""
    finished = p.deal.finished
    assert finished is not None
    p.emit(
        e.ShowRefused(
            seat=seat,
            groups=groups,
            points=p.book.full_count,
            card=finished.card,
            by=by,
            face_down=not p.book.open_pile,
        )
    )


def _lost(p: Progress, seat: int, groups: Groups, by: By) -> None:
    points = price_of_losing(p.state, seat, groups, submitted=by is By.PLAYER)
    p.emit(e.HandSubmitted(seat=seat, groups=groups, points=points, by=by))


def _judged(p: Progress, seat: int, groups: Groups) -> Judgement:
    """Return the judgement on the hand in this arrangement."""
    lying = replace(p.deal.hand(seat), groups=groups)
    return judge(p.book, p.deal.wild, lying.groups, lying.loose)
