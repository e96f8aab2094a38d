"""Between two deals: continue, rejoin, split, and what the end of each of their clocks does."""

from __future__ import annotations

from rules.game import events as e
from rules.game.events import By
from rules.game.legality import possible_split
from rules.game.lookups import able, hand_of, here, in_match
from rules.game.moves import AnswerSplit, Continue, Expire, OfferSplit, Rejoin
from rules.game.phases.deal_end import award
from rules.game.phases.dealing import begin_deal
from rules.game.phases.seating import close_rejoin_if_answered, decline_rejoins, end_split, hurry_if_all_continue
from rules.game.results import ShareLine
from rules.game.state import ClockKind, Phase, TableState
from rules.game.transitions import Progress


def continue_(p: Progress, move: Continue) -> None:
    """Let the player continue; when all players do, the next deal comes soon."""
    p.emit(e.SeatContinued(seat=move.seat))
    hurry_if_all_continue(p)


def rejoin(p: Progress, move: Rejoin) -> None:
    """Let the player rejoin the match for another entry, or put them out of it for good."""
    offer = p.state.rejoin
    assert offer is not None
    if move.accept:
        p.emit(e.PlayerRejoined(seat=move.seat, amount=offer.price, total=offer.score))
    else:
        p.emit(e.RejoinDeclined(seat=move.seat, by=By.PLAYER))
    close_rejoin_if_answered(p)


def offer_split(p: Progress, move: OfferSplit) -> None:
    """Offer a split to all players for the time of the prompt; its author counts as having accepted."""
    split = possible_split(p.state)
    assert split is not None and split.shares is not None
    fewest = min(split.drops)
    lines = tuple(
        ShareLine(seat=seat, drops=drops, excess=drops - fewest, share=share)
        for seat, drops, share in zip(in_match(p.state), split.drops, split.shares, strict=True)
    )
    clock = p.clock(ClockKind.SPLIT, p.clocks.prompt)
    p.emit(e.SplitOffered(seat=move.seat, lines=lines, clock=clock))


def answer_split(p: Progress, move: AnswerSplit) -> None:
    """Note the answer: one refusal ends the offer; when all have accepted, the prize is shared."""
    p.emit(e.SplitAnswered(seat=move.seat, accept=move.accept, by=By.PLAYER))
    offer = p.state.split
    assert offer is not None
    if not move.accept:
        end_split(p)
    elif set(offer.accepted) == set(in_match(p.state)):
        p.emit(e.SplitEnded(agreed=True))
        award(p, tuple((line.seat, line.share) for line in offer.lines))


def expire_start(p: Progress, move: Expire) -> None:
    """Begin the deal, or wait for players."""
    if len(able(p.state)) >= p.book.min_seats:
        begin_deal(p)
    else:
        p.emit(e.WaitingBegan(seats=here(p.state)))


def expire_result(p: Progress, move: Expire) -> None:
    """Free the seats of those who did not continue or hold too little; with two able seats the next deal begins."""
    for seat in not_continuing(p.state):
        p.emit(e.SeatLeft(seat=seat, returned=p.state.seat(seat).stack))
    expire_start(p, move)


def not_continuing(state: TableState) -> tuple[int, ...]:
    """Return the seats that the end of the result clock would free now: they did not continue or hold too little."""
    if not state.book.per_point or state.phase is not Phase.RESULT:
        return ()
    ready = able(state)
    return tuple(
        seat
        for seat in here(state)
        if seat not in ready or (hand_of(state, seat) is not None and not state.seat(seat).ready)
    )


def unready(state: TableState) -> tuple[int, ...]:
    """Return the seats that have yet to answer between two deals.

    The end of the clock would free them, decline a rejoin for them or refuse a split.
    """
    if state.rejoin is not None:
        return state.rejoin.seats
    if state.split is not None:
        return tuple(seat for seat in in_match(state) if seat not in state.split.accepted)
    return not_continuing(state)


def expire_rejoin(p: Progress, move: Expire) -> None:
    """Decline the rejoin of every player who has not answered."""
    decline_rejoins(p)
    close_rejoin_if_answered(p)


def expire_split(p: Progress, move: Expire) -> None:
    """End the offer: a missing answer counts as a refusal."""
    end_split(p)
