"""Prices in points: of losing with given groups, of dropping, and of leaving now."""

from __future__ import annotations

from rules.books import RuleBook
from rules.declaration import judge
from rules.game.legality import why_not
from rules.game.lookups import hand_of
from rules.game.moves import Drop, Submit
from rules.game.results import Groups
from rules.game.state import DealState, Phase, Standing, TableState, replace
from rules.scoring import leave_points, loser_points
from rules.solver.search import best


def price_of_losing(state: TableState, seat: int, groups: Groups, *, submitted: bool) -> int:
    """Return the points of a loser whose hand is arranged in these groups after a valid show.

    `submitted` means by the player; otherwise time has run out and these are their last groups. Sources:
    `scoring.loser_points`; seed 003 for the hand that could have been declared.
    """
    return losing_price(state.book, state.current, seat, groups, submitted=submitted)


def losing_price(book: RuleBook, deal: DealState, seat: int, groups: Groups, *, submitted: bool) -> int:
    """Return the same from the deal alone."""
    hand = replace(deal.hand(seat), groups=groups)
    assert deal.winner is not None, "nobody has shown"
    judged = judge(book, deal.wild, hand.groups, hand.loose).points
    if book.overlooked_show_is_least and not submitted and best(book, deal.wild, hand.cards).valid:
        judged = book.least_points
    return loser_points(
        book,
        judged=judged,
        had_turn=hand.draws > 0,
        winners_first_turn=deal.hand(deal.winner).draws <= 1,
        submitted=submitted,
    )


def points_to_save(state: TableState, seat: int) -> int | None:
    """Return how many points a better arrangement would save a player who may submit theirs; None for all others."""
    if why_not(state, seat, Submit.name) is not None:
        return None
    book, wild, hand = state.book, state.current.wild, state.current.hand(seat)
    arrangement = best(book, wild, hand.cards)
    if state.melding_by == seat:
        overlooked = arrangement.valid and not judge(book, wild, hand.groups, hand.loose).valid
        return book.full_count if overlooked else 0
    lying, least = (
        price_of_losing(state, seat, groups, submitted=True) for groups in (hand.groups, arrangement.groups)
    )
    return lying - least


def price_of_dropping(state: TableState, seat: int) -> int | None:
    """Return the points of dropping, now or at the next turn; None for a player who is in no deal that is played, and
    in books without drops."""
    hand = hand_of(state, seat)
    if hand is None or hand.standing is not Standing.IN or state.phase is not Phase.PLAYING:
        return None
    return state.book.first_drop if hand.draws == 0 else state.book.middle_drop


def drop_eliminates(state: TableState, seat: int) -> bool:
    """Return whether a drop takes the player's score to the limit of the pool (RULES.md, Pool)."""
    points, limit = price_of_dropping(state, seat), state.book.pool_limit
    return points is not None and limit is not None and state.seat(seat).total + points >= limit


def drop_spares(state: TableState, seat: int) -> bool:
    """Return whether to drop now and then to leave costs less than to leave at once, where points are money."""
    points = price_of_dropping(state, seat)
    if points is None or not state.book.per_point or why_not(state, seat, Drop.name) is not None:
        return False
    return points < price_of_leaving(state, seat)


def price_of_leaving(state: TableState, seat: int) -> int:
    """Return the points of leaving the running deal now, for a player in it: never less than for staying.

    A player who is already out pays their fixed points; a declarer who leaves has made a wrong show; after a valid show
    the current arrangement counts (RULES.md, The books).
    """
    deal, hand = state.current, state.current.hand(seat)
    if hand.points is not None:
        return hand.points
    if state.melding_by == seat:
        return state.book.full_count
    points = leave_points(state.book, first_round=not has_discarded(deal, seat))
    if deal.winner is None:
        return points
    return max(points, price_of_losing(state, seat, hand.groups, submitted=True))


def has_discarded(deal: DealState, seat: int) -> bool:
    """Return whether the player has discarded: each draw is followed by a discard, except one in the current turn."""
    holds_drawn = deal.turn is not None and deal.turn.seat == seat and deal.turn.drawn is not None
    return deal.hand(seat).draws > holds_drawn
