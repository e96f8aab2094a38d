"""What chance rarely brings about, played on purpose at simulated tables of every book, every check on."""

import hashlib
from random import Random

import pytest

from rules.books import BOOKS, Absence, Family, OpenShow, book
from rules.cards import ordered_shoe
from rules.game import moves as m
from rules.game.folding.register import with_match
from rules.game.state import Phase, TableState, Turn
from tables.simulation import players
from tables.simulation.players import Mood
from tables.simulation.run import Report, SimulatedTable, terms_of
from tests.rules.game.play import Table, play, rig

READY = "3H 4H 5H 6H 7H 8H 9H QD QS QC 2C 2S 2D"
TUNNELA_AND_JOKERS = "7H 7H 7H 3C 4C 5C 6C QD QS QC 2H JR JR"

TWO_PACKS = [key for key, each in BOOKS.items() if each.max_seats == 6 and each.packs_for(6) == 2]
LARGER = [key for key, each in BOOKS.items() if each.max_seats > 2]


def dealt(key: str, seats: int) -> Table:
    """A table of the simulation's terms at its first turn."""
    table = Table(terms_of(book(key), seats))
    for seat in range(seats):
        table.do(m.Sit(seat=seat, stack=table.terms.entry or table.terms.minimum))
    play(table, "timeout")
    return table


def simulated(state: TableState, seed: int = 5) -> tuple[SimulatedTable, Report]:
    """A simulated table that goes on from there, and what it tells."""
    report = Report(book=state.terms.book, players=state.terms.seats, seed=seed)
    table = SimulatedTable(state.terms, Random(seed), report, hashlib.sha256(), vandal=True)
    table.take_up(state)
    return table, report


def with_hand(key: str, hand: str, *, cut: str) -> TableState:
    """Three players (two in the deals book); the first holds this hand, and what he draws is of no use to it."""
    table = dealt(key, min(3, book(key).max_seats))
    upcard = "4S" if book(key).open_pile else ""
    rig(table, [hand, *("",) * (len(table.state.seats) - 1)], cut=cut, upcard=upcard, closed="4H")
    return table.state


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has whims, sleeps or goes away."""
    monkeypatch.setattr(players, "RATES", {})
    monkeypatch.setattr(players, "SILENT", 0.0)
    monkeypatch.setattr(players, "OFFLINE", 0.0)
    monkeypatch.setattr(players, "_MOODS", (Mood.SOUND,))


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("key", BOOKS)
def test_a_show_before_the_others_had_a_turn(key: str) -> None:
    table, report = simulated(with_hand(key, READY, cut="9S"))
    while table.state.phase in (Phase.PLAYING, Phase.MELDING):
        table.step()
    assert report.happened["open show"]
    assert bool(report.happened["drop show"]) == (book(key).open_show is OpenShow.DROP_SHOW)


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("key", [key for key, each in BOOKS.items() if each.tunnela])
def test_a_show_with_a_tunnela_and_with_jokers_left_apart(key: str) -> None:
    table, report = simulated(with_hand(key, TUNNELA_AND_JOKERS, cut="2D"))
    groups = tuple(tuple(group.split()) for group in ("7H1 7H2 7H3", "3C 4C 5C 6C", "QD QS QC"))
    table.apply(m.Draw(seat=0, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=0, card="4H"))
    table.apply(m.Submit(seat=0, groups=groups))
    assert report.happened["show_accepted"] and report.happened["jokers left apart"]
    assert report.happened["tunnela shown"]


@pytest.mark.parametrize("key", TWO_PACKS)
def test_players_who_never_show_have_the_closed_deck_reshuffled_three_times(
    key: str, sound: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_MOODS", (Mood.STUBBORN,))
    report = Report(book=key, players=6, seed=8)
    table = SimulatedTable(terms_of(book(key), 6), Random(8), report, hashlib.sha256(), vandal=True)
    while not report.deals:
        table.step()
    assert report.happened["third reshuffle"]


@pytest.mark.parametrize("key", [key for key, each in BOOKS.items() if each.absent_offline_first is not Absence.DROP])
def test_a_table_that_everybody_has_left_alone_ends(key: str, sound: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The platform plays until the last miss or auto play that the book allows."""
    monkeypatch.setattr(players, "BACK", 0.0)
    state = dealt(key, 2).state
    table, report = simulated(state)
    table.go_offline(0, 1)
    while table.state.phase is Phase.PLAYING:
        table.step()
    misses = book(key).absent_offline_first is Absence.MISS
    assert report.happened["dropped for misses" if misses else "dropped for auto plays"] == 1


@pytest.mark.parametrize("key", BOOKS)
def test_who_leaves_while_the_others_meld_is_counted_at_once(key: str) -> None:
    table, report = simulated(with_hand(key, READY, cut="9S"))
    table.apply(m.Draw(seat=0, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=0, card="4H"))
    table.apply(m.Leave(seat=1))
    assert report.happened["left while melding"] == 1
    table.play(matches=1)
    assert report.matches == 1


@pytest.mark.usefixtures("sound")
def test_a_tie_after_the_last_deal_is_played_on() -> None:
    state = dealt("standard-deals-3", 2).state
    turn, match = state.current.turn, state.match
    assert turn is not None and match is not None
    other = 1 - turn.seat
    table, report = simulated(two_deals_played(state, behind=other))
    table.apply(m.Draw(seat=turn.seat, pile=m.Pile.CLOSED))
    table.apply(m.Finish(seat=turn.seat, card=table.state.current.hand(turn.seat).cards[0]))
    table.apply(m.Submit(seat=turn.seat, groups=()))
    assert table.state.seat(0).total == table.state.seat(1).total == 80
    assert report.happened["tie played on"] == 1
    table.play(matches=1)
    assert report.matches == 1 and table.state.match is not None and table.state.match.deals > 3


def two_deals_played(state: TableState, *, behind: int) -> TableState:
    """The last of three deals runs, and this seat has 80 points to the other's none."""
    return with_match(state, deals=2).with_seat(behind, total=80)


# --- void deals, from states that no shoe deals -----------------------------------------------------------------------


def in_hands_only(key: str) -> TableState:
    """A sound state of four players and one pack: every card is in a hand, the player to act holds fourteen."""
    state = dealt(key, 4).state
    deal, shoe = state.current, ordered_shoe(1)
    first = deal.order[0]
    state = state.with_deal(packs=1, cut=None, wild=0, closed=(), discards=())
    for place, seat in enumerate(deal.order):
        cards = shoe[13 * place : 13 * place + 13]
        state = state.with_hand(seat, cards=cards if seat != first else (*cards, shoe[-1]))
    return state.with_deal(turn=Turn(number=1, seat=first, drawn=shoe[-1]))


@pytest.mark.parametrize("key", LARGER)
def test_a_deal_without_a_card_to_draw_is_void_and_another_follows(key: str) -> None:
    """The only card on the open pile stays there; in blind the last card goes with a player who leaves."""
    table, report = simulated(in_hands_only(key))
    turn = table.state.current.turn
    assert turn is not None and turn.drawn is not None
    seen = book(key).family is not Family.BLIND
    table.apply(m.Discard(seat=turn.seat, card=turn.drawn) if seen else m.Leave(seat=turn.seat))
    assert report.happened["deal_voided"] == 1 and table.state.result is None
    table.play(matches=1)
    assert report.matches == 1 and report.happened["cards_dealt"] >= 1
