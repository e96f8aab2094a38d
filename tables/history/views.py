"""A player's history and figures, and finished deals: pages, files and API."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.encoding import force_bytes
from django.views.decorators.http import require_GET, require_POST
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rules.books import BOOKS
from rules.game import Outcome
from tables.errors import TableError
from tables.history import filters, plots, proofs, score_sheet, selectors, sharing
from tables.history.deal_page import Onlooker, deal_context
from tables.history.figures import TENS, figures_of
from tables.history.filters import HistoryFileQuery, HistoryQuery
from tables.history.kept import as_response, kept
from tables.history.proofs import DealProof
from tables.history.replay import DealReplay, OwnReview, dealt_seats, finished_key, replay, review
from tables.history.score_sheet import SheetAnswer
from tables.history.selectors import HistoryEntry, history_takeout
from tables.language import outcome_name
from tables.models import Deal, DealSeat
from wallet.base import report_zone
from wallet.base.api import (
    AnswersInPages,
    FileNegotiation,
    NewestFirst,
    filled_in,
    player_of,
    responses,
    sent_query,
    serializer_of,
)
from wallet.finance.exports import file_responses
from wallet.finance.own_data import FILE_FORMATS, file_or_page
from wallet.language import gettext as _, gettext_lazy


class HistoryPages(NewestFirst):
    """Pages of 25 entries, half as many as in the API, by when the deal ended."""

    page_size = 25
    ordering = ("-ended_at", "-id")

    def is_position(self, text: str) -> bool:
        try:
            moment = parse_datetime(text)
        except ValueError:
            return False
        # As our own links have it; in another zone it may lie beyond the calendar.
        return moment is not None and moment.utcoffset() == timedelta()


@login_required
def history(request: HttpRequest) -> HttpResponse:
    """Show the player's scored and cancelled deals that match the query, newest first, and their totals.

    With a wrong query, show all deals and the fault.
    """
    query = HistoryQuery(data=filled_in(request.GET), context={"zone": report_zone.zone()})
    filters_chosen = query.validated_data if query.is_valid() else {}
    player = player_of(request)
    pages, offered = HistoryPages(), filters.tables_offered(player)
    entries = pages.paginate_queryset(selectors.history_shown(player, **filters_chosen), Request(request)) or []
    sums = filters.deal_sums(player, **filters_chosen)
    if "table" in filters_chosen:
        offered.setdefault(filters_chosen["table"], _("Table {table}", table=filters_chosen["table"]))
    context = {
        "query": query,
        "asked": filters_chosen,
        "filtered": any(value is not None for value in filters_chosen.values()),
        "games": BOOKS.values(),
        "tables": offered,
        "outcomes": filters.OUTCOMES,
        "entries": entries,
        "ends": selectors.matches_ended(player, entries),
        "sums": sums,
        "scored": sum(each.deals for each in sums),
        "cancelled": filters.cancelled(player, **filters_chosen),
        "newer": pages.get_previous_link(),
        "older": pages.get_next_link(),
    }
    return render(request, "tables/history.html", context)


@login_required
@require_GET
def history_file(request: HttpRequest) -> HttpResponseBase:
    """Return the deals that match the query as a file; with a wrong query redirect to the page of the history."""
    return file_or_page(request, HistoryFileQuery, history_takeout, "tables:history")


@login_required
@require_GET
def deal(request: HttpRequest, deal_id: int) -> HttpResponse:
    """Show one finished deal of the player: its steps, the result, a review of their turns, and the proof."""
    row = selectors.deal_of(player_of(request), deal_id)
    if row is None:
        return _sealed(request, deal_id)
    seat = row.seats.values_list("seat", flat=True).get(user_id=request.user.pk)
    account = player_of(request).pk
    context = deal_context(row, Onlooker("player", seat=seat, account=account))
    share = sharing.share_of(player_of(request), row)
    link = request.build_absolute_uri(reverse("tables:shared", args=[share.token])) if share is not None else ""
    if not context["gone"]:
        context["proof"], context["honest"] = proofs.checked_proof(row, account)
    context |= {"share": share, "link": link}
    return render(request, "tables/deal.html", context, status=410 if context["gone"] else 200)


def _sealed(request: HttpRequest, deal_id: int) -> HttpResponse:
    """Show only the result of a deal of the player's whose shoe others may still play; 404 for any other."""
    part = selectors.part_in_sealed(player_of(request), deal_id)
    if part is None:
        raise Http404
    series = part.deal.match.table.shoe.series  # type: ignore[union-attr]
    return render(request, "tables/deal_sealed.html", {"part": part, "deal": part.deal, "series": series})


