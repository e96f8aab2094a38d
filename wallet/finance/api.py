"""The finance API: the ledger, its totals and its exports. Staff with the finance permission only."""

from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.base.api import FileNegotiation, NewestFirst, sent_query
from wallet.base.report_zone import zone
from wallet.finance.entries import find_entries
from wallet.finance.exports import download
from wallet.finance.figures import FIGURES, NOTES, Totals
from wallet.finance.permissions import Finance, NotFromElsewhere
from wallet.finance.queries import ExportQuery, LedgerQuery, PeriodQuery, PlacesQuery
from wallet.finance.totals import FEE_RULE, by_day, by_place, fees_by_player
from wallet.models import Transfer


class SideSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    reference = serializers.CharField()
    owner = serializers.IntegerField(source="owner_id", allow_null=True, help_text="The player's id.")


class TransferSerializer(serializers.Serializer[Transfer]):
    """One transfer; amounts are whole numbers of the currency's smallest unit."""

    id = serializers.IntegerField()
    time = serializers.DateTimeField(source="posting.created_at")
    key = serializers.CharField(source="posting.key")
    reason = serializers.CharField(source="posting.reason")
    line = serializers.IntegerField()
    currency = serializers.CharField(source="debit.currency")
    debit = SideSerializer()
    credit = SideSerializer()
    amount = serializers.IntegerField()
    debit_balance = serializers.IntegerField()
    credit_balance = serializers.IntegerField()
    seal = serializers.CharField()


class TotalsSerializer(serializers.Serializer[Any]):
    """The totals of a day or a place, in the currency's smallest unit."""

    transfers = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        figures = {name: serializers.IntegerField(help_text=NOTES[name]) for name in FIGURES}
        return {**super().get_fields(), **figures}


class DayTotalsSerializer(TotalsSerializer):
    day = serializers.DateField(help_text="In the report zone.")
    in_play = serializers.IntegerField(help_text="On stacks and in pots at the end of the day.")
    liabilities = serializers.IntegerField(help_text="Owed to players at the end of the day, in play or free.")


class PlaceTotalsSerializer(TotalsSerializer):
    reference = serializers.CharField(help_text="table:ID; seating:ID or match:ID where the table is not known.")
    table = serializers.IntegerField(allow_null=True)
    title = serializers.CharField(allow_blank=True)
    book = serializers.CharField(allow_blank=True)
    stake = serializers.CharField(allow_blank=True)


class DaysSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    zone = serializers.CharField()
    days = DayTotalsSerializer(many=True)


class PlacesSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    places = PlaceTotalsSerializer(many=True)


class PlayerFeesSerializer(serializers.Serializer[Any]):
    player = serializers.IntegerField(allow_null=True, help_text="The player's id; null for all computer players.")
    name = serializers.CharField()
    times = serializers.IntegerField(help_text="The deals and pots whose fee they bear or share.")
    fees = serializers.IntegerField(help_text=f"In the currency's smallest unit. {FEE_RULE}")


class FeesSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    players = PlayerFeesSerializer(many=True)


class LedgerView(generics.ListAPIView[Transfer]):
    serializer_class = TransferSerializer
    pagination_class = NewestFirst
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_ledger", parameters=[LedgerQuery])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the transfers that match the filters, newest first."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        return find_entries(**sent_query(LedgerQuery, self.request))


class DaysView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_days", parameters=[PeriodQuery], responses=DaysSerializer)
    def get(self, request: Request) -> Response:
        """Return the totals of every day of a period in one currency, newest first."""
        query = sent_query(PeriodQuery, request)
        days = by_day(query["period"], query["currency"])
        lines = [{"day": day, **_plain(totals)} for day, totals in days.items()]
        return Response({"currency": query["currency"], "zone": zone().key, "days": lines})


class PlacesView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_places", parameters=[PlacesQuery], responses=PlacesSerializer)
    def get(self, request: Request) -> Response:
        """Return the totals of every table, stake or book of a period in one currency, most fees first."""
        query = sent_query(PlacesQuery, request)
        lines = [line.as_dict() for line in by_place(query["period"], query["currency"], query["group"])]
        for line in lines:
            line.pop("in_play"), line.pop("liabilities")
        return Response({"currency": query["currency"], "places": lines})


class FeesView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_fees", parameters=[PeriodQuery], responses=FeesSerializer)
    def get(self, request: Request) -> Response:
        """Return the fees that each player bears in a period in one currency, most first."""
        query = sent_query(PeriodQuery, request)
        lines = [asdict(line) for line in fees_by_player(query["period"], query["currency"])]
        return Response({"currency": query["currency"], "players": lines})


class ExportView(APIView):
    permission_classes = [Finance, NotFromElsewhere]
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="finance_export",
        parameters=[ExportQuery],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the ledger of a period as a file, with control totals; the download is recorded with the user."""
        assert isinstance(request.user, AbstractBaseUser)
        return download(**sent_query(ExportQuery, request), by=request.user, via="API")


def _plain(totals: Totals) -> dict[str, Any]:
    return {name: getattr(totals, name) for name in ("transfers", *FIGURES, "in_play", "liabilities")}
