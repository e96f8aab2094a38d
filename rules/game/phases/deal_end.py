"""The end of a deal: result, money, elimination and prizes. All of it follows without a move of a player."""

from __future__ import annotations

from rules import payouts
from rules.declaration import judge
from rules.game import events as e
from rules.game.legality import possible_split, rejoin_right
from rules.game.lookups import in_match, prize
from rules.game.results import Outcome, Row
from rules.game.state import ClockKind, Place, Standing
from rules.game.transitions import Progress

#: Once everybody has continued, the next deal comes in this many milliseconds.
HURRY = 3_000

_OUTCOMES = {
    Standing.SUBMITTED: Outcome.LOST,
    Standing.DROPPED: Outcome.DROPPED,
    Standing.WRONG: Outcome.WRONG,
    Standing.LEFT_SHOW: Outcome.WRONG,
    Standing.LEFT: Outcome.LEFT,
}


def end_deal(p: Progress, winner: int) -> None:
    """Score the deal and book its money or match points; the table shows the result or is over."""
    points = {seat: 0 if seat == winner else _points(p, seat) for seat in sorted(p.deal.order)}
    amounts, fee = _amounts(p, winner, points)
    totals = _totals(p, winner, points)
    rows = tuple(_row(p, seat, winner, points[seat], amounts[seat], totals.get(seat)) for seat in points)
    finish_card = p.deal.finished.card if p.deal.finished is not None else None
    p.emit(e.DealEnded(deal_id=p.deal.deal_id, winner=winner, finish_card=finish_card, rows=rows))
    if p.book.per_point:
        _settle(p, winner, amounts, fee)
        if p.state.terms.tournament:
            p.emit(e.MatchEnded(winners=(winner,)))
        else:
            show_result(p)
    elif p.book.pool_limit is not None:
        _after_pool_deal(p, p.book.pool_limit)
    else:
        _after_counted_deal(p)


def show_result(p: Progress, length: int | None = None) -> None:
    """Start the result clock; players may continue, add chips, leave, ask for a split."""
    p.emit(e.ClockSet(clock=p.clock(ClockKind.RESULT, p.clocks.result if length is None else length)))


def void_deal(p: Progress) -> None:
    """Void the deal: nobody scores, a new one follows. In points and blind, players who left it lose nothing."""
    p.emit(e.DealVoided(deal_id=p.deal.deal_id))
    if p.book.per_point:
        free_gone_seats(p)
    p.emit(e.StartingBegan(clock=p.clock(ClockKind.START, p.clocks.start_full)))


def free_gone_seats(p: Progress) -> None:
    """Free the seats of those who left during the deal; what is still on their stacks goes back."""
    for seat, holder in enumerate(p.state.seats):
        if holder is not None and holder.place is Place.GONE:
            p.emit(e.SeatLeft(seat=seat, returned=holder.stack))


def _points(p: Progress, seat: int) -> int:
    points = p.deal.hand(seat).points
    assert points is not None, f"seat {seat} has no points at the end of a deal"
    return points


def _amounts(p: Progress, winner: int, points: dict[int, int]) -> tuple[dict[int, int], int]:
    """Return what each seat wins or loses in money, and the fee (rounded down), out of the winner's part."""
    if not p.book.per_point:
        return dict.fromkeys(points, 0), 0
    amounts = {seat: -each * p.state.terms.point_value for seat, each in points.items()}
    lost = -sum(amounts.values())
    fee = payouts.fee(lost, p.state.terms.fee_percent)
    return amounts | {winner: lost - fee}, fee


def _totals(p: Progress, winner: int, points: dict[int, int]) -> dict[int, int]:
    """Return the totals after the deal: points added up, or chips that moved to the winner; empty without a match."""
    if p.book.per_point:
        return {}
    before = {seat: p.state.seat(seat).total for seat in points}
    if p.book.chips_a_deal is None:
        return {seat: before[seat] + points[seat] for seat in points}
    after = {seat: before[seat] - points[seat] for seat in points}
    return after | {winner: before[winner] + sum(points.values())}


def _row(p: Progress, seat: int, winner: int, points: int, amount: int, total: int | None) -> Row:
    hand = p.deal.hand(seat)
    return Row(
        seat=seat,
        outcome=Outcome.WON if seat == winner else _OUTCOMES[hand.standing],
        groups=hand.groups,
        kinds=tuple(kind.value for kind in judge(p.book, p.deal.wild, hand.groups, hand.loose).kinds),
        loose=hand.loose,
        points=points,
        amount=amount,
        total=total,
    )


