"""Packing and pruning, for the daily tasks and for `manage.py prune`."""

from collections.abc import Callable, Iterator, Mapping

from tables.log import packing, pruning

#: Each task's name for people, and its function, which yields a number of rows after each transaction.
Kinds = Mapping[str, Callable[[], Iterator[int]]]
HOURLY: Kinds = {"answers pruned": pruning.prune_answers, "deals packed": packing.pack_due}
NIGHTLY: Kinds = {"states pruned": pruning.prune_snapshots, "logs pruned": pruning.prune_logs}
ALL: Kinds = {**HOURLY, **NIGHTLY}


def run_upkeep(kinds: Kinds, progress: Callable[[str, int], None] = lambda kind, done: None) -> dict[str, int]:
    """Run these kinds of upkeep where due, and return the count of each.

    After each transaction `progress` is called with the kind and its count so far. Safe at any time, also when two runs
    overlap or one is stopped in the middle.
    """
    done = dict.fromkeys(kinds, 0)
    for kind, act in kinds.items():
        for number in act():
            done[kind] += number
            progress(kind, done[kind])
    return done
