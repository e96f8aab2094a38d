"""What a contest says about the skill of those in it: Plackett-Luce, by one call for all of its places.

Pure: nothing here reads a row. Source: rules/RULES.md, Ratings and boards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce

#: What is believed of somebody of whom nothing is known: their skill, and how far off that may be.
MU: Final = 25.0
SIGMA: Final = MU / 3
#: With the tau that the package would take, a third of the players who improved was never seen to.
_MODEL: Final = PlackettLuce(mu=MU, sigma=SIGMA, tau=SIGMA / 25)

#: What people read: 1000 for a newcomer, and 40 for each point of skill that is certain.
BASE: Final = 1000
SCALE: Final = 40
#: Nobody has a place on a board before so many rated matches, and nothing counts there that was won in them.
LEAST_MATCHES: Final = 30
#: So many deals of points among the same people are rated as one contest.
SERIES: Final = 10
#: After so many meetings within DAYS, a match among the same people counts half.
HALVES_AFTER: Final = 10
DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Skill:
    """What is believed of a player's skill in a family of games."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def shown(self) -> int:
        """The rating that people read: skill of which one may be sure."""
        return round(BASE + SCALE * (self.mu - 3 * self.sigma))

    @property
    def uncertainty(self) -> int:
        """How far off it may be, on the same scale."""
        return round(SCALE * self.sigma)


#: Of whom nothing is known.
NEWCOMER: Final = Skill()


def weight_of(meetings: int, players: int) -> float:
    """Return what a match counts: 1 among strangers, less the more often the same people have met.

    `meetings` are the rated matches of the last DAYS, counted for each pair of the `players` and added up.
    """
    pairs = players * (players - 1) / 2
    return HALVES_AFTER / (HALVES_AFTER + meetings / pairs)


def rated(skills: Sequence[Skill], places: Sequence[int], weight: float) -> list[Skill]:
    """Return the skills after a contest with these places, 1 for the best; a weight below 1 goes so far only."""
    teams = [[_MODEL.create_rating([skill.mu, skill.sigma])] for skill in skills]
    after = _MODEL.rate(teams, ranks=[float(place) for place in places])
    return [
        Skill(before.mu + weight * (new.mu - before.mu), before.sigma + weight * (new.sigma - before.sigma))
        for before, (new,) in zip(skills, after, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class MatchPart:
    """One player's part in a match: the number of their last deal in it, how that ended for them, and the total."""

    last_deal: int
    left: bool
    total: int


def places(parts: Mapping[int, MatchPart], winners: frozenset[int], *, most_wins: bool) -> dict[int, int]:
    """Return each player's place in a finished pool or match of deals, equal ones for those who are level.

    Those who got the prize, or a share of it, are first. Then who was in it longest; of those whose last deal was the
    same, who stayed before who left, and then the better total: the lowest, or where chips are counted the highest.
    """

    def rank(player: int) -> tuple[int, ...]:
        part = parts[player]
        if player in winners:
            return (0,)
        return (1, -part.last_deal, part.left, -part.total if most_wins else part.total)

    return ranked({player: rank(player) for player in parts})


def ranked(keys: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """Return each player's place by their key, the smallest first; equal keys share a place."""
    order = sorted(keys.values())
    return {player: order.index(key) + 1 for player, key in keys.items()}
