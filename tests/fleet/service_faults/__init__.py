"""Whole matches of all books through services and database, by players and vandals, with faults injected all the time.

One call in ten fails at a random write, one request in ten is sent twice, every push and every nudge is lost; players
are silent, go offline, leave and come back, and the platform itself is down for minutes. After each match every unit of
money is accounted for and the event log rebuilds the stored state; at the end nothing is left over.
"""

from collections import Counter
from random import Random

from tables.simulation import fleet
from tests.fleet.progress import progress
from tests.fleet.service_faults.room import Room
from tests.support.database import Figures, on_its_own, wipe
from tests.support.world import isolated_world

#: Matches.
SIZE = 2_000
#: So many faults are told; all are counted.
_LISTED = 20


def run(*, seed: int, size: int) -> Figures:
    """Play `size` matches; see above. A fault names the run that has it."""
    return on_its_own("service_faults", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    happened: Counter[str] = Counter()
    faults: list[str] = []
    for task in fleet.tasks(size, seed):
        play_task(task, happened, faults)
        progress(happened["matches"], size, "matches")
    return {"matches": happened["matches"], "happened": dict(happened), "faults": faults[:_LISTED]}


def play_task(task: fleet.Task, happened: Counter[str], faults: list[str]) -> None:
    """Play the matches of the task on an empty database, at as many tables as needed."""
    wipe()
    rng, matches = Random(task.seed), 0
    with isolated_world() as world:
        while matches < task.matches:
            room = Room(world, rng, task.book, task.players, happened)
            try:
                matches += room.play(task.matches - matches)
            except Exception as fault:
                faults.append(f"{task}, table {room.table}: {type(fault).__name__}: {fault}")
                break
    happened["matches"] += matches
