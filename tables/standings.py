"""Who stands before whom in a tournament that runs, by the stored counts: the order of `rules.tournaments.places`."""

import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from django.db.models import Case, IntegerField, QuerySet, Value, When

from tables.models import Entrant, Tournament, TournamentKind

#: Those who have a place: nobody who withdrew or was removed.
COUNTED = (Entrant.Status.IN, Entrant.Status.OUT, Entrant.Status.LEFT)
#: After so many automatic turns in a row somebody is dropped at each deal, until they come back.
ABSENT_AFTER = 3
#: Of an arena: as absent as somebody who left it or stepped away, whatever they still play of their deal.
STEPPED_AWAY = 1_000
_ORDER = ("-reached", "-chips", "-deals_won", "points_lost", "id")


def standing(tournament: Tournament) -> QuerySet[Entrant]:
    """Return the entrants with a place or a hope of one, best first; `reached` is 0 for those without a place yet."""
    entrants = Entrant.objects.filter(tournament=tournament, status__in=COUNTED)
    if tournament.kind == TournamentKind.ARENA:
        enough = When(deals__gte=tournament.least_deals, then=Value(1))
        reached = Case(enough, default=Value(0), output_field=IntegerField())
        return entrants.annotate(reached=reached).order_by(*_ORDER)
    return entrants.annotate(reached=Case(default="round", output_field=IntegerField())).order_by(*_ORDER)


class StandingLine(NamedTuple):
    """Somebody's line in the standings; `place` is None in an arena before the least number of deals."""

    place: int | None
    name: str
    chips: int


#: What decides a place, so that what is smaller comes first.
Rank = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Standings:
    """All places of a tournament that runs, as they were at one moment."""

    tournament: Tournament
    #: Grows with each deal that ends.
    version: int
    #: What decides the places of all entrants, in order.
    ranks: Sequence[Rank]
    rank_of: Mapping[int, Rank]
    #: The lines of the first few, and of every player by the id of the user.
    top: Sequence[StandingLine]
    by_user: Mapping[int, StandingLine]
    #: When it was read, in monotonic seconds.
    read_at: float

    def place_of(self, entrant: Entrant) -> int | None:
        """Return the place of an entrant as they stand now among the others as they stood; None without one yet."""
        rank = _rank(entrant)
        if self.tournament.kind == TournamentKind.ARENA and not rank[0]:
            return None
        ahead = bisect_left(self.ranks, rank)
        # Nobody stands before themselves: they may have lost since these were read.
        return 1 + ahead - (self.rank_of.get(entrant.pk, rank) < rank)


#: Standings of more than so many are read once in FRESH_FOR seconds by each process, however many ask for them.
FEW, FRESH_FOR = 50, 1.0
#: More than all entrants together play in a round.
_DEALS_A_ROUND = 1_000_000
#: So many lines are at the top.
TOP = 3
_standings: dict[int, Standings] = {}
#: Readers of the same standings wait for the first of them.
_reading = Lock()


def standings_of(tournament_id: int) -> Standings:
    """Return the standings of the tournament, at most FRESH_FOR seconds old; those of FEW are read each time."""
    with _reading:
        known = _standings.get(tournament_id)
        if known is not None and len(known.ranks) > FEW and time.monotonic() - known.read_at < FRESH_FOR:
            return known
        read = _standings[tournament_id] = _read_standings(tournament_id)
        for old in [pk for pk, each in _standings.items() if read.read_at - each.read_at > 60 * FRESH_FOR]:
            del _standings[old]
        return read


def forget_standings() -> None:
    """Read all standings anew, since the database is another one."""
    _standings.clear()


def _read_standings(tournament_id: int) -> Standings:
    tournament, read_at = Tournament.objects.get(pk=tournament_id), time.monotonic()
    columns = ("user_id", "name", "reached", "chips", "deals_won", "points_lost", "deals", "pk")
    version, place, last = tournament.round * _DEALS_A_ROUND, 0, None
    ranks = dict[int, Rank]()
    lines: list[tuple[int | None, StandingLine]] = []
    for user_id, name, reached, chips, won, lost, deals, pk in standing(tournament).values_list(*columns):
        rank, version = (-reached, -chips, -won, lost), version + deals
        ranks[pk] = rank
        place = len(ranks) if rank != last else place
        last, unplaced = rank, tournament.kind == TournamentKind.ARENA and not reached
        lines.append((user_id, StandingLine(None if unplaced else place, name, chips)))
    return Standings(
        tournament=tournament,
        version=version,
        ranks=list(ranks.values()),
        rank_of=ranks,
        top=[line for _, line in lines[:TOP]],
        by_user={user_id: line for user_id, line in lines if user_id is not None},
        read_at=read_at,
    )


def _rank(entrant: Entrant) -> Rank:
    """Return what decides the place of an entrant of `standing`."""
    return -entrant.reached, -entrant.chips, -entrant.deals_won, entrant.points_lost  # type: ignore[attr-defined]
