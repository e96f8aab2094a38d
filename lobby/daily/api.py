"""The deal of the day, and duplicate matches, over HTTP."""

from datetime import date, datetime
from typing import TypedDict

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission, IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.daily import match_selectors, selectors, services
from lobby.daily.match_selectors import DuplicateMatch, OneDuplicateMatch
from lobby.daily.selectors import DayAnswer
from lobby.stakes.selectors import SeatAnswer, seat_answer
from tables import daily
from tables.models import Shoe
from wallet.base.api import responses


class NextDay(TypedDict):
    date: date
    deal_id: str
    commitment: str
    begins_at: datetime


class TodayAnswer(DayAnswer):
    next: NextDay


class DealOfToday(APIView):
    permission_classes: list[type[BasePermission]] = [IsAuthenticatedOrReadOnly]

    @extend_schema(operation_id="daily", responses=responses(TodayAnswer))
    def get(self, request: Request) -> Response:
        """Return the deal of today, your own part in it, and the promise of tomorrow's."""
        now = timezone.now()
        shoe = services.todays_shoe(now)
        answer: TodayAnswer = {**selectors.day_values(shoe, player_or_visitor(request), now), "next": _next(shoe)}
        return Response(answer)

    @extend_schema(operation_id="play_daily", request=None, responses=responses(SeatAnswer, 403, 409))
    def post(self, request: Request) -> Response:
        """Sit down at the deal of today, alone against computer players: one try. The same call again answers the same
        seat; once the deal is over, `already_played`.
        """
        shoe = services.todays_shoe(timezone.now())
        seating = services.sit_down(shoe=shoe, user=signed_in_player(request))
        return Response(seat_answer(seating))


class DealOfDay(APIView):
    permission_classes: list[type[BasePermission]] = [IsAuthenticatedOrReadOnly]

    @extend_schema(operation_id="daily_of", responses=responses(DayAnswer, 404))
    def get(self, request: Request, day: str) -> Response:
        """Return the deal of that day; its proof once the day is over, before it begins only the promise."""
        now = timezone.now()
        return Response(selectors.day_values(services.shoe_of_day(day, now), player_or_visitor(request), now))


class DuplicateMatches(APIView):
    permission_classes: list[type[BasePermission]] = [IsAuthenticated]

    @extend_schema(operation_id="duplicate_matches", responses=responses(list[DuplicateMatch]))
    def get(self, request: Request) -> Response:
        """Return the duplicate matches that you have made or played in, the newest first."""
        now = timezone.now()
        made = match_selectors.matches_of(signed_in_player(request))
        return Response([match_selectors.match_values(each, now) for each in made])

    @extend_schema(
        operation_id="make_duplicate_match",
        request=None,
        responses=responses(DuplicateMatch, 403, 409, 429, status=201),
    )
    def post(self, request: Request) -> Response:
        """Make a match of eight shoes, alike for everybody who has its code."""
        series = services.open_match(user=signed_in_player(request))
        return Response(match_selectors.match_values(series, timezone.now()), status=201)


class OneDuplicate(APIView):
    permission_classes: list[type[BasePermission]] = [IsAuthenticatedOrReadOnly]

    @extend_schema(operation_id="duplicate_match", responses=responses(OneDuplicateMatch, 404))
    def get(self, request: Request, match_code: str) -> Response:
        """Return everybody's results side by side; of a deal that you have not played only who has."""
        match = services.match_of(match_code)
        return Response(match_selectors.one_match_values(match, player_or_visitor(request), timezone.now()))

    @extend_schema(operation_id="play_duplicate_match", request=None, responses=responses(SeatAnswer, 403, 404, 409))
    def post(self, request: Request, match_code: str) -> Response:
        """Sit down at your next deal of the match. The same call again answers the same seat until that deal is over;
        once all are, `already_played`.
        """
        seating = services.sit_down_at_next(code=match_code, user=signed_in_player(request))
        return Response(seat_answer(seating))


def _next(shoe: Shoe) -> NextDay:
    following = daily.following_shoe(shoe)
    assert following.series.day is not None
    return {
        "date": following.series.day,
        "deal_id": following.label,
        "commitment": following.commitment,
        "begins_at": following.series.begins_at,
    }
