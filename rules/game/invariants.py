"""Invariants that every state must satisfy. A broken invariant is a fault of the engine, never a bad move."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from rules.cards import HAND_SIZE, Card, ordered_shoe, wild_rank
from rules.game.lookups import hand_of, in_match
from rules.game.results import Outcome
from rules.game.state import IN_DEAL, ClockKind, Hand, Phase, Place, Standing, TableState


class Broken(AssertionError):
    """An invariant does not hold; the message says which, and names no card."""


def check_invariants(state: TableState, *, settled: bool = True) -> None:
    """Raise Broken unless the state is sound.

    `settled` means that the state is between two transitions, when somebody must act or nobody can; otherwise only the
    invariants that hold after every single event are checked.
    """
    for check in (*_ALWAYS, *(_SETTLED if settled else ())):
        check(state)


def check_bystander(before: TableState, seat: int, after: TableState) -> None:
    """Raise Broken if the player of `seat`, who has no cards to play in the running deal, has changed it by a move.

    So it is for everybody who is out of the deal or of the match, has submitted, waits, or looks on (RULES.md, Auto
    split): a deal that runs is played to its end, whoever comes or leaves meanwhile.
    """
    hand = hand_of(before, seat)
    if before.phase not in IN_DEAL or (hand is not None and hand.standing is Standing.IN):
        return
    _must(_running(after) == _running(before), "a running deal is changed by its players only")
    for other, (held, holds) in enumerate(zip(before.seats, after.seats, strict=True)):
        _must(held is holds or other == seat, "a move changes no seat of others while a deal runs")


def _running(state: TableState) -> tuple[object, ...]:
    return state.phase, state.clock, state.deals, state.deal, state.match, state.result, state.rejoin, state.split


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


#: Between two deals, one that was void among them.
_PAID_OUT: Final = (Phase.STARTING, Phase.RESULT, Phase.OVER)


# --- after every event ------------------------------------------------------------------------------------------------


def _seats(state: TableState) -> None:
    views = state.view_version
    _must(len(state.seats) == len(views) == state.terms.seats, "the table has as many seats as its terms say")
    _must(min(views) >= 0 and max(views) <= state.version, "no view is newer than the state")
    for taken in state.seats:
        if taken is not None:
            _must(taken.stack >= 0, "no stack is below zero")
            _must(taken.place is not Place.OUT or not state.book.per_point, "only a match puts somebody out")
    if state.prepared is not None:
        for seat, _ in state.prepared.seeds:
            _must(state.seats[seat] is not None, "only seated players add to the shuffle")


def _money(state: TableState) -> None:
    match = state.match
    if match is None:
        return
    if state.book.per_point:
        _must(match.pot == 0, "points are played without a pot")
        return
    paid = sum(state.terms.entry * (1 + state.seat(seat).rejoins) for seat in match.players)
    if state.book.chips_a_deal is not None:
        totals = [state.seat(seat).total for seat in match.players]
        _must(min(totals) >= 0, "no player's chips are below zero")
        _must(sum(totals) == state.book.first_total * len(totals), "chips of a match are neither made nor lost")
    _must(match.pot in (paid, 0), "the pot is every entry and rejoin, or has been paid out")
    _must(match.pot == paid or state.phase in _PAID_OUT, "the pot is paid out at the end only")
    _must(all(state.seat(seat).stack == 0 for seat in match.players), "in a match all money is in the pot")


@cache
def _shoe(packs: int) -> frozenset[Card]:
    return frozenset(ordered_shoe(packs))


def _cards(state: TableState) -> None:
    """Check that each card of the shoe is in exactly one place (Invariant K1)."""
    deal = state.deal
    if deal is None:
        return
    lying = [entry.card for entry in deal.open_pile]
    if not state.book.open_pile:
        picked = any(entry.picked_by is not None for entry in deal.discards)
        _must(not picked, "nothing is picked up where there is no open pile")
    places = [deal.closed, lying, *(hand.cards for hand in deal.hands if hand is not None)]
    if deal.finished is not None and deal.finished.card is not None:
        places.append([deal.finished.card])
    if deal.cut is not None:
        places.append([deal.cut])
        _must(deal.wild == wild_rank(deal.cut), "the wild rank is that of the cut joker")
    shoe = _shoe(deal.packs)
    # As many as the shoe has, and none of it missing: so none lies twice, and none is foreign.
    _must(sum(map(len, places)) == len(shoe), "there are as many cards as the shoe has")
    _must(not shoe.difference(*places), "each card of the shoe is in exactly one place")


_SIZES: Final = (HAND_SIZE, HAND_SIZE + 1)


def _hands(state: TableState) -> None:
    deal = state.deal
    if deal is None:
        return
    dealt = [seat for seat, hand in enumerate(deal.hands) if hand is not None]
    _must(dealt == sorted(deal.order), "exactly the seats in the order of turns were dealt hands")
    turn = deal.turn
    most, full, playing = state.book.max_groups, state.book.full_count, state.phase in IN_DEAL
    for seat in dealt:
        hand = deal.hand(seat)
        is_in = hand.standing is Standing.IN
        drawn = turn.drawn if turn is not None and turn.seat == seat else None
        if playing and is_in:
            holds_fourteen = drawn is not None and deal.finished is None
            _must(len(hand.cards) == HAND_SIZE + holds_fourteen, "thirteen cards, fourteen after drawing")
        else:
            _must(len(hand.cards) in _SIZES, "a hand has thirteen cards or fourteen")
        if drawn is not None:
            _must(drawn in hand.cards or deal.finished is not None, "the drawn card is in the hand")
        _must((hand.points is None) == is_in, "points are fixed exactly for those out of the deal")
        if hand.points is not None:
            _must(0 <= hand.points <= full, "nobody pays more than the full count")
        if hand.groups:
            _groups(hand, most)


def _groups(hand: Hand, most: int) -> None:
    grouped = [card for group in hand.groups for card in group]
    unlike = set(grouped)
    _must(len(grouped) == len(unlike) and unlike.issubset(hand.cards), "groups hold own cards, each once")
    _must(len(hand.groups) <= most and all(hand.groups), "no more groups than the book allows")


def _result(state: TableState) -> None:
    """Check that points, totals and money of the shown result agree (Invariants W11 and D-4)."""
    result = state.result
    if result is None or state.deal is None:
        return
    _must({row.seat for row in result.rows} == set(state.deal.order), "the result names every player of the deal")
    won = [row.seat for row in result.rows if row.outcome is Outcome.WON]
    _must(won == [result.winner] == [state.deal.winner], "exactly the winner has won")
    for row in result.rows:
        points = 0 if row.seat == result.winner else state.deal.hand(row.seat).points
        _must(row.points == points, "the result shows the points of the deal")
    losses = -sum(row.amount for row in result.rows if row.seat != result.winner)
    value = state.terms.point_value if state.book.per_point else 0
    _must(losses == value * sum(row.points for row in result.rows), "losers pay their points, no more and no less")
    won_amount = sum(row.amount for row in result.rows if row.seat == result.winner)
    fee = losses * state.terms.fee_percent // 100
    _must(won_amount == losses - fee, "the winner gets what the losers pay, less the fee")


_ALWAYS: Final[tuple[Callable[[TableState], None], ...]] = (_seats, _money, _cards, _hands, _result)


# --- between two transitions ------------------------------------------------------------------------------------------


def _clock(state: TableState) -> None:
    """Check that somebody must act exactly when a clock runs (Invariant T-1)."""
    kinds = _CLOCKS[state.phase]
    _must((state.clock is None) == (not kinds), "a clock runs exactly when somebody must act")
    _must(state.clock is None or state.clock.kind in kinds, "the clock is that of the phase")


def _actor(state: TableState) -> None:
    """Check that during play exactly one player must act, and that they are in the deal (Invariant S4)."""
    if state.phase not in IN_DEAL:
        _must(state.deal is None or state.deal.turn is None, "nobody has a turn outside a deal")
        return
    deal, clock, alive = state.current, state.clock, state.current.alive
    if state.phase is Phase.MELDING and deal.winner is not None:
        _must(clock is not None and clock.seat is None and deal.turn is None, "the others meld together")
        _must(bool(alive), "somebody has still to meld")
        return
    _must(deal.turn is not None and deal.turn.seat in alive, "exactly one player of the deal is to act")
    _must(clock is not None and deal.turn is not None and clock.seat == deal.turn.seat, "the clock is that player's")
    _must(len(alive) >= 2, "a deal with one player left is over")
    _must((state.phase is Phase.MELDING) == (deal.finished is not None), "a finish card lies while its owner melds")
    _must(bool(deal.closed) or deal.turn is None or deal.turn.drawn is not None, "there is a card to draw")


def _phases(state: TableState) -> None:
    phase = state.phase
    on_table = (*IN_DEAL, Phase.RESULT, Phase.REJOIN, Phase.SPLIT)
    _must((state.deal is not None) == (phase in on_table) or phase is Phase.OVER, "a deal lies where it is played")
    _must((state.rejoin is not None) == (phase is Phase.REJOIN), "a rejoin is offered in its phase only")
    _must((state.split is not None) == (phase is Phase.SPLIT), "a split is offered in its phase only")
    _must(state.prepared is None or phase not in (*IN_DEAL, Phase.OVER), "no deal is prepared during another")
    _must((state.result is not None) == (phase in on_table[2:]) or phase is Phase.OVER, "a result follows a deal")


def _match(state: TableState) -> None:
    """Check that a running match has two players, that none below the limit is out, and that none at it is in."""
    match, limit = state.match, state.book.pool_limit
    if state.book.per_point or match is None or state.phase is Phase.OVER:
        gone = [seat for seat in state.seats if seat is not None and seat.place is Place.GONE]
        _must(not gone or not state.book.per_point or state.phase in IN_DEAL, "a seat is kept for its deal only")
        return
    _must(len(in_match(state)) >= 2, "a match with one player left is over")
    for seat in match.players:
        player = state.seat(seat)
        if limit is not None and player.place is not Place.GONE:
            _must((player.total >= limit) == (player.place is Place.OUT), "who reaches the limit is out, nobody else")
        plays = state.phase in IN_DEAL and player.place is Place.HERE
        _must(not plays or hand_of(state, seat) is not None, "who is in the match is in the deal")


_CLOCKS: Final[dict[Phase, tuple[ClockKind, ...]]] = {
    Phase.WAITING: (),
    Phase.STARTING: (ClockKind.START,),
    Phase.PLAYING: (ClockKind.TURN, ClockKind.EXTRA),
    Phase.MELDING: (ClockKind.MELD,),
    Phase.RESULT: (ClockKind.RESULT,),
    Phase.REJOIN: (ClockKind.REJOIN,),
    Phase.SPLIT: (ClockKind.SPLIT,),
    Phase.OVER: (),
}

_SETTLED: Final[tuple[Callable[[TableState], None], ...]] = (_clock, _actor, _phases, _match)
