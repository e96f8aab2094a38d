"""API of a player's own finished deals in Rummy Deal Notation: one, and a whole history."""

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from tables.history import selectors as history
from tables.history.filters import HistoryQuery
from tables.notation.deals import as_file, whole_history
from wallet.base.api import FileNegotiation, player_of, sent_query


class InNotation(APIView):
    """A finished deal in Rummy Deal Notation, which `/api/notation/` explains."""

    content_negotiation_class = FileNegotiation

    @extend_schema(operation_id="deal_in_notation", responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request, deal_id: int) -> HttpResponse:
        player = player_of(request)
        return as_file(request, history.own_deal(player, deal_id), anonymous=False, account=player.pk)


class HistoryInNotation(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="history_in_notation",
        parameters=[HistoryQuery],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return the player's scored deals of a period in Rummy Deal Notation, oldest first.

        A ZIP with a file for each, sent as it is made.
        """
        return whole_history(player_of(request), **sent_query(HistoryQuery, request))
