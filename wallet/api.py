"""The wallet's HTTP API: balances and the statement."""

from typing import Annotated, Any, TypedDict

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.base.api import (
    AnswersInPages,
    FileNegotiation,
    StatementQuery,
    player_of,
    responses,
    sent_query,
    serializer_of,
)
from wallet.finance.exports import file_responses
from wallet.finance.own_data import FILE_FORMATS, StatementFileQuery, statement_takeout
from wallet.ledger import selectors as ledger
from wallet.ledger.selectors import Balance
from wallet.ledger.statements import StatementEntry, statement, statement_entry
from wallet.play_money import refills
from wallet.play_money.refills import RefillOffer


class WalletAnswer(TypedDict):
    balances: list[Balance]


class RefillAnswer(RefillOffer, WalletAnswer):
    given: Annotated[int, "What today's refill gave, in chips."]


class WalletView(APIView):
    @extend_schema(operation_id="wallet", responses=responses(WalletAnswer))
    def get(self, request: Request) -> Response:
        """Return one's own balances, one for each currency."""
        return Response(WalletAnswer(balances=ledger.balances(player_of(request))))


class RefillView(APIView):
    @extend_schema(operation_id="wallet_refill_offer", responses=responses(RefillOffer))
    def get(self, request: Request) -> Response:
        """Return what a refill would give now."""
        return Response(refills.offer(player_of(request)))

    @extend_schema(operation_id="wallet_refill", request=None, responses=responses(RefillAnswer, 409))
    def post(self, request: Request) -> Response:
        """Refill one's fun chips, once a day. Further calls on that day return the same answer and give nothing.

        `no_refill`.
        """
        user = player_of(request)
        given, offer = refills.refill(user), refills.offer(user)
        return Response(RefillAnswer(**offer, balances=ledger.balances(user), given=given))


@extend_schema_view(get=extend_schema(operation_id="wallet_statement", parameters=[StatementQuery]))
class StatementView(AnswersInPages):
    """Return all changes of one's own balance in one currency, newest first."""

    serializer_class = serializer_of(StatementEntry)
    answer = staticmethod(statement_entry)

    def get_queryset(self) -> Any:
        query = StatementQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        return statement(player_of(self.request), **query.validated_data).select_related("debit", "credit")


class StatementFileView(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="wallet_statement_file", parameters=[StatementFileQuery], responses=file_responses(FILE_FORMATS)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return one's own statement of a period as a file, oldest entry first; its last line counts the entries."""
        return statement_takeout(player_of(request), **sent_query(StatementFileQuery, request))
