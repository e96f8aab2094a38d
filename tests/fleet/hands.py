"""Hands of all books against an independent scorer, and the best arrangement against an exhaustive search."""

from rules.melds import Kind
from tests.fleet.scale.hands import compare_all, parts
from tests.support.database import Figures

#: Hands to judge; one in 500 is arranged by the oracle as well, which tries every subset.
SIZE = 100_000


def run(*, seed: int, size: int) -> Figures:
    """Judge `size` hands, the same in every run: `seed` has no effect."""
    comparisons = compare_all(parts(size, size // 500))
    faults = [str(difference) for each in comparisons for difference in each.differences]
    judged, valid = sum(each.judged for each in comparisons), sum(each.valid for each in comparisons)
    kinds = frozenset[str]().union(*(each.kinds for each in comparisons))
    if judged < size or valid <= size // 100 or kinds != {*Kind}:
        faults.append(f"only {judged} hands, {valid} of them valid, with {sorted(kinds)}")
    arranged = sum(each.arranged for each in comparisons)
    return {"judged": judged, "arranged": arranged, "valid": valid, "faults": faults[:20]}
