"""API of a player's own finished deals: list, file, score sheet, replay, review and fairness proof."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.encoding import force_bytes
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.errors import TableError
from tables.history import proofs, score_sheet, selectors
from tables.history.download import history_takeout
from tables.history.filters import HistoryFileQuery, HistoryQuery
from tables.history.kept import as_response, kept
from tables.history.replay import dealt_seats, finished_key, replay, review
from tables.models import Deal, DealSeat
from wallet.base.api import FileNegotiation, NewestFirst, player_of, sent_query
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _


class HistoryEntry(serializers.ModelSerializer[DealSeat]):
    """One entry of a player's history: their part in a deal."""

    deal = serializers.IntegerField(source="deal_id")
    match = serializers.IntegerField(source="deal.match_id")
    table = serializers.IntegerField(source="deal.match.table_id")
    title = serializers.CharField(source="deal.match.table.title")
    book = serializers.CharField(source="deal.book")
    number = serializers.IntegerField(source="deal.number")
    currency = serializers.CharField(source="deal.match.table.currency")
    ended_at = serializers.DateTimeField(source="deal.ended_at")

    class Meta:
        model = DealSeat
        fields = [
            "deal", "match", "table", "title", "book", "number",
            "seat", "outcome", "points", "amount", "currency", "total", "ended_at",
        ]  # fmt: skip


class History(ListAPIView[DealSeat]):
    """The player's scored deals, newest first."""

    serializer_class = HistoryEntry
    pagination_class = NewestFirst
    queryset = DealSeat.objects.none()

    def get_queryset(self) -> Any:
        return selectors.finished_deals(player_of(self.request), **sent_query(HistoryQuery, self.request))

    @extend_schema(parameters=[HistoryQuery])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the player's scored deals that match the query, newest first."""
        return super().get(request, *args, **kwargs)


class HistoryFile(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="history_file",
        parameters=[HistoryFileQuery],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the player's scored deals of a period as a file, oldest first; its last line has their number."""
        return history_takeout(player_of(request), **sent_query(HistoryFileQuery, request))


def not_open_yet(part: DealSeat) -> TableError:
    """Return the refusal to show a deal whose shoe others may still play."""
    series = part.deal.match.table.shoe.series  # type: ignore[union-attr]
    until = format_moment(series.ends_at)
    message = _("Others may still play these cards: this deal is shown from {until} on.", until=until)
    return TableError("not_open_yet", message, status=403)


def _own_deal(request: Request, deal_id: int) -> Deal:
    deal = selectors.deal_of(player_of(request), deal_id)
    if deal is None and (sealed := selectors.part_in_sealed(player_of(request), deal_id)) is not None:
        raise not_open_yet(sealed)
    if deal is None:
        raise NotFound(_("There is no such deal among your finished ones."))
    return deal


_OBJECT = OpenApiResponse(response={"type": "object"})


class SheetRow(serializers.Serializer[Any]):
    """One player's result in one deal."""

    seat = serializers.IntegerField()
    name = serializers.CharField()
    outcome = serializers.CharField(help_text="won, lost, dropped, wrong or left")
    points = serializers.IntegerField()
    amount = serializers.IntegerField(help_text="Won or lost in this deal, in the smallest unit of the currency.")
    total = serializers.IntegerField(
        allow_null=True, help_text="Points or chips of the match after it, where it counts them."
    )


class ScoredRow(SheetRow):
    out = serializers.BooleanField(help_text="Out of the match with this deal.")
    rejoined = serializers.IntegerField(allow_null=True, help_text="Came back after this deal, with so many points.")


class OpenRow(SheetRow):
    groups = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    kinds = serializers.ListField(child=serializers.CharField())
    loose = serializers.ListField(child=serializers.CharField())
    why = serializers.CharField(help_text="How the points came about, in sentences; empty once it is no longer kept.")
    counted = serializers.DictField(child=serializers.IntegerField(), help_text="What each card counted that did.")


class ScoredDeal(serializers.Serializer[Any]):
    deal = serializers.IntegerField()
    number = serializers.IntegerField(
        help_text="Counts the deals of the match; in points and blind those of the table."
    )
    ended_at = serializers.DateTimeField()
    rows = ScoredRow(many=True)


class LastDeal(serializers.Serializer[Any]):
    deal = serializers.IntegerField()
    number = serializers.IntegerField()
    ended_at = serializers.DateTimeField()
    cut_joker = serializers.CharField(allow_null=True)
    wild_rank = serializers.IntegerField(allow_null=True)
    rows = OpenRow(many=True)


class SheetShape(serializers.Serializer[Any]):
    table = serializers.IntegerField()
    family = serializers.CharField()
    currency = serializers.CharField()
    limit = serializers.IntegerField(allow_null=True, help_text="Points that end the match for a player, in a pool.")
    deals = ScoredDeal(many=True)
    last = LastDeal(allow_null=True)


class ScoreSheet(APIView):
    """The results of a table's deals."""

    @extend_schema(operation_id="table_sheet", responses=SheetShape)
    def get(self, request: Request, table_id: int) -> Response:
        """Return the scored deals of the match (points and blind: the table's last 20), oldest first, and all hands of
        the last deal.

        Only for seated players and those who may watch the table.
        """
        return Response(score_sheet.sheet(table_id=table_id, user=player_of(request)))


def _kept_answer(request: Request, deal: Deal, what: str, make: Callable[[], dict[str, Any]]) -> HttpResponse:
    """Return what is told of a finished deal to one of its players; it is made only once."""
    player = player_of(request)
    names = tuple(each.seating.name for each in dealt_seats(deal))

    def rendered() -> bytes:
        return force_bytes(request.accepted_renderer.render(make(), request.accepted_media_type, {"request": request}))

    answer = kept((what, *finished_key(deal), player.pk, names), rendered, account=player.pk)
    return as_response(request, answer, "application/json")


class Replay(APIView):
    """A finished deal, step by step: the events that this player may see, and all hands."""

    @extend_schema(responses=_OBJECT)
    def get(self, request: Request, deal_id: int) -> HttpResponse:
        deal = _own_deal(request, deal_id)
        return _kept_answer(request, deal, "replay", lambda: replay(deal, player_of(request)))


class Review(APIView):
    """A review of the player's own turns in a finished deal."""

    @extend_schema(responses=_OBJECT)
    def get(self, request: Request, deal_id: int) -> HttpResponse:
        """Return for each turn the fewest points before the draw, the best arrangement after it, whether it was a valid
        show, and who took the discard; then the best arrangement of the final hand.
        """
        deal = _own_deal(request, deal_id)
        return _kept_answer(request, deal, "review", lambda: review(deal, player_of(request)))


class Proof(APIView):
    """The inputs with which anybody can recompute the shuffle of a finished deal."""

    @extend_schema(responses=_OBJECT)
    def get(self, request: Request, deal_id: int) -> Response:
        proof, _story = proofs.checked_proof(_own_deal(request, deal_id), player_of(request).pk)
        return Response(proof)