def _settle(p: Progress, winner: int, amounts: dict[int, int], fee: int) -> None:
    losses = tuple((seat, -amount) for seat, amount in amounts.items() if amount < 0)
    p.emit(e.DealSettled(deal_id=p.deal.deal_id, winner=winner, losses=losses, fee=fee))
    free_gone_seats(p)


# --- pool -------------------------------------------------------------------------------------------------------------


def _after_pool_deal(p: Progress, limit: int) -> None:
    """Go on in this order: elimination, rejoin window, split, next deal (RULES.md, Pool)."""
    eliminated = tuple(seat for seat in in_match(p.state) if p.state.seat(seat).total >= limit)
    for seat in eliminated:
        p.emit(e.PlayerEliminated(seat=seat, total=p.state.seat(seat).total))
    if award_to_last(p):
        return
    offer_rejoin(p, eliminated)
    if p.state.rejoin is None:
        go_on_or_split(p)


def offer_rejoin(p: Progress, seats: tuple[int, ...]) -> None:
    """Offer a rejoin to those of `seats` who may rejoin at the current scores, all with the same score.

    When a survivor leaves, this is decided again: the clock runs on, and the players who may no longer rejoin get an
    event that says so.
    """
    offer, right = p.state.rejoin, rejoin_right(p.state, seats[0]) if seats else None
    score = right.score if right is not None else None
    if score is None:
        for seat in offer.seats if offer is not None else ():
            p.emit(e.RejoinDeclined(seat=seat, by=e.By.PLATFORM))
    elif offer is None or offer.score != score:
        clock = p.state.clock if offer is not None else p.clock(ClockKind.REJOIN, p.clocks.prompt)
        assert clock is not None
        p.emit(e.RejoinOpened(seats=seats, price=p.state.terms.entry, score=score, clock=clock))


def go_on_or_split(p: Progress) -> None:
    """Go on when nobody may rejoin any more: split at once where that is automatic, else show the result."""
    if not split_at_once(p):
        show_result(p)


def split_at_once(p: Progress) -> bool:
    """Share the prize if no survivor can afford another drop; return whether it was shared (RULES.md, Auto split)."""
    split = possible_split(p.state)
    if split is None or not split.auto or split.shares is None:
        return False
    award(p, tuple(zip(in_match(p.state), split.shares, strict=True)))
    return True


# --- prizes -----------------------------------------------------------------------------------------------------------


def _after_counted_deal(p: Progress) -> None:
    """Decide a match of deals: the lowest total wins, or the most chips; those who tie play on.

    Source: RULES.md, Deals.
    """
    assert p.state.match is not None and p.book.deals is not None
    if award_to_last(p):
        return
    ranked = sorted(in_match(p.state), key=lambda seat: p.state.seat(seat).total, reverse=bool(p.book.chips_a_deal))
    first, second, *_ = (p.state.seat(seat).total for seat in ranked)
    lead = abs(first - second)
    played, deals, decisive = p.state.match.deals, p.book.deals, p.book.decisive_lead
    decided = played == deals - 1 and decisive is not None and lead > decisive
    if played >= deals:
        decided = lead > 0 or p.state.terms.tournament
    if decided:
        award(p, ((ranked[0], prize(p.state)),))
        return
    for seat in ranked if played >= deals else ():
        if (total := p.state.seat(seat).total) != first:
            p.emit(e.PlayerEliminated(seat=seat, total=total))
    show_result(p)


def award_to_last(p: Progress) -> bool:
    """Award the whole prize pool if only one player is left in the match; return whether it was awarded."""
    left = in_match(p.state)
    if len(left) == 1:
        award(p, ((left[0], prize(p.state)),))
    return len(left) == 1


def award(p: Progress, shares: tuple[tuple[int, int], ...]) -> None:
    """Pay the pot out as these shares and the fee; the match ends, and the table with it."""
    assert p.state.match is not None
    p.emit(e.PrizeAwarded(shares=shares, fee=p.state.match.pot - sum(amount for _, amount in shares)))
    p.emit(e.MatchEnded(winners=tuple(seat for seat, _ in shares)))
