"""Boards: who won most rating, made most shows, came first in arenas; and everybody's own place.

On none of them are guests, closed accounts, and those with fewer than LEAST_MATCHES rated matches of the family.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, TypedDict

from django.db.models import BigIntegerField, Case, F, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce

from lobby.accounts.models import Player, shown_as
from lobby.accounts.names import typed
from lobby.accounts.services import no_such_player
from lobby.ratings.models import ContestKind, RatedResult, Rating
from lobby.ratings.reckoning import AT_TABLES
from lobby.ratings.skill import LEAST_MATCHES, Skill
from wallet.base import report_zone

#: So many rows on a page of a board.
ROWS: Final = 50
#: The most contests in a player's curve.
CURVE: Final = 200
#: What the first places in an arena count: a first more than any seconds, a second more than any thirds.
_WORTH: Final = (10**8, 10**4, 1)


class BoardPeriod(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ALL = "all"


class BoardOrder(StrEnum):
    RATING = "rating"
    WON = "won"
    SHOWS = "shows"
    ARENA = "arena"


@dataclass(frozen=True, slots=True)
class Board:
    """Which board: of a family, since when, and by what. The rating is asked as it is now, whatever the period."""

    family: str
    period: BoardPeriod
    by: BoardOrder

    @property
    def since(self) -> datetime | None:
        """When the period began in the report zone; weeks begin on Monday."""
        today = report_zone.today()
        first = {BoardPeriod.DAY: today, BoardPeriod.WEEK: report_zone.monday_of(today)}
        if self.period is BoardPeriod.ALL:
            return None
        return report_zone.midnight(first.get(self.period, today.replace(day=1)))


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One player's line. `value` is what the board is by; the places in arenas are firsts, seconds and thirds."""

    player: int
    name: str | None
    has_page: bool
    place: int | None
    rating: int
    uncertainty: int
    matches: int | None
    value: int
    arenas: tuple[int, int, int]


def board_of(family: str, period: str, by: str) -> Board:
    """Return the board: by the rating of all time, by what was won in a period, or by what `by` says."""
    usual = BoardOrder.RATING if period == BoardPeriod.ALL else BoardOrder.WON
    return Board(family, BoardPeriod(period), BoardOrder(by or usual))


def board_rows(board: Board, *, skip: int) -> tuple[list[BoardRow], bool]:
    """Return a page of the board after that many rows, and whether there are more."""
    found = list(_ranked(board).order_by("-value", "-shown", "pk")[skip : skip + ROWS + 1])
    page: list[BoardRow] = []
    for number, row in enumerate(found[:ROWS], start=skip + 1):
        level = page[-1].place if page and page[-1].value == row.value else None
        place = _place(board, row.value) if not page else number
        page.append(_as_others_see_it(board, row.player, _line(row, level or place)))
    return page, len(found) > ROWS


def own_line(board: Board, player: Player) -> BoardRow | None:
    """Return the player's own line, without a place before LEAST_MATCHES; None before the first rated match."""
    row = _valued(board, Rating.objects.filter(player=player, family=board.family).select_related("player")).first()
    if row is None:
        return None
    placed = _ranked(board).filter(pk=row.pk).exists()
    return _line(row, _place(board, row.value) if placed else None)


def hides_name(board: Board, player: Player) -> bool:
    """Return whether others read no name of the player's on the board: they hide it, or what the board is by."""
    hidden = {BoardOrder.SHOWS: player.hides_matches, BoardOrder.ARENA: player.hides_places}
    return player.hides_rating or hidden.get(board.by, False)


def _as_others_see_it(board: Board, player: Player, line: BoardRow) -> BoardRow:
    """Return the line without the name where it is hidden, nor the number of hidden matches."""
    name = None if hides_name(board, player) else line.name
    return replace(line, name=name, matches=None if player.hides_matches else line.matches)


def _place(board: Board, value: int) -> int:
    return 1 + _ranked(board).filter(value__gt=value).count()


