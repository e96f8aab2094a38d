"""Situations that chance rarely brings about, staged at simulated tables of every book with every check on."""

import hashlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Final

import pytest

from rules.books import BOOKS, Family, book
from rules.cards import ordered_shoe
from rules.game import moves as m
from rules.game.events.base import with_deal, with_hand, with_match, with_seat
from rules.game.state import Phase, TableState, Turn
from tables.simulation import players
from tables.simulation.players import Mood
from tables.simulation.run import SimulatedTable, SimulationReport, terms_of
from tests.fleet.scale import reachable
from tests.unit.rules.game.play import Table, play, rig

READY = "3H 4H 5H 6H 7H 8H 9H QD QS QC 2C 2S 2D"
TUNNELA_AND_JOKERS = "7H 7H 7H 3C 4C 5C 6C QD QS QC 2H JR JR"


def dealt(key: str, seats: int) -> Table:
    """Return a table of the simulation's terms at its first turn."""
    table = Table(terms_of(book(key), seats))
    for seat in range(seats):
        table.do(m.Sit(seat=seat, stack=table.terms.entry or table.terms.minimum))
    play(table, "timeout")
    return table


def simulate_from(state: TableState, seed: int = 5) -> tuple[SimulatedTable, SimulationReport]:
    """Return a simulated table that goes on from the state, and its report."""
    report = SimulationReport(book=state.terms.book, players=state.terms.seats, seed=seed)
    table = SimulatedTable(state.terms, Random(seed), report, hashlib.sha256(), vandal=True)
    table.take_up(state)
    return table, report


def holding(key: str, hand: str, *, cut: str) -> TableState:
    """Return a deal of three players (two in the deals book) in which the first holds this hand and draws nothing
    useful."""
    table = dealt(key, min(3, book(key).max_seats))
    upcard = "4S" if book(key).open_pile else ""
    rig(table, [hand, *("",) * (len(table.state.seats) - 1)], cut=cut, upcard=upcard, closed="4H")
    return table.state


