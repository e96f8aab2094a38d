"""The lobby over HTTP (`/api/docs/`): the stakes, and the ways to a seat."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.stakes import open_tables, private_tables, schemas, selectors, services
from lobby.stakes.forms import LobbyFilterForm, OwnTableForm
from tables.models import Seating
from tables.play.seating import LEAST_BUY_IN
from wallet.base.api import NewestFirst, check_form, responses, sent_body


class Lobby(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="lobby", parameters=[schemas.LobbyQuery], responses=responses(schemas.LobbyAnswer, 400))
    def get(self, request: Request) -> Response:
        """Return the stakes on offer with their open tables; `min` and `max` bound the amount to sit down with."""
        form = LobbyFilterForm(request.query_params)
        check_form(form)
        return Response(schemas.LobbyAnswer(stakes=selectors.offered(form.stake_filter())))


class OldestFirst(NewestFirst):
    """The same pages, oldest row first."""

    ordering = "id"


class StakeTables(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="stake_tables",
        parameters=[OpenApiParameter("cursor", str)],
        responses=responses(schemas.OpenTablePage, 404),
    )
    def get(self, request: Request, stake_id: int) -> Response:
        """Return every open table of the stake, in pages."""
        pages = OldestFirst()
        tables = open_tables.all_tables(services.offered_stake(stake_id).pk)
        return pages.get_paginated_response(open_tables.describe(pages.paginate_queryset(tables, request) or []))


class TableSeat(APIView):
    @extend_schema(operation_id="sit", request=schemas.SitDown, responses=responses(schemas.SeatAnswer, 409))
    def post(self, request: Request, table_id: int) -> Response:
        """Take a seat at this table: any free one, or `seat`. Repeating the call returns the same seat."""
        wishes = _amount_and_seat(request)
        return _seat(services.sit_at(table_id=table_id, user=signed_in_player(request), **wishes))


class StakeSeat(APIView):
    @extend_schema(operation_id="quick_seat", request=schemas.SitDown, responses=responses(schemas.SeatAnswer, 409))
    def post(self, request: Request, stake_id: int) -> Response:
        """Take a free seat at any table of this stake; a new table opens when none has one."""
        wishes = _amount_and_seat(request)
        return _seat(services.quick_seat(stake_id=stake_id, user=signed_in_player(request), **wishes))


class FamilySeat(APIView):
    @extend_schema(operation_id="seat_in_family", request=None, responses=responses(schemas.SeatAnswer, 409))
    def post(self, request: Request, family: str) -> Response:
        """Take a seat at the best fun-chip table of the family: one with people, the soonest to play first."""
        return _seat(services.seat_in_family(family=family, user=signed_in_player(request)))


class Practice(APIView):
    @extend_schema(
        operation_id="practice", request=schemas.PracticeRequest, responses=responses(schemas.SeatAnswer, 409)
    )
    def post(self, request: Request) -> Response:
        """Open a practice table. `players` counts everybody there: the caller and the computer players."""
        player, body = signed_in_player(request), sent_body(schemas.PracticeRequest, request)
        return _seat(
            services.practice(
                user=player,
                book_key=body["book"],
                players=body["players"],
                strength=body["strength"],
                unhurried=body["unhurried"],
            )
        )


class Private(APIView):
    @extend_schema(
        operation_id="private_open",
        request=schemas.PrivateRequest,
        responses=responses(schemas.TableCode, 409, status=201),
    )
    def post(self, request: Request) -> Response:
        """Open a table that can be found only by its code: of a `stake`, or on one's own terms without a fee.
        Nobody is seated yet."""
        player, body = signed_in_player(request), sent_body(schemas.PrivateRequest, request)
        if "stake" in body:
            return Response(
                schemas.TableCode(code=services.open_private(stake_id=body["stake"], user=player)), status=201
            )
        form = OwnTableForm(body)
        check_form(form)
        stake, deals = form.instance, form.cleaned_data["deals"]
        return Response(
            schemas.TableCode(code=private_tables.open_own_table(user=player, stake=stake, deals=deals)), status=201
        )


class PrivateSeat(APIView):
    @extend_schema(operation_id="private_sit", request=schemas.SitDown, responses=responses(schemas.SeatAnswer, 409))
    def post(self, request: Request, code: str) -> Response:
        """Take a seat at the private table of this code."""
        wishes = _amount_and_seat(request)
        services.find_private_table(request._request, code)
        return _seat(services.sit_by_code(code=code, user=signed_in_player(request), **wishes))


def _amount_and_seat(request: Request) -> dict[str, Any]:
    body = sent_body(schemas.SitDown, request)
    return {"amount": body.get("buy_in") or LEAST_BUY_IN, "seat": body.get("seat")}


def _seat(seating: Seating) -> Response:
    return Response(schemas.SeatAnswer(table=seating.table_id, seat=seating.seat))
