"""The pages of tables: the table itself, one's history, and a finished deal told again."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from rules.books import book
from rules.cards import face, wild_rank
from rules.fairness import verify
from rules.game import REFUSALS
from rules.game.views import described
from rules.game.views.sentences import PASSING
from tables.history import fairness, selectors
from tables.history.download import history_takeout
from tables.history.replay import replay
from tables.models import Deal, Table
from tables.play import protocol
from tables.play.presence import may_watch
from tables.sockets.consumer import CLOSE_CODES
from wallet.base import report_zone
from wallet.finance.own_data import DownloadQuery

#: Deals on one page of the history.
PAGE = 25


@login_required
def table(request: HttpRequest, table_id: int) -> HttpResponse:
    """The table, for who sits or sat there and who may watch. All that happens on it comes over the socket."""
    row = get_object_or_404(Table, pk=table_id)
    assert request.user.pk is not None
    if not (may_watch(row, request.user.pk) or row.seatings.filter(user_id=request.user.pk).exists()):
        raise Http404
    return render(request, "tables/table.html", {"table": row, "table_id": row.pk})


def socket_protocol(request: HttpRequest) -> HttpResponse:
    """The table socket for programmers, told from the same data that parses the frames."""
    context = {
        "frames": protocol.described(),
        "limit": protocol.FRAME_LIMIT,
        "views": described.views(),
        "events": described.event_types(),
        "names": described.names(),
        "refusals": sorted(REFUSALS.items()),
        "closes": CLOSE_CODES,
    }
    return render(request, "tables/socket.html", context)


@login_required
def history(request: HttpRequest) -> HttpResponse:
    """The player's deals, scored or cancelled, newest first; `before` in the query asks for those before that entry."""
    entries = selectors.history_shown(request.user)
    before = request.GET.get("before", "")
    if before.isascii() and before.isdigit():
        entries = entries.filter(pk__lt=int(before))
    shown = list(entries[: PAGE + 1])
    older = shown[PAGE - 1].pk if len(shown) > PAGE else None
    return render(request, "tables/history.html", {"entries": shown[:PAGE], "older": older, "later": bool(before)})


@login_required
@require_GET
def history_file(request: HttpRequest) -> HttpResponseBase:
    """The deals of the period asked for as a file; back to the page where asked wrongly."""
    asked = {name: text for name, text in request.GET.items() if text}
    query = DownloadQuery(data=asked, context={"zone": report_zone.zone()})
    if not query.is_valid():
        messages.error(request, "Such a period or format cannot be downloaded.")
        return redirect("tables:history")
    return history_takeout(request.user, **query.validated_data)


@login_required
def deal(request: HttpRequest, deal_id: int) -> HttpResponse:
    """One finished deal of the player's: result, every hand, what happened, and the proof of its shuffle."""
    row = selectors.deal_of(request.user, deal_id)
    if row is None:
        raise Http404
    told = replay(row, request.user)
    names = {each["seat"]: each["name"] for each in told["seats"]}
    log = [event["text"] for event in told["events"] if "text" in event and event["type"] not in PASSING]
    proof = fairness.proof(row)
    cut = proof["cut_joker"]
    context = {
        "deal": row,
        "told": told,
        "rows": _rows(row),
        "names": names,
        "log": log,
        "proof": proof,
        "honest": not verify(proof),
        "book": book(row.book, row.book_version),
        "cut": face(cut) if cut else None,
        "wild": wild_rank(face(cut)) if cut else 0,
    }
    return render(request, "tables/deal.html", context)


def _rows(row: Deal) -> list[dict[str, Any]]:
    """The result's rows with the faces of the cards, group by group."""
    rows = []
    for each in row.result or []:
        groups = [
            {"kind": kind, "cards": [face(card) for card in group]}
            for group, kind in zip(each["groups"], each["kinds"], strict=True)
        ]
        if each["loose"]:
            groups.append({"kind": "loose", "cards": [face(card) for card in each["loose"]]})
        rows.append({**each, "groups": groups})
    return sorted(rows, key=lambda each: (each["outcome"] != "won", each["points"]))
