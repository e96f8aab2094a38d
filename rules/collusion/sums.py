"""What is counted of players and of pairs: sums that can be added up over deals.

The sums of a player are of all their deals; those toward another are of what concerns that one, and have the same
names. So what a player does with everybody else is the difference of the two.

| name | counts |
| --- | --- |
| `deals`, `wins`, `fair` | deals, those won, and the part of them that equally strong players would win |
| `choices`, `helped` | discards to the next player where some cards would help and others not; those that helped |
| `leeway` | of each such choice the chance that a helpful card goes, times the chance that it stays |
| `beyond`, `beyond2` | 1 for one that helped less that chance, and the square of it |
| `needed`, `took_needed` | discards of the other lying open that would help, and those of them taken |
| `useless`, `took_useless` | the same of discards that would not help |
| `seen`, `promise`, `promise2` | first turns with a drop allowed while the other is in the deal; how good the other's |
| | hidden hand is, and its square |
| `gave_up`, `gave_up_promise` | the drops among them, and how good the other's hidden hand was then |
| `faults`, `faults_due`, `faults_won` | wrong shows and leaving; how many of those the other would win by chance; won |
| `late`, `broken` | discards from the third turn on, and those that made the own hand much worse |
| `caught`, `gap`, `gap2` | deals lost with the hand in play; points more than the others caught; the square |
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Sums: TypeAlias = dict[str, float]


def add_sums(sums: Sums, more: Mapping[str, float]) -> None:
    """Add more to the sums."""
    for name, value in more.items():
        sums[name] = sums.get(name, 0) + value


def less(sums: Mapping[str, float], part: Mapping[str, float]) -> Sums:
    """Return the sums without this part of them."""
    return {name: value - part.get(name, 0) for name, value in sums.items()}


@dataclass(slots=True)
class Sequence:
    """Who of two won, one after the other: `turns` counts the wins that followed one of the other."""

    first: int | None = None
    last: int | None = None
    turns: int = 0
    wins: dict[int, int] = field(default_factory=dict)

    def won(self, winner: int) -> None:
        """Note that one of the two has won next."""
        if self.first is None:
            self.first = winner
        self.turns += self.last is not None and self.last != winner
        self.last = winner
        self.wins[winner] = self.wins.get(winner, 0) + 1

    def then(self, later: "Sequence") -> None:
        """Add what came later."""
        if later.first is None:
            return
        self.turns += later.turns + (self.last is not None and self.last != later.first)
        self.first = later.first if self.first is None else self.first
        self.last = later.last
        for winner, count in later.wins.items():
            self.wins[winner] = self.wins.get(winner, 0) + count


@dataclass(frozen=True, slots=True)
class Usual:
    """What is usual among honest players, by the name of a rate as in RATES.

    The mean; the variance of one observation, of those in SQUARES; and by how much the rate differs `between` players,
    of `wins` as a part of what is expected, also a variance.
    """

    means: Mapping[str, float]
    variances: Mapping[str, float]
    between: Mapping[str, float]


#: The rates of a player: the sum that counts the cases, and the sum over them.
RATES: Mapping[str, tuple[str, str]] = {
    "fed": ("leeway", "beyond"),
    "took_needed": ("needed", "took_needed"),
    "took_useless": ("useless", "took_useless"),
    "faults": ("deals", "faults"),
    "broken": ("late", "broken"),
    "gap": ("caught", "gap"),
}
#: The rates whose variance is not that of a yes or no: the sum of squares.
SQUARES: Mapping[str, str] = {"fed": "beyond2", "gap": "gap2"}
