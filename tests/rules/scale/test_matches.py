"""Ten thousand whole matches of all books and all numbers of players, the vandal at every table, every check on."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest

from rules.books import BOOKS, Absence, Family, OpenShow, RuleBook, book
from rules.cards import ordered_shoe
from rules.game.events import EVENTS
from rules.game.moves import Discard, Leave, Sit
from rules.game.state import TableState, Turn
from tables.simulation import fleet
from tables.simulation.run import Report, SimulatedTable, run, terms_of
from tests.rules.game.play import Table, play

MATCHES = int(os.environ.get("RUMMY_SIMULATED_MATCHES", "10000"))
SEED = int(os.environ.get("RUMMY_SIMULATION_SEED", "20"))

#: What no simulated match comes to: the platform alone does it, or no real shoe can.
ELSEWHERE = {"match_cancelled", "clock_credited", "deal_voided"}
OF_A_MATCH = {"match_ended", "prize_awarded"}
OF_POOLS = {
    "player_eliminated", "rejoin_opened", "rejoin_closed", "rejoin_declined", "player_rejoined",
    "split_offered", "split_answered", "split_ended",
}  # fmt: skip
OF_POINTS = {"deal_settled", "chips_added"}


@pytest.mark.slow
def test_ten_thousand_matches_hold_and_come_to_every_corner() -> None:
    """One test, so that the fleet plays once however the tests are spread; it tells how far it is and how fast."""
    reports = list(_told(fleet.play(fleet.tasks(MATCHES, SEED), jobs=2)))
    _tell_speeds(reports)
    seats = {(report.book, report.players) for report in reports}
    assert sum(report.matches for report in reports) == MATCHES and all(report.refused for report in reports)
    assert seats == {(each.key, n) for each in BOOKS.values() for n in range(each.min_seats, each.max_seats + 1)}
    wrong = {family.value: _wrong_events(family, reports) for family in Family}
    wrong |= {each.key: _corners(each) - happened(reports, each).keys() for each in BOOKS.values()}
    assert {where: what for where, what in wrong.items() if what} == {}


def _tell_speeds(reports: list[Report]) -> None:
    for key in BOOKS:
        each = fleet.total((report for report in reports if report.book == key), seed=SEED, book=key)
        speeds = f"{each.matches / each.seconds:7.1f} matches/s {each.moves / each.seconds:7.0f} moves/s"
        print(f"{key:20} {each.matches:6} matches {each.moves:8} moves {speeds} on one core")


def _told(reports: Iterator[Report]) -> Iterator[Report]:
    matches = 0
    for report in reports:
        if (matches + report.matches) * 10 // MATCHES > matches * 10 // MATCHES:
            print(f"{matches + report.matches} of {MATCHES} matches", flush=True)
        matches += report.matches
        yield report


def happened(reports: list[Report], *books: RuleBook) -> Counter[str]:
    keys = {each.key for each in books}
    return sum((report.happened for report in reports if report.book in keys), Counter())


def _wrong_events(family: Family, reports: list[Report]) -> set[str]:
    """The kinds of event that did not occur though the family knows them, or occurred though it does not."""
    foreign = OF_A_MATCH if family in (Family.POINTS, Family.BLIND) else OF_POINTS
    foreign = foreign | (OF_POOLS if family is not Family.POOL else set())
    foreign |= {"upcard_turned"} if family is Family.BLIND else set()
    foreign |= {"auto_drop_set"} if family is Family.DEALS else set()
    came = happened(reports, *(each for each in BOOKS.values() if each.family is family)).keys() & EVENTS.keys()
    return (EVENTS.keys() - came - ELSEWHERE - foreign) | (foreign & came)


def _corners(rules: RuleBook) -> set[str]:
    corners = {"open show", "left while melding", "won without a show", "show_accepted", "show_refused"}
    if rules.family is Family.POOL:
        corners |= {"split agreed", "split refused", "auto split", "eliminated together", "player_rejoined"}
    if rules.family is Family.DEALS:
        corners |= {"tie played on", "won before the last deal"}
    if rules.first_drop is not None:
        corners |= {"dropped by the switch", "left after dropping", "closed_deck_reshuffled"}
    if rules.packs_for(6) == 2 and rules.family is not Family.DEALS:
        corners.add("third reshuffle")
    if rules.open_pile:
        corners.add("first upcard a joker, taken")
    if rules.tunnela:
        corners |= {"tunnela shown", "jokers left apart"}
    if rules.open_show is OpenShow.DROP_SHOW:
        corners.add("drop show")
    if Absence.MISS in (rules.absent_connected, rules.absent_offline_later):
        corners.add("dropped for misses")
    if Absence.AUTO_PLAY in (rules.absent_offline_first, rules.absent_offline_later):
        corners.add("turn_auto_played")
    return corners


def test_the_digest_does_not_depend_on_the_number_of_jobs() -> None:
    runs = fleet.tasks(60, seed=3)
    alone, together = ([report.digest for report in fleet.play(runs, jobs)] for jobs in (1, 2))
    assert alone == together and len(set(alone)) == len(alone)


def test_a_run_of_the_fleet_is_the_one_that_its_seed_names() -> None:
    task = fleet.tasks(60, seed=3)[0]
    again = run(book=book(task.book), players=task.players, matches=task.matches, seed=task.seed, vandal=True)
    assert fleet.play_one(task).digest == again.digest


@pytest.mark.parametrize("matches", [1, 50, 51, 999])
def test_the_fleet_plays_exactly_so_many_matches(matches: int) -> None:
    runs = fleet.tasks(matches, seed=1)
    assert sum(task.matches for task in runs) == matches and len({task.seed for task in runs}) == len(runs)
    assert all(one.seed <= other.seed for one, other in pairwise(runs))


# --- void deals, from states that no shoe deals -----------------------------------------------------------------------


def in_hands_only(key: str) -> TableState:
    """A sound state of four players and one pack: every card is in a hand, the player to act holds fourteen."""
    table = Table(terms_of(book(key), 4))
    for seat in range(4):
        table.do(Sit(seat=seat, stack=table.terms.entry or table.terms.minimum))
    play(table, "timeout")
    state, deal = table.state, table.state.current
    shoe, (first, *_) = ordered_shoe(1), deal.order
    held = {seat: shoe[13 * place : 13 * place + 13] for place, seat in enumerate(deal.order)}
    state = state.with_deal(packs=1, cut=None, wild=0, closed=(), discards=())
    for seat, cards in held.items():
        state = state.with_hand(seat, cards=cards if seat != first else (*cards, shoe[-1]))
    return state.with_deal(turn=Turn(number=1, seat=first, drawn=shoe[-1]))


@pytest.mark.parametrize("key", [key for key, each in BOOKS.items() if each.max_seats > 2])
def test_a_deal_without_a_card_to_draw_is_void_and_another_follows(key: str) -> None:
    """The only card on the open pile stays there; in blind the last card goes with a player who leaves."""
    rules, report = book(key), Report(book=key, players=4, seed=0)
    table = SimulatedTable(terms_of(rules, 4), Random(5), report, hashlib.sha256(), vandal=True)
    table.take_up(in_hands_only(key))
    turn = table.state.current.turn
    assert turn is not None and turn.drawn is not None
    table.apply(Discard(seat=turn.seat, card=turn.drawn) if rules.open_pile else Leave(seat=turn.seat))
    assert report.happened["deal_voided"] == 1 and table.state.result is None
    table.play(matches=1)
    assert report.matches == 1 and report.happened["cards_dealt"] >= 1
