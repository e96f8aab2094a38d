"""Settings of an embedded platform with a stacked shoe: each seat holds the same hand in every deal.

Seat 0 wins the toss and holds `READY`, a valid show with whatever they draw; seat 1 holds `FORTY`, which counts 40 with
no card in a group. So sockets can reach ties that chance deals once in thousands of matches.
"""

from collections.abc import Sequence
from typing import Final

from config.settings.local import *  # noqa: F403  the settings of `manage.py play`
from rules import shuffling

READY: Final = ["3H1", "4H1", "5H1", "6H1", "7H1", "8H1", "9H1", "QD1", "QS1", "QC1", "2C1", "2S1", "2D1"]
FORTY: Final = ["2C2", "2S2", "2D2", "2H2", "3C2", "3S2", "3D2", "3H2", "4C2", "4S2", "4D2", "4H2", "4C1"]
_TOSS: Final = ["AS", "KS"]
_OPEN: Final = ["JS1", "KS1"]

_deals: list[str] = []


def stacked(cards: Sequence[str], label: str, seed: bytes, clients: Sequence[bytes]) -> tuple[str, ...]:
    """Return the cards with the wanted ones on top; the first turn goes to the other seat in each deal."""
    _, _, kind = label.partition("/")
    front = _TOSS if kind == "toss" else [] if kind else _hands(label) + _OPEN
    return (*front, *(card for card in cards if card not in front))


def _hands(label: str) -> list[str]:
    if label not in _deals:
        _deals.append(label)
    first, second = (READY, FORTY) if _deals.index(label) % 2 == 0 else (FORTY, READY)
    return [card for pair in zip(first, second, strict=True) for card in pair]


shuffling.shuffled = stacked
