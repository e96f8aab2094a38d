"""The turns of a deal: draw, discard, drop, and the platform's moves when time has run out."""

from __future__ import annotations

from rules import shuffling
from rules.books import Absence
from rules.cards import Card
from rules.game import events as e
from rules.game.events import By
from rules.game.legality import resolve, why_not_pick
from rules.game.moves import AutoDrop, Discard, Draw, Drop, Expire, Pile
from rules.game.phases.deal_end import end_deal, void_deal
from rules.game.prices import has_discarded
from rules.game.state import Clock, ClockKind
from rules.game.transitions import Progress
from rules.messages import refuse
from rules.scoring import absence_points, drop_points


def draw(p: Progress, move: Draw) -> None:
    """Take the top card of a pile into the hand, loose. Raises Refused: pile_empty, joker_not_allowed."""
    if move.pile is Pile.OPEN:
        if code := why_not_pick(p.state, move.seat):
            refuse(code)
        card = p.deal.open_pile[-1].card
    else:
        card = p.deal.closed[0]
    p.emit(e.CardDrawn(seat=move.seat, pile=move.pile, card=card, by=By.PLAYER))


def discard(p: Progress, move: Discard) -> None:
    """Discard the card and end the turn; it may be the one just drawn, from either pile."""
    card = resolve(p.deal.hand(move.seat).cards, move.card)
    _discard(p, move.seat, card, By.PLAYER)
    next_turn(p, move.seat)


def drop(p: Progress, move: Drop) -> None:
    """Take the player out of the deal at the price of the round."""
    points = drop_points(p.book, first_round=p.deal.hand(move.seat).draws == 0)
    _dropped(p, move.seat, points, By.PLAYER)


def auto_drop(p: Progress, move: AutoDrop) -> None:
    """Set the switch: on, it drops at the beginning of the player's next turn."""
    if p.deal.hand(move.seat).auto_drop != move.on:
        p.emit(e.AutoDropSet(seat=move.seat, on=move.on))


def next_turn(p: Progress, after: int) -> None:
    """Begin the turn of the next player still in the deal; the last one left has won without declaring."""
    alive = p.deal.alive
    if len(alive) == 1:
        end_deal(p, alive[0])
        return
    place = p.deal.order.index(after) + 1
    following = p.deal.order[place:] + p.deal.order[:place]
    begin_turn(p, next(seat for seat in following if seat in alive))


def begin_turn(p: Progress, seat: int) -> None:
    """Start the turn clock of `seat` if there is a card to draw; else the deal is void."""
    if not p.deal.closed and not _reshuffled(p):
        void_deal(p)
        return
    clock = p.clock(ClockKind.TURN, p.clocks.turn, seat)
    p.emit(e.TurnBegan(seat=seat, number=p.deal.turns + 1, clock=clock))
    if p.deal.hand(seat).auto_drop:
        drop(p, Drop(seat=seat))


def expire_turn(p: Progress, move: Expire) -> None:
    """Begin the extra time; when that is over as well, act for the player."""
    turn, clock = p.deal.turn, p.state.clock
    assert turn is not None and clock is not None
    if clock.kind is ClockKind.TURN:
        # From the end of the turn clock, not from now, so that a late sweep gives no extra time.
        deadline = clock.deadline + p.clocks.extra
        extra = Clock(kind=ClockKind.EXTRA, seat=turn.seat, deadline=deadline, length=p.clocks.extra)
        p.emit(e.ExtraTimeBegan(seat=turn.seat, clock=extra))
    elif turn.drawn is not None:
        _late_discard(p, turn.seat, turn.drawn)
    else:
        _absent(p, turn.seat, offline=turn.seat in move.offline)


def _late_discard(p: Progress, seat: int, drawn: Card) -> None:
    """Discard the drawn card for the player, who in some books is dropped instead (seed 004, Game Play).

    Then the card leaves the deal with the hand, at the price of a drop in this round: it lasts until the discard, as
    for a player who leaves (RULES.md, The books).
    """
    if p.book.late_discard_drops:
        points = absence_points(p.book, first_round=not has_discarded(p.deal, seat))
        _dropped(p, seat, points, By.PLATFORM)
        return
    _discard(p, seat, drawn, By.PLATFORM)
    next_turn(p, seat)


def _absent(p: Progress, seat: int, *, offline: bool) -> None:
    """Act for a player who has drawn nothing in time (RULES.md, The books; seed 000 Points rules 12 and 15)."""
    first_round = p.deal.hand(seat).draws == 0
    absence = p.book.absent_connected
    if offline:
        absence = p.book.absent_offline_first if first_round else p.book.absent_offline_later
    if absence is Absence.DROP:
        _dropped(p, seat, absence_points(p.book, first_round=first_round), By.PLATFORM)
    else:
        _auto_play(p, seat, miss=absence is Absence.MISS)


def _auto_play(p: Progress, seat: int, *, miss: bool) -> None:
    """Draw and discard a card for the player; the last auto play or miss that the book allows also drops the player."""
    hand = p.deal.hand(seat)
    p.emit(e.TurnAutoPlayed(seat=seat, auto=hand.auto + 1, misses=hand.misses + miss))
    card = p.deal.closed[0]
    p.emit(e.CardDrawn(seat=seat, pile=Pile.CLOSED, card=card, by=By.PLATFORM))
    _discard(p, seat, card, By.PLATFORM)
    hand = p.deal.hand(seat)
    if hand.misses == p.book.misses_allowed:
        _dropped(p, seat, p.book.missed_out_points, By.PLATFORM)
    elif hand.auto == p.book.auto_plays_allowed:
        _dropped(p, seat, p.book.auto_plays_points, By.PLATFORM)
    else:
        next_turn(p, seat)


def _dropped(p: Progress, seat: int, points: int, by: By) -> None:
    p.emit(e.PlayerDropped(seat=seat, points=points, by=by))
    next_turn(p, seat)


def _discard(p: Progress, seat: int, card: Card, by: By) -> None:
    p.emit(e.CardDiscarded(seat=seat, card=card, by=by, face_down=not p.book.open_pile))


def _reshuffled(p: Progress) -> bool:
    """Reshuffle the discards into the closed deck, in blind all, else all but the top one; return False if none."""
    deal = p.deal
    cards = [entry.card for entry in deal.open_pile]
    old = cards[:-1] if p.book.open_pile else cards
    if not old:
        return False
    clients = [bytes.fromhex(seed) for seed in deal.clients]
    number = deal.reshuffles + 1
    new = shuffling.reshuffle(old, number, shuffling.label_of(deal.deal_id), bytes.fromhex(deal.seed), clients)
    p.emit(e.ClosedDeckReshuffled(number=number, count=len(new), cards=new))
    return True
