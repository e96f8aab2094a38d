"""The deal of the day, and duplicate matches, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.daily import match_selectors, selectors, services
from lobby.stakes.schemas import SeatAnswer
from tables.daily import making
from tables.models import Shoe
from wallet.base.api import responses


class DayLine(serializers.Serializer[Any]):
    place = serializers.IntegerField(help_text="Equal results share it.")
    name = serializers.CharField(allow_null=True, help_text="Null for who hides it.")
    chips = serializers.IntegerField(
        allow_null=True, help_text="Won or lost; null until you have played the deal yourself or its day is over."
    )
    outcome = serializers.CharField(
        allow_null=True, help_text="won, lost, dropped, wrong or left; null as long as chips."
    )


class OwnDay(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=["none", "playing", "played", "frozen", "void"], help_text="void: cancelled by us, you may play again."
    )
    table = serializers.IntegerField(allow_null=True)
    deal = serializers.IntegerField(allow_null=True)
    outcome = serializers.CharField(allow_null=True)
    points = serializers.IntegerField(allow_null=True)
    chips = serializers.IntegerField(allow_null=True)
    counts = serializers.BooleanField(help_text="The deal was over before the day was.")
    turns = serializers.IntegerField(allow_null=True)
    place = serializers.IntegerField(allow_null=True)
    of = serializers.IntegerField()
    friends_place = serializers.IntegerField(allow_null=True, help_text="Among yourself and your friends.")
    friends = serializers.IntegerField()
    streak = serializers.IntegerField(help_text="Days in a row.")


class ShoeProof(serializers.Serializer[Any]):
    deal_id = serializers.CharField()
    commitment = serializers.CharField()
    seed = serializers.CharField(help_text="64 bytes as hex, that were fixed on the day before.")
    packs = serializers.IntegerField()
    honest = serializers.BooleanField()
    shoe = serializers.ListField(child=serializers.CharField())
    toss = serializers.ListField(child=serializers.CharField())


class DayAnswer(serializers.Serializer[Any]):
    date = serializers.DateField(help_text="Its day, in the zone of the reports.")
    status = serializers.ChoiceField(choices=["announced", "open", "over"])
    book = serializers.CharField()
    players = serializers.IntegerField(help_text="You and the computer players.")
    strength = serializers.CharField()
    deal_id = serializers.CharField(help_text="Stands for the id of the deal in the construction of the shoe.")
    commitment = serializers.CharField(help_text="SHA-256, published on the day before.")
    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    played = serializers.IntegerField(help_text="Results that count, so far.")
    results = DayLine(many=True, help_text="The best fifty.")
    me = OwnDay(allow_null=True)
    proof = ShoeProof(allow_null=True, help_text="Null until the day is over.")


class NextDay(serializers.Serializer[Any]):
    date = serializers.DateField()
    deal_id = serializers.CharField()
    commitment = serializers.CharField()
    begins_at = serializers.DateTimeField()


class TodayAnswer(DayAnswer):
    next = NextDay()


class DuplicateMatch(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Whoever has it may play.")
    made_by = serializers.CharField()
    status = serializers.ChoiceField(choices=["open", "over"])
    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()


class DuplicateCell(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The number of the deal in the match.")
    played = serializers.BooleanField()
    chips = serializers.IntegerField(
        allow_null=True, help_text="Null before it was played, and until you have played it or the match is over."
    )
    outcome = serializers.CharField(
        allow_null=True, help_text="won, lost, dropped, wrong or left; null as long as chips."
    )


class MatchLine(serializers.Serializer[Any]):
    place = serializers.IntegerField(
        allow_null=True, help_text="Null until all have played everything, you too, or the match is over."
    )
    name = serializers.CharField()
    me = serializers.BooleanField()
    chips = serializers.IntegerField(help_text="The sum of those that you see.")
    deals = DuplicateCell(many=True)


class OneDuplicateMatch(DuplicateMatch):
    book = serializers.CharField()
    players = serializers.IntegerField(help_text="You and the computer players.")
    strength = serializers.CharField()
    next_deal = serializers.IntegerField(allow_null=True, help_text="The number of your next deal; null: none is left.")
    results = MatchLine(many=True)
    proofs = ShoeProof(many=True, help_text="Empty until the match is over.")


class ReadByAnybody(IsAuthenticated):
    """Whoever only reads needs no account."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return request.method in SAFE_METHODS or super().has_permission(request, view)


class DealOfToday(APIView):
    permission_classes: list[type[BasePermission]] = [ReadByAnybody]

    @extend_schema(operation_id="daily", responses=TodayAnswer)
    def get(self, request: Request) -> Response:
        """Return the deal of today, your own part in it, and the promise of tomorrow's."""
        now = timezone.now()
        shoe = services.todays_shoe(now)
        return Response({**selectors.day_values(shoe, player_or_visitor(request), now), "next": _next(shoe)})

    @extend_schema(operation_id="play_daily", request=None, responses=responses(SeatAnswer, 403, 409))
    def post(self, request: Request) -> Response:
        """Sit down at the deal of today, alone against computer players: one try. The same call again answers the same
        seat; once the deal is over, `already_played`.
        """
        shoe = services.todays_shoe(timezone.now())
        seating = services.sit_down(shoe=shoe, user=signed_in_player(request))
        return Response({"table": seating.table_id, "seat": seating.seat})


class DealOfDay(APIView):
    permission_classes: list[type[BasePermission]] = [ReadByAnybody]

    @extend_schema(operation_id="daily_of", responses=responses(DayAnswer, 404))
    def get(self, request: Request, day: str) -> Response:
        """Return the deal of that day; its proof once the day is over, before it begins only the promise."""
        now = timezone.now()
        return Response(selectors.day_values(services.shoe_of_day(day, now), player_or_visitor(request), now))


class DuplicateMatches(APIView):
    permission_classes: list[type[BasePermission]] = [IsAuthenticated]

    @extend_schema(operation_id="duplicate_matches", responses=DuplicateMatch(many=True))
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
    permission_classes: list[type[BasePermission]] = [ReadByAnybody]

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
        return Response({"table": seating.table_id, "seat": seating.seat})


def _next(shoe: Shoe) -> dict[str, Any]:
    following = making.following_shoe(shoe)
    return {
        "date": following.series.day,
        "deal_id": following.label,
        "commitment": following.commitment,
        "begins_at": following.series.begins_at,
    }
