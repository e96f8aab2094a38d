"""The lobby over HTTP (`/api/docs/`): the stakes, and the ways to a seat."""

from typing import Any, TypedDict

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.stakes import open_tables, private_tables, selectors, services
from lobby.stakes.forms import LobbyFilterForm, OwnTableForm
from lobby.stakes.open_tables import OpenTable
from lobby.stakes.selectors import SeatAnswer, StakeAnswer, seat_answer
from rules.bots import Strength
from tables.models import Seating
from tables.play.seating import LEAST_BUY_IN
from wallet.base.amounts import WholeAmount
from wallet.base.api import CurrencyField, NewestFirst, check_form, responses, sent_body

LARGEST = 2**53


class SitDown(serializers.Serializer[Any]):
    buy_in = WholeAmount(
        required=False,
        allow_null=True,
        help_text="Smallest units of the stake's currency; the least buy-in when left out. An entry is taken as it is.",
    )
    seat = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=6)


class PracticeRequest(serializers.Serializer[Any]):
    book = serializers.CharField(min_length=1, max_length=40)
    players = serializers.IntegerField(
        min_value=2, max_value=6, help_text="Everybody at the table, you included; all others are computer players."
    )
    strength = serializers.ChoiceField(choices=list(Strength), default=Strength.SOUND)
    unhurried = serializers.BooleanField(default=False, help_text="No turn ends by itself.")


class PrivateRequest(serializers.Serializer[Any]):
    """Either a `stake`, or a `book` with one's own terms within their limits; those left out take usual values."""

    stake = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
    book = serializers.CharField(required=False, min_length=1, max_length=40)
    seats = serializers.IntegerField(required=False)
    deals = serializers.IntegerField(required=False, help_text="1 to 10, where the book counts the deals of a match.")
    point_value = WholeAmount(required=False, help_text="Fun chips, 1 to 1,000: points and blind books.")
    entry = WholeAmount(required=False, help_text="Fun chips, 1 to 100,000: pool and deals books.")
    turn_seconds = serializers.IntegerField(required=False, help_text="10 to 120.")
    extra_seconds = serializers.IntegerField(required=False, help_text="5 to 120.")
    meld_seconds = serializers.IntegerField(required=False, help_text="20 to 180.")
    result_seconds = serializers.IntegerField(required=False, help_text="5 to 60.")


class LobbyQuery(serializers.Serializer[Any]):
    family = serializers.ChoiceField(required=False, choices=["points", "blind", "pool", "deals"])
    seats = serializers.IntegerField(required=False, min_value=2, max_value=6)
    currency = CurrencyField(required=False)
    min = serializers.IntegerField(required=False, min_value=0, help_text="Least amount to sit down with.")
    max = serializers.IntegerField(required=False, min_value=0, help_text="Largest least amount to sit down with.")


class TableCode(TypedDict):
    code: str


class OpenTablePage(TypedDict):
    next: str | None
    previous: str | None
    results: list[OpenTable]


class LobbyAnswer(TypedDict):
    stakes: list[StakeAnswer]


class Lobby(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="lobby", parameters=[LobbyQuery], responses=responses(LobbyAnswer, 400))
    def get(self, request: Request) -> Response:
        """Return the stakes on offer with their open tables; `min` and `max` bound the amount to sit down with."""
        form = LobbyFilterForm(request.query_params)
        check_form(form)
        return Response(LobbyAnswer(stakes=selectors.offered(form.stake_filter())))


class OldestFirst(NewestFirst):
    """The same pages, oldest row first."""

    ordering = "id"


class StakeTables(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="stake_tables",
        parameters=[OpenApiParameter("cursor", str)],
        responses=responses(OpenTablePage, 404),
    )
    def get(self, request: Request, stake_id: int) -> Response:
        """Return every open table of the stake, in pages."""
        pages = OldestFirst()
        tables = open_tables.all_tables(services.offered_stake(stake_id).pk)
        return pages.get_paginated_response(open_tables.describe(pages.paginate_queryset(tables, request) or []))


class TableSeat(APIView):
    @extend_schema(operation_id="sit", request=SitDown, responses=responses(SeatAnswer, 409))
    def post(self, request: Request, table_id: int) -> Response:
        """Take a seat at this table: any free one, or `seat`. Repeating the call returns the same seat."""
        wishes = _amount_and_seat(request)
        return _seated(services.sit_at(table_id=table_id, user=signed_in_player(request), **wishes))


class StakeSeat(APIView):
    @extend_schema(operation_id="quick_seat", request=SitDown, responses=responses(SeatAnswer, 409))
    def post(self, request: Request, stake_id: int) -> Response:
        """Take a free seat at any table of this stake; a new table opens when none has one."""
        wishes = _amount_and_seat(request)
        return _seated(services.quick_seat(stake_id=stake_id, user=signed_in_player(request), **wishes))


class FamilySeat(APIView):
    @extend_schema(operation_id="seat_in_family", request=None, responses=responses(SeatAnswer, 409))
    def post(self, request: Request, family: str) -> Response:
        """Take a seat at the best fun-chip table of the family: one with people, the soonest to play first."""
        return _seated(services.seat_in_family(family=family, user=signed_in_player(request)))


class Practice(APIView):
    @extend_schema(operation_id="practice", request=PracticeRequest, responses=responses(SeatAnswer, 409))
    def post(self, request: Request) -> Response:
        """Open a practice table. `players` counts everybody there: the caller and the computer players."""
        player, body = signed_in_player(request), sent_body(PracticeRequest, request)
        return _seated(
            services.practice(
                user=player,
                book_key=body["book"],
                players=body["players"],
                strength=body["strength"],
                unhurried=body["unhurried"],
            )
        )


class Private(APIView):
    @extend_schema(operation_id="private_open", request=PrivateRequest, responses=responses(TableCode, 409, status=201))
    def post(self, request: Request) -> Response:
        """Open a table that can be found only by its code: of a `stake`, or on one's own terms without a fee.
        Nobody is seated yet."""
        player, body = signed_in_player(request), sent_body(PrivateRequest, request)
        if "stake" in body:
            return Response(TableCode(code=services.open_private(stake_id=body["stake"], user=player)), status=201)
        form = OwnTableForm(body)
        check_form(form)
        stake, deals = form.instance, form.cleaned_data["deals"]
        return Response(
            TableCode(code=private_tables.open_own_table(user=player, stake=stake, deals=deals)), status=201
        )


class PrivateSeat(APIView):
    @extend_schema(operation_id="private_sit", request=SitDown, responses=responses(SeatAnswer, 409))
    def post(self, request: Request, code: str) -> Response:
        """Take a seat at the private table of this code."""
        wishes = _amount_and_seat(request)
        services.find_private_table(request._request, code)
        return _seated(services.sit_by_code(code=code, user=signed_in_player(request), **wishes))


def _amount_and_seat(request: Request) -> dict[str, Any]:
    body = sent_body(SitDown, request)
    return {"amount": body.get("buy_in") or LEAST_BUY_IN, "seat": body.get("seat")}


def _seated(seating: Seating) -> Response:
    return Response(seat_answer(seating))