def _ranked(board: Board) -> QuerySet[Any, Any]:
    """Return the ratings with a place on the board, each with its `value`."""
    shown = Rating.objects.filter(
        family=board.family,
        matches__gte=LEAST_MATCHES,
        player__closed_at=None,
        player__is_guest=False,
        player__is_active=True,
    )
    rows: QuerySet[Any, Any] = _valued(board, shown.select_related("player"))
    return rows if board.by is BoardOrder.RATING else rows.filter(value__gt=0)


def _valued(board: Board, ratings: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    if board.by is BoardOrder.RATING:
        by_rating: QuerySet[Any, Any] = ratings.annotate(value=F("shown"))
        return by_rating
    results = RatedResult.objects.filter(player=OuterRef("player"), family=board.family)
    if board.since is not None:
        results = results.filter(ended_at__gte=board.since)
    what: Any = "shows"
    if board.by is BoardOrder.WON:
        # What is won before the first place is mostly certainty, not skill.
        results, what = results.filter(number__gt=LEAST_MATCHES), "won"
    if board.by is BoardOrder.ARENA:
        results = results.filter(contest__kind=ContestKind.ARENA, place__lte=len(_WORTH))
        what = Case(*(When(place=place, then=worth) for place, worth in enumerate(_WORTH, start=1)))
    summed = results.order_by().values("player").annotate(sum=Sum(what, output_field=BigIntegerField())).values("sum")
    value = Coalesce(Subquery(summed), Value(0), output_field=BigIntegerField())
    valued: QuerySet[Any, Any] = ratings.annotate(value=value)
    return valued


def _line(row: Any, place: int | None) -> BoardRow:
    value = int(row.value)
    return BoardRow(
        player=row.player_id,
        name=row.player.shown_name,
        has_page=row.player.has_page,
        place=place,
        rating=row.shown,
        uncertainty=Skill(row.mu, row.sigma).uncertainty,
        matches=row.matches,
        value=value,
        arenas=(value // _WORTH[0], value % _WORTH[0] // _WORTH[1], value % _WORTH[1]),
    )


def rated_player(name: str, reader: Player) -> Player:
    """Return the player whom others see by this name. TableError `not_found`, as for one who hides their rating."""
    wanted = typed(name)
    own_name = Q(pk=reader.pk, username__iexact=wanted)
    named = Player.objects.filter(shown_as("iexact", wanted) | own_name, is_active=True)
    player = named.first() if wanted else None
    if player is None or (player != reader and player.hides_rating):
        raise no_such_player()
    return player


def curve(player: Player, family: str, most: int) -> list[RatedResult]:
    """Return the player's last rated contests of the family, the oldest of them first."""
    newest = RatedResult.objects.filter(player=player, family=family).select_related("contest")
    newest = newest.order_by("-ended_at", "-number")[:most]
    return list(newest)[::-1]


class RatedContest(TypedDict):
    at: datetime
    rating: int
    place: Annotated[int | None, "Null for a tournament, from who hides their places in them."]


class FamilyRating(TypedDict):
    family: str
    mu: float
    sigma: float
    rating: int
    uncertainty: int
    matches: Annotated[int | None, "Rated ones. Null, and no curve, from who hides their matches."]
    place: int | None
    curve: list[RatedContest]


def family_ratings(player: Player, reader: Player) -> list[FamilyRating]:
    """Return the player's rating in each family that they have one in, with its curve, in the form of the API."""
    matches_hidden, places_hidden = (
        hidden and player != reader for hidden in (player.hides_matches, player.hides_places)
    )
    families = list[FamilyRating]()
    for row in Rating.objects.filter(player=player).order_by("family"):
        own = own_line(Board(row.family, BoardPeriod.ALL, BoardOrder.RATING), player)
        families.append(
            {
                "family": row.family,
                "mu": row.mu,
                "sigma": row.sigma,
                "rating": row.shown,
                "uncertainty": Skill(row.mu, row.sigma).uncertainty,
                "matches": None if matches_hidden else row.matches,
                "place": own.place if own is not None else None,
                "curve": [
                    {
                        "at": each.ended_at,
                        "rating": Skill(each.mu, each.sigma).shown,
                        "place": None if places_hidden and each.contest.kind not in AT_TABLES else each.place,
                    }
                    for each in curve(player, row.family, 0 if matches_hidden else CURVE)
                ],
            }
        )
    return families
