"""Explanations of the points in each row of a result, in sentences and card by card.

Nothing is decided here: the points are those of the result, and the reasons come from the same book, verdicts and
prices that led to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rules.books import NoSubmission, OpenShow, RuleBook, WithoutLives
from rules.cards import HAND_SIZE, Card, points
from rules.declaration import counted_cards, fault, has_lives, judge, missing_life, plain_and_jokers
from rules.game.legality import rejoin_right
from rules.game.prices import losing_price
from rules.game.results import Outcome, Row
from rules.game.state import DealState, Hand, Place, Standing, TableState
from rules.melds import Kind
from rules.messages import EXPLANATIONS
from rules.scoring import half
from rules.text import Message, join, lower_first, message


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a row's points: whole sentences, and each card that counted with its points."""

    text: str
    counted: tuple[tuple[Card, int], ...] = ()


def explain_row(book: RuleBook, deal: DealState, row: Row, *, gone: bool) -> Explanation:
    """Return the explanation of this row's points, from the deal as it was at its end; `gone`: the player has left."""
    hand = deal.hand(row.seat)
    match row.outcome:
        case Outcome.WON:
            return Explanation(_explanation("shown" if hand.standing is Standing.SUBMITTED else "last_left"))
        case Outcome.DROPPED:
            return Explanation(_dropped(book, hand, row.points))
        case Outcome.WRONG:
            return Explanation(_wrong(book, deal, row, gone=gone))
        case Outcome.LEFT:
            return _left(book, deal, row)
        case Outcome.LOST:
            return _lost(book, deal, row)


def explain_rejoin(state: TableState, row: Row) -> str | None:
    """Return why the player of this row is out of the match and may not rejoin; None if that is not the case."""
    limit, player = state.book.pool_limit, state.seats[row.seat]
    if limit is None or row.total is None or row.total < limit or player is None or player.place is not Place.OUT:
        return None
    right = rejoin_right(state, row.seat)
    return None if right is None or right.allowed else out_sentences(row.total, right.reason)


def out_sentences(total: int, reason: str) -> str:
    """Return the sentences that a player is out of the match with `total` points, and why they may not rejoin."""
    return join([_explanation("out", total=total), _explanation("no_rejoin", reason=lower_first(reason))])


def explain_share(drops: int, excess: int) -> str:
    """Return the explanation of a share of a split, for a player with `drops` left, `excess` more than the fewest.

    Source: RULES.md, Split.
    """
    if excess == 0:
        return _explanation({0: "share_equal_none", 1: "share_equal_one"}.get(drops, "share_equal"), drops=drops)
    if excess == 1:
        return _explanation("share_first" if drops == 1 else "share_one_more", drops=drops)
    return _explanation("share_more", drops=drops, excess=excess)


def _dropped(book: RuleBook, hand: Hand, paid: int) -> str:
    if book.misses_allowed is not None and hand.misses >= book.misses_allowed:
        return _explanation("missed_out", times=hand.misses, points=paid)
    if hand.auto >= book.auto_plays_allowed:
        return _explanation("played_out", times=hand.auto, points=paid)
    if len(hand.cards) > HAND_SIZE:
        return _explanation("late_discard", points=paid)
    if book.first_drop is None:
        return _explanation("not_drawn", points=paid)
    return _explanation("first_drop" if hand.draws == 0 else "middle_drop", points=paid)


def _wrong(book: RuleBook, deal: DealState, row: Row, *, gone: bool) -> str:
    """Explain a wrong show; one that lies complete was never submitted: its player left, or in some books was late.

    Events of before do not tell of a show that is not complete whether its player left before submitting it.
    """
    if deal.hand(row.seat).standing is Standing.LEFT_SHOW:
        return _explanation("left_show", points=row.points)
    melds = [(Kind(kind), len(group)) for kind, group in zip(row.kinds, row.groups, strict=True)]
    reason = fault(book, melds, *plain_and_jokers(row.loose, deal.wild))
    if reason is None:
        late = book.no_submission is NoSubmission.FULL_COUNT and not gone
        return _explanation("late_show" if late else "left_show", points=row.points)
    return join([_explanation("wrong_show", points=row.points), reason])