@pytest.fixture(autouse=True)
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody act on a whim, stay silent or go offline, and nobody who is offline come back."""
    monkeypatch.setattr(players, "RATES", {})
    monkeypatch.setattr(players, "SILENT", 0.0)
    monkeypatch.setattr(players, "OFFLINE", 0.0)
    monkeypatch.setattr(players, "BACK", 0.0)
    monkeypatch.setattr(players, "_MOODS", (Mood.SOUND,))


def shown_at_once(key: str) -> SimulationReport:
    """Let the first player show on their first turn, before the others have had one."""
    table, report = simulate_from(holding(key, READY, cut="9S"))
    while table.state.phase in (Phase.PLAYING, Phase.MELDING):
        table.step()
    return report


def shown_with_tunnela_and_jokers(key: str) -> SimulationReport:
    table, report = simulate_from(holding(key, TUNNELA_AND_JOKERS, cut="2D"))
    groups = tuple(tuple(group.split()) for group in ("7H1 7H2 7H3", "3C 4C 5C 6C", "QD QS QC"))
    table.apply(m.Draw(seat=0, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=0, card="4H"))
    table.apply(m.Submit(seat=0, groups=groups))
    assert report.happened["show_accepted"]
    return report


@cache
def never_shown(key: str) -> SimulationReport:
    """Let nobody show or drop until the closed deck has run out three times, at the largest table of the book."""
    seats = book(key).max_seats
    report = SimulationReport(book=key, players=seats, seed=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(players, "_MOODS", (Mood.STUBBORN,))
        patch.setattr(players, "_PATIENCE", 300)
        table = SimulatedTable(terms_of(book(key), seats), Random(8), report, hashlib.sha256(), vandal=True)
        while not report.deals:
            table.step()
    return report


def left_alone(key: str) -> SimulationReport:
    """Disconnect everybody after one turn each: the platform plays until the last miss or auto play."""
    table, report = simulate_from(dealt(key, 2).state)
    for _ in range(2):
        turn = table.state.current.turn
        assert turn is not None
        table.apply(m.Draw(seat=turn.seat, pile=m.Pile.CLOSED))
        table.apply(m.Discard(seat=turn.seat, card=table.state.current.hand(turn.seat).cards[-1]))
    table.go_offline(0, 1)
    while table.state.phase is Phase.PLAYING:
        table.step()
    return report


def left_while_others_meld(key: str) -> SimulationReport:
    table, report = simulate_from(holding(key, READY, cut="9S"))
    table.apply(m.Draw(seat=0, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=0, card="4H"))
    table.apply(m.Leave(seat=1))
    table.play(matches=1)
    assert report.matches == 1
    return report


def left_after_finishing(key: str) -> SimulationReport:
    """Let the declarer leave before submitting, which is a wrong show."""
    table, report = simulate_from(holding(key, READY, cut="9S"))
    table.apply(m.Draw(seat=0, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=0, card="4H"))
    table.apply(m.Leave(seat=0))
    assert report.happened["show_refused"] == 1
    table.play(matches=1)
    assert report.matches == 1
    return report


def late_with_a_discard(key: str) -> SimulationReport:
    table, report = simulate_from(dealt(key, 3).state)
    turn = table.state.current.turn
    assert turn is not None
    table.apply(m.Draw(seat=turn.seat, pile=m.Pile.CLOSED))
    table.go_offline(turn.seat)
    while not report.happened["player_dropped"]:
        table.step()
    return report


def tied(key: str) -> SimulationReport:
    """Let the player who leads by all that a wrong show moves make one in the last deal."""
    state = dealt(key, 2).state
    turn, rules = state.current.turn, state.book
    assert turn is not None and rules.deals is not None
    more = 80 if rules.chips_a_deal else 0
    state = with_seat(with_match(state, deals=rules.deals - 1), turn.seat, total=rules.first_total + more)
    table, report = simulate_from(with_seat(state, 1 - turn.seat, total=rules.first_total - more or 80))
    table.apply(m.Draw(seat=turn.seat, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=turn.seat, card=table.state.current.hand(turn.seat).cards[0]))
    table.apply(m.Submit(seat=turn.seat, groups=()))
    assert table.state.seat(0).total == table.state.seat(1).total
    table.play(matches=1)
    assert report.matches == 1 and table.state.match is not None and table.state.match.deals > rules.deals
    return report


def behind_a_tie(key: str) -> SimulationReport:
    """Let the last to play win the last deal of four, and so draw level with the one who led."""
    state = dealt(key, 4).state
    order = state.current.order
    for seat, total in zip(order, (540, 539, 381, 460), strict=True):
        state = with_seat(state, seat, total=total)
    table, report = simulate_from(with_match(state, deals=(state.book.deals or 0) - 1))
    for seat in order[:3]:
        table.apply(m.Drop(seat=seat))
    table.play(matches=1)
    assert report.matches == 1
    return report


def given_up_before_the_start(key: str) -> SimulationReport:
    """Let one of two players leave while they wait for the first deal."""
    terms = terms_of(book(key), 2)
    report = SimulationReport(book=key, players=2, seed=5)
    table = SimulatedTable(terms, Random(5), report, hashlib.sha256(), vandal=True)
    for seat in (0, 1):
        table.apply(m.Sit(seat=seat, stack=terms.entry or terms.minimum))
    table.apply(m.Leave(seat=1))
    table.play(matches=1)
    assert report.matches == 1
    return report


def void(key: str) -> SimulationReport:
    """Leave the only card on the open pile there; in blind, let a player leave with the last card."""
    table, report = simulate_from(in_hands_only(key))
    turn = table.state.current.turn
    assert turn is not None and turn.drawn is not None
    face_up = book(key).family is not Family.BLIND
    table.apply(m.Discard(seat=turn.seat, card=turn.drawn) if face_up else m.Leave(seat=turn.seat))
    assert table.state.result is None
    table.play(matches=1)
    assert report.matches == 1 and report.happened["cards_dealt"] >= 1
    return report


def in_hands_only(key: str) -> TableState:
    """Return a sound state that no shoe deals: four players, one pack, every card in a hand, fourteen with the player
    to act."""
    state = dealt(key, 4).state
    deal, shoe = state.current, ordered_shoe(1)
    first = deal.order[0]
    state = with_deal(state, packs=1, cut=None, wild=0, closed=(), discards=())
    for place, seat in enumerate(deal.order):
        cards = shoe[13 * place : 13 * place + 13]
        state = with_hand(state, seat, cards=cards if seat != first else (*cards, shoe[-1]))
    return with_deal(state, turn=Turn(number=1, seat=first, drawn=shoe[-1]))


SCENES: Final[dict[str, Callable[[str], SimulationReport]]] = {
    "open show": shown_at_once,
    "drop show": shown_at_once,
    "tunnela shown": shown_with_tunnela_and_jokers,
    "jokers left apart": shown_with_tunnela_and_jokers,
    "closed_deck_reshuffled": never_shown,
    "third reshuffle": never_shown,
    "dropped for misses": left_alone,
    "dropped for auto plays": left_alone,
    "tie played on": tied,
    "player_eliminated": behind_a_tie,
    "eliminated together": behind_a_tie,
    "left while melding": left_while_others_meld,
    "left after finishing": left_after_finishing,
    "shown without drawing": shown_at_once,
    "dropped for a late discard": late_with_a_discard,
    "waiting_began": given_up_before_the_start,
    "deal_voided": void,
}


def rare_situations() -> list[tuple[str, str]]:
    """Return every book with each of its rare situations."""
    return [(key, name) for key, rules in BOOKS.items() for name in sorted(reachable.on_purpose(rules))]


@pytest.mark.parametrize(("key", "name"), rare_situations())
def test_rare_situations_are_staged(key: str, name: str) -> None:
    report = SCENES[name](key)
    assert report.happened[name] >= 1
    assert not reachable.never(BOOKS[key]) & (+report.happened).keys()
