"""The wallet's HTTP API: balances and the statement."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet import selectors
from wallet.models import Transfer
from wallet.queries import Pages, StatementQuery


class BalanceSerializer(serializers.Serializer[Any]):
    """Whole numbers of the currency's smallest unit."""

    currency = serializers.CharField()
    free = serializers.IntegerField(help_text="What can be taken to a table.")
    in_play = serializers.IntegerField(help_text="What lies on stacks at tables and in pots not yet paid out.")


class WalletSerializer(serializers.Serializer[Any]):
    balances = BalanceSerializer(many=True)


class EntrySerializer(serializers.Serializer[Transfer]):
    """One change of the balance; amounts are whole numbers of the currency's smallest unit."""

    time = serializers.DateTimeField(source="posting.created_at")
    reason = serializers.CharField(source="posting.reason")
    what = serializers.CharField(source="posting.get_reason_display")
    reference = serializers.CharField(source="posting.key", help_text="The same for ever, and for nothing else.")
    currency = serializers.CharField(source="debit.currency")
    amount = serializers.IntegerField(source="signed", help_text="Below zero: paid. Above: received.")
    balance = serializers.IntegerField(help_text="What was free right afterwards.")


class WalletView(APIView):
    @extend_schema(operation_id="wallet", responses=WalletSerializer)
    def get(self, request: Request) -> Response:
        """One's own balances, one for each currency."""
        return Response({"balances": selectors.balances(_player(request))})


class StatementView(generics.ListAPIView[Transfer]):
    serializer_class = EntrySerializer
    pagination_class = Pages

    @extend_schema(operation_id="wallet_statement", parameters=[StatementQuery])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Everything that changed one's own balance in one currency, newest first."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        query = StatementQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        return selectors.statement(_player(self.request), **query.validated_data).select_related("debit")


def _player(request: Request) -> AbstractBaseUser:
    assert isinstance(request.user, AbstractBaseUser)
    return request.user
