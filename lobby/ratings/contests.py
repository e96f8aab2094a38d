"""What is rated, read from what has finished: matches, series of ten deals, and tournaments, as they ended.

Rated is what strangers may join, and people alone have played: stakes of the lobby, and tournaments. A cancelled match
is none of it. Source: rules/RULES.md, Ratings and boards.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import Final

from django.db.models import Q

from lobby.ratings.models import Contest, ContestKind
from lobby.ratings.skill import SERIES, MatchPart, places, ranked
from rules.books import BOOKS, PER_POINT, book
from rules.game import Outcome
from tables.history.figures import count_shows
from tables.models import Deal, DealSeat, Entrant, Match, Tournament
from tables.play.store import moment
from wallet.ledger import selectors as ledger

_OPEN: Final = Q(
    table__stake_id__isnull=False, table__private_code="", table__practice_for=None, table__tournament_id=None
)
_CHUNK: Final = 500


@dataclass(frozen=True, slots=True)
class Placed:
    """One player's place in a contest, and the valid shows that they made in it."""

    player: int
    place: int
    shows: int


@dataclass(frozen=True, slots=True)
class FinishedContest:
    """A finished contest; `ref` is the match, that of the last deal of a series, or the tournament."""

    kind: str
    ref: int
    family: str
    ended_at: datetime
    results: tuple[Placed, ...]

    @property
    def key(self) -> tuple[datetime, str, int]:
        """Its place among all contests: the order in which they are rated."""
        return self.ended_at, self.kind, self.ref


@dataclass(frozen=True, slots=True)
class _InDeal:
    """One player's part in a scored deal."""

    number: int
    user: int
    outcome: str
    points: int
    total: int
    has_shown: bool


@dataclass(slots=True)
class _Run:
    """The deals so far that the same people have played at a table since they met there, or since their last series."""

    company: frozenset[int] = frozenset()
    deals: int = 0
    points: Counter[int] = field(default_factory=Counter)
    shows: Counter[int] = field(default_factory=Counter)

    def add(self, seats: list[_InDeal]) -> tuple[Placed, ...]:
        """Count a deal; return the results of the series that it completes, else nothing."""
        company = frozenset(seat.user for seat in seats)
        if company != self.company or self.deals == SERIES:
            self.company, self.deals, self.points, self.shows = company, 0, Counter(), Counter()
        self.deals += 1
        lost = sum(seat.points for seat in seats)
        self.points.update({seat.user: lost if seat.outcome == Outcome.WON else -seat.points for seat in seats})
        self.shows.update(_shows(seats))
        if self.deals < SERIES:
            return ()
        by_points = ranked({player: (-self.points[player],) for player in company})
        return tuple(Placed(player, place, self.shows[player]) for player, place in sorted(by_points.items()))


def finished(after: datetime | None, until: datetime) -> Iterator[FinishedContest]:
    """Yield what ended after one moment (None: from the beginning) and until another, in the order of their keys."""
    matches = _in_order(_matches(after, until))
    return heapq.merge(matches, _tournaments(after, until), key=lambda contest: contest.key)


def _in_order(contests: Iterable[FinishedContest]) -> Iterator[FinishedContest]:
    """Yield the contests, which come by the moments at which they ended, in the order of their keys."""
    for _, at_once in groupby(contests, key=lambda contest: contest.ended_at):
        yield from sorted(at_once, key=lambda contest: contest.key)


def first_end() -> datetime | None:
    """Return when the first match or tournament ended, None where none has."""
    match = Match.objects.filter(status=Match.Status.SETTLED).order_by("ended_at").first()
    tournament = Tournament.objects.filter(status=Tournament.Status.OVER).order_by("over_ms").first()
    ends = [match.ended_at] if match is not None else []
    ends += [moment(tournament.over_ms or 0)] if tournament is not None else []
    return min((end for end in ends if end is not None), default=None)


def _matches(after: datetime | None, until: datetime) -> Iterator[FinishedContest]:
    runs: dict[int, _Run] = {}
    found = Match.objects.filter(_OPEN, status=Match.Status.SETTLED, ended_at__lte=until)
    if after is not None:
        found = found.filter(ended_at__gt=after)
    rows = found.select_related("table").order_by("ended_at", "pk").iterator(chunk_size=_CHUNK)
    while matches := list(islice(rows, _CHUNK)):
        yield from _of_matches(matches, runs, after)


