"""Packing and pruning as the platform does it by itself, and as `manage.py prune` does."""

from collections.abc import Callable, Iterator, Mapping

from tables.log import packing, pruning

#: A name for people, and what is done: a number for each transaction.
Kinds = Mapping[str, Callable[[], Iterator[int]]]
HOURLY: Kinds = {"answers pruned": pruning.prune_answers, "deals packed": packing.pack_due}
NIGHTLY: Kinds = {"states pruned": pruning.prune_snapshots, "logs pruned": pruning.prune_logs}
ALL: Kinds = {**HOURLY, **NIGHTLY}


def run_upkeep(kinds: Kinds, progress: Callable[[str, int], None] = lambda kind, done: None) -> dict[str, int]:
    """Do everything of these kinds that is due, and return how much of each that was.

    `progress` hears the kind and how much of it is done after each transaction. Harmless at any time, when run twice at
    once, and when stopped anywhere.
    """
    done = dict.fromkeys(kinds, 0)
    for kind, act in kinds.items():
        for number in act():
            done[kind] += number
            progress(kind, done[kind])
    return done
