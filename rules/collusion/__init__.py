"""Playing together unfairly, as finished deals show it: sums of each deal, signals of a pair, one number of all.

Pure: deals come as their events, what is usual among honest players as an argument. `sums` has what is counted.
"""

from rules.collusion.deals import CountedDeal, sums_of_deal
from rules.collusion.signals import KINDS, Signal, combined, signals_of
from rules.collusion.sums import Sequence, Sums, Usual, add_sums

__all__ = [
    "KINDS",
    "CountedDeal",
    "Sequence",
    "Signal",
    "Sums",
    "Usual",
    "add_sums",
    "combined",
    "signals_of",
    "sums_of_deal",
]
