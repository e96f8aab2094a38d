"""One number of all signals of a pair.

The chances of all signals become one (`chances.combined_chance`), and the evidence is how many zeros stand before it:
3 is one in a thousand pairs that play honestly. What people share besides play (a device, an address, sitting down
together) says who they are and not how they play: it adds at most one, and only where play says something by itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log10
from typing import Final

from rules.collusion.chances import combined_chance
from rules.collusion.signals import Signal

#: What each circumstance adds, and the most that all of them do.
OF_A_CIRCUMSTANCE: Final = 0.5
MOST_OF_CIRCUMSTANCES: Final = 1.0
#: Below this evidence of play circumstances add nothing.
LEAST_OF_PLAY: Final = 2.0


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The evidence of play, and with the circumstances."""

    play: float
    whole: float


def combined(signals: Iterable[Signal], circumstances: int = 0) -> PairEvidence:
    """Return the evidence of these signals, and of so many circumstances beside them."""
    play = max(0.0, -log10(combined_chance([signal.chance for signal in signals])))
    more = min(MOST_OF_CIRCUMSTANCES, OF_A_CIRCUMSTANCE * circumstances) if play >= LEAST_OF_PLAY else 0.0
    return PairEvidence(play, play + more)
