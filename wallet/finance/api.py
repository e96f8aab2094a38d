"""The finance API: the ledger, its totals and its exports. Staff with the finance permission only."""

from typing import Any, TypedDict

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.base.api import AnswersInPages, FileNegotiation, player_of, responses, sent_query, serializer_of
from wallet.base.report_zone import zone
from wallet.finance.entries import LedgerEntry, find_entries, ledger_entry
from wallet.finance.exports import download, file_responses
from wallet.finance.permissions import Finance, NotFromElsewhere
from wallet.finance.queries import ExportQuery, LedgerQuery, PeriodQuery, PlacesQuery
from wallet.finance.totals import DayTotals, PlaceTotalsAnswer, PlayerFees, by_day, by_place, fees_by_player


class DaysReport(TypedDict):
    currency: str
    zone: str
    days: list[DayTotals]


class PlacesReport(TypedDict):
    currency: str
    places: list[PlaceTotalsAnswer]


class FeesReport(TypedDict):
    currency: str
    players: list[PlayerFees]


@extend_schema_view(get=extend_schema(operation_id="finance_ledger", parameters=[LedgerQuery]))
class LedgerView(AnswersInPages):
    """Return the transfers that match the filters, newest first."""

    serializer_class = serializer_of(LedgerEntry)
    answer = staticmethod(ledger_entry)
    permission_classes = [Finance]

    def get_queryset(self) -> Any:
        return find_entries(**sent_query(LedgerQuery, self.request))


class DaysView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_days", parameters=[PeriodQuery], responses=responses(DaysReport))
    def get(self, request: Request) -> Response:
        """Return the totals of every day of a period in one currency, newest first."""
        query = sent_query(PeriodQuery, request)
        days = by_day(query["period"], query["currency"])
        answer = DaysReport(currency=query["currency"], zone=zone().key, days=list(days.values()))
        return Response(serializer_of(DaysReport)(answer).data)


class PlacesView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_places", parameters=[PlacesQuery], responses=responses(PlacesReport))
    def get(self, request: Request) -> Response:
        """Return the totals of every table, stake or book of a period in one currency, most fees first."""
        query = sent_query(PlacesQuery, request)
        lines = [line.answer() for line in by_place(query["period"], query["currency"], query["group"])]
        answer = PlacesReport(currency=query["currency"], places=lines)
        return Response(serializer_of(PlacesReport)(answer).data)


class FeesView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_fees", parameters=[PeriodQuery], responses=responses(FeesReport))
    def get(self, request: Request) -> Response:
        """Return the fees that each player bears in a period in one currency, most first."""
        query = sent_query(PeriodQuery, request)
        lines = fees_by_player(query["period"], query["currency"])
        return Response(serializer_of(FeesReport)(FeesReport(currency=query["currency"], players=lines)).data)


class ExportView(APIView):
    permission_classes = [Finance, NotFromElsewhere]
    content_negotiation_class = FileNegotiation

    @extend_schema(operation_id="finance_export", parameters=[ExportQuery], responses=file_responses())
    def get(self, request: Request) -> HttpResponseBase:
        """Return the ledger of a period as a file, with control totals; the download is recorded with the user."""
        return download(**sent_query(ExportQuery, request), by=player_of(request), via="API")
