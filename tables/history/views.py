"""The pages of tables: the table itself, a player's history, and finished deals."""

from csp.decorators import csp_replace
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET, require_POST
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from rules.books import BOOKS
from rules.game import REFUSALS
from tables import typings
from tables.errors import TableError
from tables.history import fairness, filters, selectors, sharing
from tables.history.deal_page import Onlooker, deal_context
from tables.history.download import history_takeout
from tables.history.filters import HistoryFileQuery, HistoryQuery
from tables.models import Table
from tables.play import protocol
from tables.play.presence import may_watch
from tables.play.seating import own_seatings
from tables.sockets.consumer import CLOSE_CODES
from wallet.base import report_zone
from wallet.base.api import NewestFirst, filled_in, player_of
from wallet.language import worded


class HistoryPages(NewestFirst):
    """Pages of 25 entries, half as many as in the API, by when the deal ended."""

    page_size = 25
    ordering = ("-ended_at", "-id")

    def is_position(self, text: str) -> bool:
        try:
            return parse_datetime(text) is not None
        except ValueError:
            return False


@login_required
def own_tables(request: HttpRequest) -> HttpResponse:
    """Show all tables of the player side by side, each in a frame, with a tray of their clocks.

    `front` in the query says which to show first. Redirects to the table if there is only one, and to the lobby if
    there is none.
    """
    seats = selectors.seats_of(player_of(request))
    if not seats:
        return redirect("lobby:lobby")
    if len(seats) == 1:
        return redirect("tables:table", seats[0]["table"])
    front_id = request.GET.get("front", "")
    front = next((seat["table"] for seat in seats if str(seat["table"]) == front_id), seats[0]["table"])
    seats.sort(key=lambda seat: seat["table"])
    return render(
        request, "tables/own_tables.html", {"seats": seats, "front": front, "more": selectors.has_free_hand(seats)}
    )


@login_required
def table(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """Show the table to users who sit or sat there or may watch. Its content arrives over the socket.

    A player with several tables is redirected to the page of all of them, which loads each `framed`: only this variant
    may be in a frame, and only of this site.
    """
    assert request.user.pk is not None
    row = get_object_or_404(Table, pk=table_id)
    if not (may_watch(row, request.user.pk) or row.seatings.filter(user_id=request.user.pk).exists()):
        raise Http404
    if "framed" in request.GET:
        return _framed_table(request, row)  # type: ignore[call-arg]
    own = {seating.table_id for seating in own_seatings(request.user.pk)}
    if len(own) > 1 and table_id in own:
        return redirect(f"{reverse('tables:own_tables')}?front={table_id}")
    return _table_page(request, row)


def _table_page(request: HttpRequest, row: Table) -> HttpResponse:
    return render(request, "tables/table.html", {"table": row, "table_id": row.pk})


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": ["'self'"]})  # type: ignore[arg-type]
def _framed_table(request: HttpRequest, row: Table) -> HttpResponse:
    return _table_page(request, row)


def socket_protocol(request: HttpRequest) -> HttpResponse:
    """Show programmers the protocol of the table socket, made from the same data that parses the frames."""
    context = {
        "frames": protocol.described(),
        "limit": protocol.FRAME_LIMIT,
        "views": typings.views(),
        "events": typings.event_types(),
        "names": typings.names(),
        "refusals": sorted(REFUSALS.items()),
        "closes": CLOSE_CODES,
    }
    return render(request, "tables/socket.html", context)


@login_required
def history(request: HttpRequest) -> HttpResponse:
    """Show the player's scored and cancelled deals that match the query, newest first, and their totals.

    With a wrong query, show all deals and the fault.
    """
    query = HistoryQuery(data=filled_in(request.GET), context={"zone": report_zone.zone()})
    filters_chosen = query.validated_data if query.is_valid() else {}
    player = player_of(request)
    pages, offered = HistoryPages(), filters.tables_offered(player)
    try:
        entries = pages.paginate_queryset(selectors.history_shown(player, **filters_chosen), Request(request)) or []
    except NotFound as error:
        raise Http404 from error
    sums = filters.deal_sums(player, **filters_chosen)
    if "table" in filters_chosen:
        offered.setdefault(filters_chosen["table"], worded("Table {table}", table=filters_chosen["table"]))
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
    query = HistoryFileQuery(data=filled_in(request.GET), context={"zone": report_zone.zone()})
    if not query.is_valid():
        messages.error(request, worded("Such a period or format cannot be downloaded."))
        return redirect("tables:history")
    return history_takeout(player_of(request), **query.validated_data)


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
        context["proof"], context["honest"] = fairness.checked_proof(row, account)
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
            messages.success(request, worded("The link leads nowhere any more."))
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