def _of_matches(matches: list[Match], runs: dict[int, _Run], after: datetime | None) -> Iterator[FinishedContest]:
    seats, winners = _seats(matches), ledger.winners(match.pk for match in matches)
    for match in matches:
        own, family = seats.get(match.pk, []), match.table.family
        if not own or match.ended_at is None:
            continue
        if family in PER_POINT:
            if match.table_id not in runs:
                runs[match.table_id] = _run_before(match.table_id, after)
            kind, results = ContestKind.SERIES, runs[match.table_id].add(own)
        else:
            kind, results = ContestKind.MATCH, _of_pot(match, own, frozenset(winners.get(match.pk, ())))
        if len(results) > 1:
            yield FinishedContest(kind.value, match.pk, family, match.ended_at, results)


def _of_pot(match: Match, seats: list[_InDeal], winners: frozenset[int]) -> tuple[Placed, ...]:
    """Return the results of a pool or a match of deals."""
    parts = {
        seat.user: MatchPart(last_deal=seat.number, left=seat.outcome == Outcome.LEFT, total=seat.total)
        for seat in sorted(seats, key=lambda seat: seat.number)
    }
    most_wins = book(match.book, match.book_version).chips_a_deal is not None
    shows = _shows(seats)
    of_players = places(parts, winners, most_wins=most_wins)
    return tuple(Placed(player, place, shows[player]) for player, place in sorted(of_players.items()))


def _shows(seats: Iterable[_InDeal]) -> Counter[int]:
    return Counter(seat.user for seat in seats if seat.has_shown)


def _seats(matches: Iterable[Match]) -> dict[int, list[_InDeal]]:
    """Return every player's part in each scored deal, by match; without matches in which computer players were."""
    found = DealSeat.objects.filter(deal__match__in=[match.pk for match in matches], deal__status=Deal.Status.OVER)
    rows = found.order_by("pk").values_list("deal__match", "deal__number", "user", "outcome", "points", "total")
    shows = count_shows(found, "deal__match", "deal__number", "user")
    seats: dict[int, list[_InDeal]] = defaultdict(list)
    with_computers: set[int] = set()
    for match, number, user, outcome, points, total in rows:
        if user is None:
            with_computers.add(match)
        else:
            seats[match].append(_InDeal(number, user, outcome, points, total or 0, (match, number, user) in shows))
    return {match: of_match for match, of_match in seats.items() if match not in with_computers}


def _run_before(table_id: int, after: datetime | None) -> _Run:
    """Return the matches of the series that was under way at the table at that moment."""
    run = _Run()
    if after is None:
        return run
    before = Match.objects.filter(_OPEN, table=table_id, status=Match.Status.SETTLED, ended_at__lte=after)
    last = list(before.order_by("-ended_at", "-pk")[: SERIES - 1])
    series = Contest.objects.filter(kind=ContestKind.SERIES, ref__in=[match.pk for match in last])
    complete = set(series.values_list("ref", flat=True))
    since = next((number for number, match in enumerate(last) if match.pk in complete), len(last))
    seats = _seats(last[:since])
    for match in reversed(last[:since]):
        if match.pk in seats:
            run.add(seats[match.pk])
    return run


def _tournaments(after: datetime | None, until: datetime) -> Iterator[FinishedContest]:
    """Yield the tournaments of people alone; who has no place in one is not rated by it."""
    over = Tournament.objects.filter(status=Tournament.Status.OVER, over_ms__lte=_ms(until))
    if after is not None:
        over = over.filter(over_ms__gte=_ms(after))
    for tournament in over.order_by("over_ms", "kind", "pk").iterator(chunk_size=_CHUNK):
        ended_at = moment(tournament.over_ms or 0)
        if ended_at > until or (after is not None and ended_at <= after):
            continue
        entrants = Entrant.objects.filter(tournament=tournament)
        of_players = list(entrants.filter(place__isnull=False).order_by("user").values_list("user", "place"))
        if len(of_players) < 2 or entrants.filter(user=None).exists():
            continue
        shows = _shows_at(tournament)
        results = tuple(Placed(player or 0, place or 0, shows.get(player or 0, 0)) for player, place in of_players)
        family = BOOKS[tournament.book].family.value
        yield FinishedContest(tournament.kind, tournament.pk, family, ended_at, results)


def _ms(at: datetime) -> int:
    return (at - moment(0)) // timedelta(milliseconds=1)


def _shows_at(tournament: Tournament) -> Mapping[int, int]:
    parts = DealSeat.objects.filter(seating__table__tournament_id=tournament.pk)
    return {player: shows for (player,), shows in count_shows(parts, "user").items() if player is not None}
