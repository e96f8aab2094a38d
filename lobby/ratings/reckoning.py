"""Ratings reckoned contest by contest, in the order in which they ended: by nothing but what has finished."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations

from lobby.ratings.contests import FinishedContest
from lobby.ratings.models import ContestKind
from lobby.ratings.skill import DAYS, NEWCOMER, Skill, rated, weight_of

#: Contests at tables, where somebody may choose whom to meet; tournaments draw the seats, but those of so few players
#: one person can fill with accounts of their own, again and again.
AT_TABLES, FEW = (ContestKind.MATCH.value, ContestKind.SERIES.value), 12
_KEPT = timedelta(days=DAYS)


@dataclass(frozen=True, slots=True)
class RatedSkill:
    """A player's skill in a family, after that number of `matches`."""

    skill: Skill = NEWCOMER
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What a contest changed for one of its players; `standing` is the one after it."""

    player: int
    place: int
    shows: int
    won: int
    standing: RatedSkill


@dataclass(frozen=True, slots=True)
class Rated:
    """A contest with what it counts, and what it changed."""

    contest: FinishedContest
    weight: float
    changes: tuple[Change, ...]


@dataclass(slots=True)
class Reckoning:
    """Where everybody stands, and who met whom of late. Contests come in the order in which they ended."""

    standings: dict[tuple[int, str], RatedSkill] = field(default_factory=dict)
    _met: defaultdict[tuple[int, int], deque[datetime]] = field(default_factory=lambda: defaultdict(deque))

    def note_meeting(self, players: Iterable[int], at: datetime) -> None:
        """Note that all of these have met in a match."""
        for pair in combinations(sorted(players), 2):
            self._met[pair].append(at)

    def rate(self, contest: FinishedContest) -> Rated:
        """Count the contest; return what it changed."""
        players = [result.player for result in contest.results]
        weight = 1.0
        if company_counts(contest):
            weight = weight_of(self._meetings(players, contest.ended_at), len(players))
            self.note_meeting(players, contest.ended_at)
        before = [self.standings.get((player, contest.family), RatedSkill()) for player in players]
        skills = rated([each.skill for each in before], [result.place for result in contest.results], weight)
        changes = tuple(
            Change(each.player, each.place, each.shows, new.shown - old.skill.shown, RatedSkill(new, old.matches + 1))
            for each, old, new in zip(contest.results, before, skills, strict=True)
        )
        self.standings |= {(change.player, contest.family): change.standing for change in changes}
        return Rated(contest, weight, changes)

    def _meetings(self, players: list[int], at: datetime) -> int:
        """Return how often two of them have met of late, added up for all pairs."""
        count = 0
        for pair in combinations(sorted(players), 2):
            met = self._met[pair]
            while met and met[0] <= at - _KEPT:
                met.popleft()
            count += len(met)
        return count


def company_counts(contest: FinishedContest) -> bool:
    """Return whether the contest counts less where the same people have met of late, and is such a meeting."""
    return contest.kind in AT_TABLES or len(contest.results) <= FEW


def reckoned(contests: Iterable[FinishedContest]) -> Iterator[Rated]:
    """Yield every contest rated, from the first one on."""
    reckoning = Reckoning()
    return map(reckoning.rate, contests)
