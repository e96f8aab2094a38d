"""The leak oracle: no byte tells its reader more than they may know.

Whole matches are played through services and database while everything that leaves the platform is read: frames of all
players and of a watcher, answers and refusals, pages and API responses for every kind of visitor, messages for the
channel layer, tasks, log lines, stored rows. Each frame is compared with the frame of a twin table whose unseen cards
have changed places; then simulated tables and their twins go through the same public moves.
"""

from collections import Counter

from tables.simulation import fleet
from tests.fleet.leak import pages, swaps
from tests.fleet.leak.game import Game
from tests.fleet.progress import progress
from tests.support.database import Figures, on_its_own
from tests.support.staff import browser_of, employ
from tests.support.world import isolated_world

#: Recorded matches; five times as many twins go through a public move.
SIZE = 1_000
_TWINS = 5
#: Each so many matches somebody looks at every address of the site.
_THOROUGH = 250
#: So many faults are told; all are counted.
_LISTED = 20


def run(*, seed: int, size: int) -> Figures:
    """Play `size` matches; see above."""
    return on_its_own("leak", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    counts: Counter[str] = Counter()
    findings = play_recorded(fleet.tasks(size, seed), counts)
    states: Counter[str] = Counter()
    for task in fleet.tasks(size, seed):
        swaps.play(task, _TWINS * size, states, findings)
        progress(sum(states.values()), _TWINS * size, "twins moved")
    summary = {"found": len(findings), "faults": findings[:_LISTED]}
    return {"read": dict(counts), "twins that moved": dict(states), **summary}


def play_recorded(tasks: list[fleet.Task], counts: Counter[str]) -> list[str]:
    """Return the findings at the tables of these tasks, each with its task."""
    findings: list[str] = []
    with isolated_world() as world:
        visitors = pages.Visitors(browser_of(employ("superuser")), browser_of(world.person()))
        for task in tasks:
            for number in range(task.matches):
                progress(counts["matches"], sum(each.matches for each in tasks), "matches read")
                one = fleet.Task(task.book, task.players, 1, task.seed + number)
                thorough = counts["matches"] % _THOROUGH == _THOROUGH - 1
                findings += [f"{one}: {fault}" for fault in Game(world, one, visitors, counts).play(thorough=thorough)]
    return findings
