"""Ratings and boards: their page, and the API."""

from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.ratings import boards
from lobby.ratings.boards import Board, BoardOrder, BoardPeriod, BoardRow, FamilyRating
from lobby.ratings.reckoning import FEW
from lobby.ratings.skill import BASE, DAYS, HALVES_AFTER, LEAST_MATCHES, NEWCOMER, SCALE
from lobby.stakes.presenters import FAMILY_TITLES, LOBBY_ORDER
from rules.books import Family
from wallet.base import report_zone
from wallet.base.api import responses, sent_query
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _, gettext_lazy

PERIOD_TITLES = {
    BoardPeriod.ALL: gettext_lazy("All time"),
    BoardPeriod.DAY: gettext_lazy("Today"),
    BoardPeriod.WEEK: gettext_lazy("This week"),
    BoardPeriod.MONTH: gettext_lazy("This month"),
}
BY_TITLES = {
    BoardOrder.RATING: gettext_lazy("Rating"),
    BoardOrder.WON: gettext_lazy("Rating won"),
    BoardOrder.SHOWS: gettext_lazy("Shows"),
    BoardOrder.ARENA: gettext_lazy("Places in arenas"),
}


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show a board: of a family, of a period, by what the query asks; anything else is the usual board."""
    asked = request.GET
    family = asked.get("family", "")
    family = family if family in {each.value for each in Family} else Family.POINTS.value
    period = asked.get("period", "")
    period = period if period in {each.value for each in BoardPeriod} else BoardPeriod.ALL.value
    by = asked.get("by", "")
    board = boards.board_of(family, period, by if by in {each.value for each in BoardOrder} else "")
    skip = int(number) if (number := asked.get("cursor", "")).isascii() and number.isdigit() and len(number) < 7 else 0
    lines, more = boards.board_rows(board, skip=skip)
    player = player_or_visitor(request)
    own = None if player is None else boards.own_line(board, player)
    context = {
        "board": board,
        "lines": lines,
        "own": own,
        "name_hidden": player is not None and boards.hides_name(board, player),
        "own_shown": own is not None and own.player in {line.player for line in lines},
        "next": skip + len(lines) if more else None,
        "since": format_moment(board.since) if board.since is not None else "",
        "zone": report_zone.zone_in_words(),
        "families": [(each.value, _(FAMILY_TITLES[each])) for each in LOBBY_ORDER],
        "periods": [(each.value, title) for each, title in PERIOD_TITLES.items()],
        "kinds": [
            (each.value, title)
            for each, title in BY_TITLES.items()
            if each is not BoardOrder.RATING or period == BoardPeriod.ALL
        ],
        "by_title": BY_TITLES[board.by],
        "facts": {
            "base": BASE,
            "scale": SCALE,
            "least": LEAST_MATCHES,
            "halves": HALVES_AFTER,
            "few": FEW,
            "days": DAYS,
            "newcomer": NEWCOMER,
        },
    }
    return render(request, "lobby/boards.html", context)


# --- the API ----------------------------------------------------------------------------------------------------------


class BoardQuery(serializers.Serializer[Any]):
    family = serializers.ChoiceField(choices=[family.value for family in Family], default=Family.POINTS.value)
    period = serializers.ChoiceField(choices=[period.value for period in BoardPeriod], default=BoardPeriod.ALL.value)
    by = serializers.ChoiceField(
        choices=[by.value for by in BoardOrder],
        required=False,
        help_text="The rating where the period is `all`, else what of it was won in the period, unless this is given.",
    )
    cursor = serializers.IntegerField(
        min_value=0, max_value=10**6, default=0, help_text="`next` of the page before, to go on with it."
    )


class ArenaPlaces(TypedDict):
    first: int
    second: int
    third: int


class BoardLine(TypedDict):
    place: Annotated[int | None, "Null before thirty rated matches, and for guests."]
    name: Annotated[str | None, "Null for who hides it, or what the board is by: shows, or places in tournaments."]
    rating: Annotated[int, "1000 + 40 x (mu - 3 x sigma)."]
    uncertainty: Annotated[int, "40 x sigma."]
    matches: Annotated[int | None, "Rated ones, in this family. Null for who hides their matches."]
    value: Annotated[int | None, "What the board is by; null where that is `arenas`."]
    arenas: ArenaPlaces | None


class BoardAnswer(TypedDict):
    family: str
    period: str
    by: str
    since: datetime | None
    least_matches: Annotated[int, "Nobody has a place before so many."]
    results: list[BoardLine]
    next: str | None
    me: Annotated[BoardLine | None, "Your own line, whichever page it is on."]


class PlayerRatings(TypedDict):
    name: str
    families: list[FamilyRating]


class Ratings(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="ratings", parameters=[BoardQuery], responses=responses(BoardAnswer, 400))
    def get(self, request: Request) -> Response:
        """Return a page of a board, and your own line beside it."""
        asked = sent_query(BoardQuery, request)
        board = boards.board_of(asked["family"], asked["period"], asked.get("by", ""))
        rows, more = boards.board_rows(board, skip=asked["cursor"])
        player = player_or_visitor(request)
        own = None if player is None else boards.own_line(board, player)
        answer: BoardAnswer = {
            "family": board.family,
            "period": board.period,
            "by": board.by,
            "since": board.since,
            "least_matches": LEAST_MATCHES,
            "results": [_shown_row(board, row) for row in rows],
            "next": str(asked["cursor"] + len(rows)) if more else None,
            "me": None if own is None else _shown_row(board, own),
        }
        return Response(answer)


class PlayerRating(APIView):
    @extend_schema(operation_id="player_rating", responses=responses(PlayerRatings, 404))
    def get(self, request: Request, name: str) -> Response:
        """Return the player's rating in each family that they have one in, with its curve. 404 for who hides it."""
        reader = signed_in_player(request)
        player = boards.rated_player(name, reader)
        return Response(PlayerRatings(name=player.shown_name, families=boards.family_ratings(player, reader)))


def _shown_row(board: Board, line: BoardRow) -> BoardLine:
    first, second, third = line.arenas
    by_arenas = board.by is BoardOrder.ARENA
    return {
        "place": line.place,
        "name": line.name,
        "rating": line.rating,
        "uncertainty": line.uncertainty,
        "matches": line.matches,
        "value": None if by_arenas else line.value,
        "arenas": {"first": first, "second": second, "third": third} if by_arenas else None,
    }