def _left(book: RuleBook, deal: DealState, row: Row) -> Explanation:
    """Explain the price of leaving; after a show it is that of the current hand, if that is more."""
    hand = deal.hand(row.seat)
    discarded = hand.draws > (len(hand.cards) > HAND_SIZE)
    fixed = book.leave_later if discarded else book.leave_first
    if row.points != fixed:
        lost = _lost(book, deal, row)
        return Explanation(join([_explanation("left_melding"), lost.text]), lost.counted)
    if book.leave_first == book.leave_later:
        return Explanation(_explanation("left", points=fixed))
    return Explanation(_explanation("left_later" if discarded else "left_first", points=fixed))


def _lost(book: RuleBook, deal: DealState, row: Row) -> Explanation:
    """Explain how the hand of a loser was counted, in the order of the rules in `scoring.loser_points`."""
    hand = deal.hand(row.seat)
    had_turn = hand.draws > 0
    if losing_price(book, deal, row.seat, row.groups, submitted=True) != row.points:
        flat = book.no_submission is NoSubmission.FULL_COUNT
        return Explanation(_explanation("not_submitted" if flat else "overlooked_show", points=row.points))
    if book.open_show is OpenShow.DROP_SHOW and _on_first_turn(deal):
        return Explanation(_explanation("drop_show" if had_turn else "drop_show_no_turn", points=row.points))
    if book.open_show is OpenShow.FLAT and not had_turn:
        return Explanation(_explanation("open_show_flat", points=row.points))
    text, counted, judged = _counting(book, deal.wild, row)
    if not had_turn and book.open_show is OpenShow.HALF:
        text.append(_explanation(f"open_show_half{_bound(book, half(judged))}", points=row.points))
    return Explanation(join(text), counted)


def _on_first_turn(deal: DealState) -> bool:
    return deal.winner is not None and deal.hand(deal.winner).draws <= 1


def _bound(book: RuleBook, halved: int) -> str:
    if halved > book.open_show_cap:
        return "_capped"
    return "_least" if halved < book.least_points else ""


def _counting(book: RuleBook, wild: int, row: Row) -> tuple[list[str], tuple[tuple[Card, int], ...], int]:
    """Return sentences about how the hand is counted, the cards that count, and the points that it is judged at."""
    kinds = [Kind(kind) for kind in row.kinds]
    lives = has_lives(book, [(kind, len(group)) for kind, group in zip(kinds, row.groups, strict=True)])
    judged = judge(book, wild, row.groups, row.loose).points
    if not lives and book.without_lives is WithoutLives.FULL_COUNT:
        return [missing_life(kinds), _explanation("flat_count", points=judged)], (), judged
    cards = counted_cards(row.groups, kinds, row.loose, lives=lives)
    counted = tuple((card, points(card, wild)) for card in cards)
    costs = [each for _, each in counted if each]
    if not lives:
        text = [missing_life(kinds), _explanation("pure_free" if Kind.PURE in kinds else "all_count", sum=_sum(costs))]
    else:
        text = [_explanation("both_lives", sum=_sum(costs)) if costs else _explanation("all_melded")]
    return [*text, *_limits(book, sum(costs), judged)], counted, judged


def _limits(book: RuleBook, total: int, judged: int) -> Iterator[str]:
    if total != judged:
        yield _explanation("capped" if total > judged else "least", points=judged)


def _sum(costs: list[int]) -> str:
    """Return a sum such as `10 + 9 = 19`, or the single number."""
    return f"{' + '.join(map(str, costs))} = {sum(costs)}" if len(costs) > 1 else str(sum(costs))


def _explanation(code: str, **values: int | str) -> Message:
    return message(EXPLANATIONS[code], **values)
