"""Proof of the invariant checks: each planted fault, in a state or in the engine itself, is caught."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rules.books import BOOKS
from rules.game import Broken, check_invariants, events as e, views
from rules.game.events.base import with_deal, with_hand, with_seat
from rules.game.phases import turns
from rules.game.state import ClockKind, Discarded, Finished, Phase, Place, Standing, TableState
from tables.simulation.checks import CheckFailed
from tables.simulation.players import Mood
from tables.simulation.run import run
from tests.unit.rules.game.play import deal, dealt, play

Fault = Callable[[TableState], TableState]


def playing() -> TableState:
    """Seat 0 has drawn, seat 2 has dropped before; discards lie, groups are made."""
    table = deal("standard-points", ["2C 4C 6C", "AC", "AS"], upcard="9C", cut="2D", closed="KH")
    play(table, "1: arrange AC; draw closed; discard 2C; drop; draw closed; discard AS; draw closed; arrange 4C 6C")
    return table.state


def result() -> TableState:
    table = deal("standard-points", ["2C", "AC", "AS"])
    play(table, "drop; drop")
    return table.state


def pool() -> TableState:
    return dealt("standard-pool-101", 3).state


def hand(seat: int, **changes: Any) -> Fault:
    return lambda state: with_hand(state, seat, **changes)


def of_deal(**changes: Any) -> Fault:
    return lambda state: with_deal(state, **changes)


def table(**changes: Any) -> Fault:
    return lambda state: replace(state, **changes)


def cards(seat: int, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Fault:
    return lambda state: with_hand(state, seat, cards=change(state.current.hand(seat).cards))


def row(number: int, **changes: Any) -> Fault:
    def plant(state: TableState) -> TableState:
        assert state.result is not None
        rows = list(state.result.rows)
        rows[number] = replace(rows[number], **changes)
        return replace(state, result=replace(state.result, rows=tuple(rows)))

    return plant


PLANTED: dict[str, tuple[Callable[[], TableState], Fault]] = {
    "a card is in two hands": (
        playing,
        lambda s: with_hand(s, 1, cards=(s.current.hand(0).cards[0], *s.current.hand(1).cards[1:])),
    ),
    "a card is lost from the closed deck": (playing, lambda s: with_deal(s, closed=s.current.closed[1:])),
    "a card is in the deck and on the pile": (
        playing,
        lambda s: with_deal(s, discards=(*s.current.discards, Discarded(seat=0, card=s.current.closed[0]))),
    ),
    "a card of a third pack": (playing, lambda s: with_deal(s, closed=("7H3", *s.current.closed[1:]))),
    "a hand of twelve": (
        playing,
        lambda s: with_deal(
            with_hand(s, 1, cards=s.current.hand(1).cards[1:]), closed=(*s.current.closed, s.current.hand(1).cards[0])
        ),
    ),
    "fourteen cards out of turn": (
        playing,
        lambda s: with_deal(
            with_hand(s, 2, cards=(*s.current.hand(2).cards, s.current.closed[0])), closed=s.current.closed[1:]
        ),
    ),
    "the cut joker is gone": (playing, of_deal(cut=None)),
    "another rank is wild": (playing, of_deal(wild=9)),
    "a card in two groups": (playing, hand(0, groups=(("4C1",), ("4C1",)))),
    "a foreign card in a group": (playing, hand(0, groups=(("KS2", "KS1"),))),
    "an empty group": (playing, hand(0, groups=((),))),
    "seven groups": (playing, lambda s: with_hand(s, 0, groups=tuple((card,) for card in s.current.hand(0).cards[:7]))),
    "points for one who still plays": (playing, hand(0, points=20)),
    "no points for one who dropped": (playing, hand(1, points=None)),
    "more than the full count": (playing, hand(1, points=81)),
    "the turn of one who dropped": (
        playing,
        lambda s: with_deal(s, turn=replace(s.current.turn, seat=1, drawn=None)),  # type: ignore[type-var]
    ),
    "nobody's turn": (playing, of_deal(turn=None)),
    "no clock while somebody must act": (playing, table(clock=None)),
    "another player's clock": (playing, lambda s: replace(s, clock=replace(s.clock, seat=2))),  # type: ignore[type-var]
    "the wrong clock": (playing, lambda s: replace(s, clock=replace(s.clock, kind=ClockKind.MELD))),  # type: ignore[type-var]
    "a finish card while playing": (
        playing,
        lambda s: with_deal(s, finished=Finished(seat=0, card=s.current.closed[0]), closed=s.current.closed[1:]),
    ),
    "one player left in a running deal": (playing, hand(2, standing=Standing.DROPPED, points=20)),
    "a drawn card that is not held": (
        playing,
        lambda s: with_deal(s, turn=replace(s.current.turn, drawn=s.current.closed[0])),  # type: ignore[type-var]
    ),
    "a hand nobody was dealt": (playing, of_deal(order=(0, 1))),
    "a stack below zero": (playing, lambda s: with_seat(s, 0, stack=-1)),
    "a seat kept without a deal": (result, lambda s: with_seat(s, 0, place=Place.GONE)),
    "a view newer than the state": (playing, table(view_version=(999, 0, 0))),
    "a seat too many": (playing, lambda s: replace(s, seats=(*s.seats, None))),
    "a result while playing": (playing, lambda s: replace(s, result=result().result)),
    "a running deal without its phase": (playing, table(phase=Phase.WAITING, clock=None)),
    "points that the deal does not know": (result, row(0, points=40, amount=-400)),
    "a loser who pays too little": (result, row(0, amount=-100)),
    "a winner who is paid too much": (result, row(2, amount=400)),
    "two winners": (result, lambda s: row(0, outcome=s.result.rows[2].outcome)(s)),  # type: ignore[union-attr]
    "a pot that lacks an entry": (pool, lambda s: replace(s, match=replace(s.match, pot=200))),  # type: ignore[type-var]
    "a pot paid out too early": (pool, lambda s: replace(s, match=replace(s.match, pot=0))),  # type: ignore[type-var]
    "money beside the pot": (pool, lambda s: with_seat(s, 1, stack=100)),
    "in the match above the limit": (pool, lambda s: with_seat(s, 1, total=101)),
    "out of the match below it": (pool, lambda s: with_seat(s, 1, place=Place.OUT)),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str) -> None:
    sound, plant = PLANTED[fault]
    check_invariants(sound())
    with pytest.raises(Broken):
        check_invariants(plant(sound()))


def test_no_message_names_a_card() -> None:
    for sound, plant in PLANTED.values():
        with pytest.raises(Broken) as broken:
            check_invariants(plant(sound()))
        assert not any(letter.isdigit() for letter in str(broken.value))


# --- mutants of the engine --------------------------------------------------------------------------------------------


def _copying_reshuffle(event: e.ClosedDeckReshuffled, state: TableState) -> TableState:
    return with_deal(state, closed=event.cards, reshuffles=event.number)


def _forgetful_draw(event: e.CardDrawn, state: TableState) -> TableState:
    return with_deal(HONEST_DRAW(event, state), closed=state.current.closed)


def _stuck_version(state: TableState, events: Any) -> TableState:
    return replace(state, view_version=state.view_version)


HONEST_DRAW = e.CardDrawn.fold


def _leaky_views(state: TableState, viewers: Any, now: int) -> Any:
    leaky = views.views_for(state, viewers, now)
    if state.deal is not None and state.phase is Phase.PLAYING:
        leaky[None]["deal"]["next"] = state.deal.closed[0]
    return leaky


def _telling_everyone(event: e.Event, seat: int | None) -> Any:
    return views.redact(event, getattr(event, "seat", seat))


MUTANTS: dict[str, tuple[str, Any]] = {
    "the stock's top card is in the view": ("tables.simulation.checks.views_for", _leaky_views),
    "what is drawn is told to all": ("tables.simulation.checks.redact", _telling_everyone),
    "the version stands still": ("rules.game.engine.commit_version", _stuck_version),
    "the fee is one too much": ("rules.payouts.fee", lambda amount, percent: amount * percent // 100 + 1),
    "a deal is never settled": ("rules.game.phases.deal_end._settle", lambda p, winner, amounts, fee: None),
    "a leaver is paid for it": ("rules.game.prices.leave_points", lambda book, *, first_round: -1),
    "turns go to those who dropped": (
        "rules.game.phases.turns.next_turn",
        lambda p, after: turns.begin_turn(p, p.deal.order[p.deal.order.index(after) - 1]),
    ),
    "everything is legal": ("rules.game.engine.why_not", lambda state, seat, name: None),
    "a clock is forgotten": ("rules.game.phases.turns.begin_turn", lambda p, seat: None),
    "an auto play discards another card": (
        "rules.game.phases.turns._discard",
        lambda p, seat, card, by: p.emit(
            e.CardDiscarded(seat=seat, card=p.deal.closed[0], by=by, face_down=not p.book.open_pile)
        ),
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_engine_does_not_survive_a_simulation(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, replacement = MUTANTS[mutant]
    monkeypatch.setattr(target, replacement)
    _dies(vandal=mutant == "everything is legal")


@pytest.mark.parametrize(
    "event, mutant", [(e.CardDrawn, _forgetful_draw), (e.ClosedDeckReshuffled, _copying_reshuffle)]
)
def test_nor_does_a_mutant_of_folding(event: type[e.Event], mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event, "fold", mutant)
    monkeypatch.setattr("tables.simulation.players._MOODS", (Mood.STUBBORN,))
    _dies()


def _dies(*, vandal: bool = False) -> None:
    with pytest.raises((Broken, CheckFailed, AssertionError, IndexError, ValueError)):
        run(book=BOOKS["standard-points"], players=3, matches=30, seed=3, vandal=vandal)
