"""Who stands before whom in a tournament that runs, by the stored counts: the order of `rules.tournaments`."""

import time
from bisect import bisect_left, insort
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple, Protocol

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


class RankedEntrant(Protocol):
    """An entrant, or the columns of one that decide a place and are shown."""

    pk: int
    user_id: int | None
    name: str
    status: str
    round: int
    chips: int
    deals: int
    deals_won: int
    points_lost: int
    automatic: int
    changed_ms: int


_COLUMNS = tuple(RankedEntrant.__annotations__)


class StandingLine(NamedTuple):
    """Somebody's line in the standings; `place` is None in an arena before the least number of deals."""

    place: int | None
    name: str
    chips: int


#: What decides a place, so that what is smaller comes first; and with the entrant's id.
Rank = tuple[int, int, int, int]
RankOfOne = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Standings:
    """All places of a tournament that runs, as they were at one moment."""

    tournament: Tournament
    #: Those who have a place or a hope of one, by id, and their ids by the user's; and all of them, best first.
    there: Mapping[int, RankedEntrant]
    by_user: Mapping[int, int]
    order: Sequence[RankOfOne]
    #: The last moment, in ms, at which any of them changed.
    changed_ms: int
    #: When it was read, in monotonic seconds.
    read_at: float

    @property
    def version(self) -> int:
        """Return a number that grows with each deal that ends."""
        return self.tournament.round * _DEALS_A_ROUND + sum(entrant.deals for entrant in self.there.values())

    def place_of(self, entrant: RankedEntrant) -> int | None:
        """Return the place of an entrant as they stand now among the others as they stood; None without one yet."""
        rank = _rank(self.tournament, entrant)
        if self.tournament.kind == TournamentKind.ARENA and not rank[0]:
            return None
        before = self.there.get(entrant.pk, entrant)
        # Nobody stands before themselves: they may have lost since these were read.
        return 1 + bisect_left(self.order, rank) - (_rank(self.tournament, before) < rank)

    def line_of(self, entrant_id: int) -> StandingLine:
        """Return the line of one of them."""
        entrant = self.there[entrant_id]
        return StandingLine(self.place_of(entrant), entrant.name, entrant.chips)

    def top(self) -> list[StandingLine]:
        """Return the first few lines."""
        return [self.line_of(entrant_id) for *_, entrant_id in self.order[:TOP]]

    def known(self, entrant_ids: Collection[int]) -> list[RankedEntrant]:
        """Return these entrants as the standings have them; who is not among them is left out."""
        return [self.there[entrant_id] for entrant_id in entrant_ids if entrant_id in self.there]

    def read_anew(self, entrant_ids: Collection[int]) -> list[RankedEntrant]:
        """Return these entrants as the database has them now; who has no place, nor a hope of one, is left out."""
        counted = Entrant.objects.filter(tournament=self.tournament, status__in=COUNTED, pk__in=entrant_ids)
        return list(counted.values_list(*_COLUMNS, named=True))


#: Standings of more than so many are read once in FRESH_FOR seconds by each process, however many ask for them.
FEW, FRESH_FOR = 50, 1.0
#: No transaction that counts a deal takes so long, in ms: changes are seen so late at most.
LATE_MS = 5_000
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
        if known is not None and len(known.order) > FEW and time.monotonic() - known.read_at < FRESH_FOR:
            return known
        read = _standings[tournament_id] = _read_standings(tournament_id, known)
        for old in [pk for pk, each in _standings.items() if read.read_at - each.read_at > 60 * FRESH_FOR]:
            del _standings[old]
        return read


def _read_standings(tournament_id: int, known: Standings | None) -> Standings:
    """Read the standings: of many, within a round, only who has changed since they are `known`."""
    tournament, read_at = Tournament.objects.get(pk=tournament_id), time.monotonic()
    entrants = Entrant.objects.filter(tournament=tournament)
    there, by_user, order, changed_ms = dict[int, RankedEntrant](), dict[int, int](), list[RankOfOne](), 0
    if known is not None and len(known.order) > FEW and _in_one_round(known.tournament, tournament):
        there, by_user, order = dict(known.there), dict(known.by_user), list(known.order)
        changed_ms = known.changed_ms
        entrants = entrants.filter(changed_ms__gte=changed_ms - LATE_MS)
    for entrant in entrants.values_list(*_COLUMNS, named=True):
        changed_ms = max(changed_ms, entrant.changed_ms)
        if (before := there.pop(entrant.pk, None)) is not None:
            del order[bisect_left(order, (*_rank(tournament, before), entrant.pk))]
        if entrant.status in COUNTED:
            there[entrant.pk] = entrant
            insort(order, (*_rank(tournament, entrant), entrant.pk))
            if entrant.user_id is not None:
                by_user[entrant.user_id] = entrant.pk
    # Who was removed has no line any more.
    by_user = {user_id: pk for user_id, pk in by_user.items() if pk in there}
    return Standings(tournament, there, by_user, order, changed_ms, read_at)


def _in_one_round(before: Tournament, now: Tournament) -> bool:
    running = Tournament.Status.RUNNING
    return before.status == now.status == running and before.round == now.round


def _rank(tournament: Tournament, entrant: RankedEntrant) -> Rank:
    """Return what decides the place of an entrant, as `standing` has it."""
    reached = entrant.round
    if tournament.kind == TournamentKind.ARENA:
        reached = int(entrant.deals >= tournament.least_deals)
    return -reached, -entrant.chips, -entrant.deals_won, entrant.points_lost
