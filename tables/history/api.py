"""API of a player's own finished deals: list, file, score sheet, replay, review and fairness proof."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.encoding import force_bytes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.history import proofs, score_sheet, selectors
from tables.history.filters import HistoryFileQuery, HistoryQuery
from tables.history.kept import as_response, kept
from tables.history.proofs import DealProof
from tables.history.replay import DealReplay, OwnReview, dealt_seats, finished_key, replay, review
from tables.history.score_sheet import SheetAnswer
from tables.history.selectors import HistoryEntry, history_takeout
from tables.models import Deal, DealSeat
from wallet.base.api import AnswersInPages, FileNegotiation, player_of, responses, sent_query, serializer_of
from wallet.finance.exports import file_responses
from wallet.finance.own_data import FILE_FORMATS


@extend_schema_view(get=extend_schema(parameters=[HistoryQuery]))
class History(AnswersInPages):
    """Return the player's scored deals that match the query, newest first."""

    serializer_class = serializer_of(HistoryEntry)
    answer = staticmethod(selectors.history_entry)
    queryset = DealSeat.objects.none()

    def get_queryset(self) -> Any:
        return selectors.finished_deals(player_of(self.request), **sent_query(HistoryQuery, self.request))


class HistoryFile(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(operation_id="history_file", parameters=[HistoryFileQuery], responses=file_responses(FILE_FORMATS))
    def get(self, request: Request) -> HttpResponseBase:
        """Return the player's scored deals of a period as a file, oldest first; its last line has their number."""
        return history_takeout(player_of(request), **sent_query(HistoryFileQuery, request))


class ScoreSheet(APIView):
    """The results of a table's deals."""

    @extend_schema(operation_id="table_sheet", responses=responses(SheetAnswer))
    def get(self, request: Request, table_id: int) -> Response:
        """Return the scored deals of the match (points and blind: the table's last 20), oldest first, and all hands of
        the last deal.

        Only for seated players and those who may watch the table.
        """
        return Response(score_sheet.sheet(table_id=table_id, user=player_of(request)))


def _kept_answer(request: Request, deal: Deal, what: str, make: Callable[[], Mapping[str, Any]]) -> HttpResponse:
    """Return what is told of a finished deal to one of its players; it is made only once."""
    player = player_of(request)
    names = tuple(each.seating.name for each in dealt_seats(deal))

    def rendered() -> bytes:
        return force_bytes(request.accepted_renderer.render(make(), request.accepted_media_type, {"request": request}))

    answer = kept((what, *finished_key(deal), player.pk, names), rendered, account=player.pk)
    return as_response(request, answer, "application/json")


class Replay(APIView):
    """A finished deal, step by step: the events that this player may see, and all hands."""

    @extend_schema(responses=responses(DealReplay))
    def get(self, request: Request, deal_id: int) -> HttpResponse:
        deal = selectors.own_deal(player_of(request), deal_id)
        return _kept_answer(request, deal, "replay", lambda: replay(deal, player_of(request)))


class Review(APIView):
    """A review of the player's own turns in a finished deal."""

    @extend_schema(responses=responses(OwnReview))
    def get(self, request: Request, deal_id: int) -> HttpResponse:
        """Return for each turn the fewest points before the draw, the best arrangement after it, whether it was a valid
        show, and who took the discard; then the best arrangement of the final hand.
        """
        deal = selectors.own_deal(player_of(request), deal_id)
        return _kept_answer(request, deal, "review", lambda: review(deal, player_of(request)))


class Proof(APIView):
    """The inputs with which anybody can recompute the shuffle of a finished deal."""

    @extend_schema(responses=responses(DealProof))
    def get(self, request: Request, deal_id: int) -> Response:
        proof, _story = proofs.checked_proof(selectors.own_deal(player_of(request), deal_id), player_of(request).pk)
        return Response(proof)
