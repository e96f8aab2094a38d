"""The wallet's HTTP API: balances and the statement."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.base.api import FileNegotiation, NewestFirst, StatementQuery, player_of, sent_query
from wallet.finance.own_data import StatementFileQuery, statement_takeout
from wallet.ledger import selectors as ledger
from wallet.models import Transfer
from wallet.play_money import refills


class BalanceSerializer(serializers.Serializer[Any]):
    """Balances as whole numbers of the currency's smallest unit."""

    currency = serializers.CharField()
    free = serializers.IntegerField(help_text="What can be taken to a table.")
    in_play = serializers.IntegerField(help_text="What lies on stacks at tables and in pots not yet paid out.")


class RefillSerializer(serializers.Serializer[Any]):
    """The daily refill of fun chips; those at tables count towards its level."""

    level = serializers.IntegerField(help_text="Up to how many chips.")
    amount = serializers.IntegerField(help_text="What a refill would give now; 0: none to be had.")
    again_at = serializers.DateTimeField(
        allow_null=True, help_text="Where today's has been had: from when on the next."
    )


class WalletSerializer(serializers.Serializer[Any]):
    balances = BalanceSerializer(many=True)


class GivenSerializer(RefillSerializer, WalletSerializer):
    given = serializers.IntegerField(help_text="What today's refill gave, in chips.")


class EntrySerializer(serializers.Serializer[Transfer]):
    """One change of the balance; amounts are whole numbers of the currency's smallest unit."""

    time = serializers.DateTimeField(source="posting.created_at")
    reason = serializers.CharField(source="posting.reason")
    what = serializers.CharField(source="posting.get_reason_display")
    reference = serializers.CharField(source="posting.key", help_text="The same for ever, and for nothing else.")
    currency = serializers.CharField(source="debit.currency")
    amount = serializers.IntegerField(source="signed", help_text="Below zero: paid. Above: received.")
    balance = serializers.IntegerField(help_text="What was free right afterwards.")
    table = serializers.IntegerField(source="posting.at_table", allow_null=True, help_text="None: not made in play.")
    title = serializers.CharField(source="posting.at_title", help_text="Of the table; empty where there is none.")
    stake = serializers.IntegerField(source="posting.at_stake", allow_null=True)
    match = serializers.IntegerField(source="posting.at_match", allow_null=True)
    deal = serializers.IntegerField(source="posting.at_deal", allow_null=True)


class WalletView(APIView):
    @extend_schema(operation_id="wallet", responses=WalletSerializer)
    def get(self, request: Request) -> Response:
        """Return one's own balances, one for each currency."""
        return Response({"balances": ledger.balances(player_of(request))})


class RefillView(APIView):
    @extend_schema(operation_id="wallet_refill_offer", responses=RefillSerializer)
    def get(self, request: Request) -> Response:
        """Return what a refill would give now."""
        return Response(RefillSerializer(refills.offer(player_of(request))).data)

    @extend_schema(
        operation_id="wallet_refill",
        request=None,
        responses={200: GivenSerializer, (409, "application/json"): OpenApiResponse(description="`no_refill`")},
    )
    def post(self, request: Request) -> Response:
        """Refill one's fun chips, once a day. Further calls on that day return the same answer and give nothing."""
        user = player_of(request)
        amount, offer = refills.refill(user), refills.offer(user)
        content = {"given": amount, "balances": ledger.balances(user), **asdict(offer)}
        return Response(GivenSerializer(content).data)


class StatementView(generics.ListAPIView[Transfer]):
    serializer_class = EntrySerializer
    pagination_class = NewestFirst

    @extend_schema(operation_id="wallet_statement", parameters=[StatementQuery])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return all changes of one's own balance in one currency, newest first."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        query = StatementQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        return ledger.statement(player_of(self.request), **query.validated_data).select_related("debit")


class StatementFileView(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="wallet_statement_file",
        parameters=[StatementFileQuery],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return one's own statement of a period as a file, oldest entry first; its last line counts the entries."""
        return statement_takeout(player_of(request), **sent_query(StatementFileQuery, request))
