"""The pages of live tables: one, all of a player's, one to watch (as API too); and what the socket speaks."""

from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from rules.game import REFUSALS
from tables import typings
from tables.errors import TableError
from tables.history import selectors as history
from tables.models import Table
from tables.play import protocol
from tables.play.presence import may_watch
from tables.play.seating import own_seatings
from tables.sockets.base import CLOSE_CODES, OWN_REFUSALS
from tables.watching.pictures import WatchFrame, picture, see
from tables.watching.scripts import script_of
from wallet.base.api import player_of, responses


@login_required
def own_tables(request: HttpRequest) -> HttpResponse:
    """Show all tables of the player side by side, each in a frame, with a tray of their clocks.

    `front` in the query says which to show first. Redirects to the table if there is only one, and to the lobby if
    there is none.
    """
    seats = history.seats_of(player_of(request))
    if not seats:
        return redirect("lobby:lobby")
    if len(seats) == 1:
        return redirect("tables:table", seats[0]["table"])
    front_id = request.GET.get("front", "")
    front = next((seat["table"] for seat in seats if str(seat["table"]) == front_id), seats[0]["table"])
    seats.sort(key=lambda seat: seat["table"])
    return render(
        request, "tables/own_tables.html", {"seats": seats, "front": front, "more": history.has_free_hand(seats)}
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


@login_required
@require_GET
def watch(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show the page, whose content arrives over its socket; where nobody may watch, say why."""
    refusal = ""
    try:
        see(table_id)
    except TableError as error:
        if error.status == 404:
            raise
        refusal = error.message
    context = {"table": Table.objects.get(pk=table_id), "refusal": refusal}
    return render(request, "tables/watch.html", context, status=403 if refusal else 200)


class Watch(APIView):
    """A table, watched one deal behind with all hands open."""

    @extend_schema(operation_id="table_watch", responses=responses(WatchFrame, 403, 404))
    def get(self, request: Request, table_id: int) -> HttpResponse:
        """Return what is to be seen now: of the deal before the running one the steps that are due, and how the table
        stands. `watching_forbidden` at private and practice tables, and where somebody hides their hands.
        """
        found = see(table_id)
        shown, account = found.shown, player_of(request).pk
        script = None if shown is None else script_of(shown.deal_id, account=account)
        return HttpResponse(picture(found, script, found.now), content_type="application/json")


def socket_protocol(request: HttpRequest) -> HttpResponse:
    """Show programmers the protocol of the table socket, made from the same data that parses the frames."""
    context = {
        "frames": protocol.described(),
        "limit": protocol.FRAME_LIMIT,
        "views": typings.views(),
        "events": typings.event_types(),
        "names": typings.names(),
        "refusals": sorted({**REFUSALS, **OWN_REFUSALS}.items()),
        "closes": CLOSE_CODES,
    }
    return render(request, "tables/socket.html", context)
