"""Thousands of whole matches of all books and all numbers of players, the vandal at every table, every check on."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from rules.books import BOOKS, Absence, Family, RuleBook, book
from rules.game.events import EVENTS
from tables.simulation import fleet
from tables.simulation.run import Report, run

MATCHES = int(os.environ.get("RUMMY_SIMULATED_MATCHES", "2500"))
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
def test_thousands_of_matches_hold_and_come_to_every_corner() -> None:
    """One test, so that the fleet plays once however the tests are spread; it tells how far it is and how fast."""
    reports = list(_told(fleet.play(fleet.tasks(MATCHES, SEED), jobs=2)))
    _tell_speeds(reports)
    seats = {(report.book, report.players) for report in reports}
    assert sum(report.matches for report in reports) == MATCHES and all(report.refused for report in reports)
    assert seats == {(each.key, n) for each in BOOKS.values() for n in range(each.min_seats, each.max_seats + 1)}
    wrong = {family.value: _wrong_events(family, reports) for family in Family}
    wrong["corners"] = _missed_corners(reports)
    assert {where: what for where, what in wrong.items() if what} == {}


def _missed_corners(reports: list[Report]) -> set[str]:
    """The rare corners that were reached at none of the books that have them."""
    wanted = {corner for each in BOOKS.values() for corner in _corners(each)}
    reached = {corner for each in BOOKS.values() for corner in _corners(each) & happened(reports, each).keys()}
    return wanted - reached


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
    rare = {"player_dropped"} if family is Family.DEALS else set()
    came = happened(reports, *(each for each in BOOKS.values() if each.family is family)).keys() & EVENTS.keys()
    return (EVENTS.keys() - came - ELSEWHERE - foreign - rare) | (foreign & came)


def _corners(rules: RuleBook) -> set[str]:
    """What chance brings about in every large run; what it rarely does is played on purpose in test_corners."""
    corners = {"won without a show", "show_accepted", "show_refused"}
    if rules.family is Family.POOL:
        corners |= {"split agreed", "split refused", "auto split", "eliminated together", "player_rejoined"}
    if rules.family is Family.DEALS:
        corners |= {"won before the last deal"}
    if rules.first_drop is not None:
        corners |= {"dropped by the switch", "left after dropping"}
    if rules.open_pile:
        corners.add("first upcard a joker, taken")
    if {Absence.AUTO_PLAY, Absence.MISS} & {rules.absent_offline_first, rules.absent_offline_later}:
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