@login_required
@require_POST
def share(request: HttpRequest, deal_id: int) -> HttpResponse:
    """Create or revoke a link to the deal, and redirect to its page."""
    try:
        if request.POST.get("do") == "revoke":
            sharing.revoke_share(player_of(request), deal_id)
            messages.success(request, _("The link leads nowhere any more."))
        else:
            sharing.share_deal(player_of(request), deal_id, names_hidden=request.POST.get("names") == "hidden")
    except TableError as refusal:
        raise Http404 from refusal
    return redirect(f"{reverse('tables:deal', args=[deal_id])}#share")


@require_GET
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show a finished deal to anybody who has the link, without amounts, proof, or links to its players."""
    link = sharing.shared_by(token)
    if link is None:
        raise Http404
    context = deal_context(link.deal, Onlooker("link", names_hidden=link.names_hidden, account=request.user.pk))
    context["token"] = token
    page = render(request, "tables/deal.html", context, status=410 if context["gone"] else 200)
    page["X-Robots-Tag"] = "noindex"
    return page


#: The values of `chips` in the query: the words for it, the currency, and whether it is practice.
CHIPS = {
    "stakes": (gettext_lazy("Chips at stakes"), "FUN", False),
    "practice": (gettext_lazy("Practice chips"), "FUN", True),
}
#: The values of `days` in the query, and the words for each; an empty one means all days.
PERIODS = {
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "365": gettext_lazy("A year"),
    "": gettext_lazy("All time"),
}
#: The most days listed in numbers beside the plot, latest first.
DAYS_TOLD = 60


@login_required
@require_GET
def figures(request: HttpRequest) -> HttpResponse:
    """Show the player's figures for the `chips` and `days` of the query; by default at stakes, of all time."""
    chips = request.GET.get("chips", "")
    chips = chips if chips in CHIPS else "stakes"
    days = request.GET.get("days", "")
    days = days if days in PERIODS else ""
    _, currency, practice = CHIPS[chips]
    own = figures_of(player_of(request), currency=currency, practice=practice, since=_midnight_before(days))
    curve = plots.curve_of(own.days)
    context: dict[str, Any] = {
        "chips": chips,
        "offered": {key: words for key, (words, *_) in CHIPS.items()},
        "days": days,
        "periods": PERIODS,
        "currency": currency,
        "practice": practice,
        "own": own,
        "curve": curve,
        "told": curve.days[: -DAYS_TOLD - 1 : -1] if curve else [],
        "outcomes": plots.columns_of([(outcome_name(outcome), getattr(own.total, outcome)) for outcome in Outcome]),
        "caught": plots.columns_of([(str(10 * ten), own.caught[ten]) for ten in range(TENS)]),
        "width": plots.WIDTH,
        "height": plots.HEIGHT,
    }
    return render(request, "tables/figures.html", context)


def _midnight_before(days: str) -> Any:
    """Return when the first of that number of days began, today the last; None where it is empty, for all days."""
    if not days:
        return None
    return report_zone.midnight(report_zone.today() - timedelta(days=int(days) - 1))


# --- the API ----------------------------------------------------------------------------------------------------------


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
