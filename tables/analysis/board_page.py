"""The page of the board: each answer is made from the text that was sent, and nothing is kept."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from rules.books import BOOKS
from tables.analysis import board
from tables.analysis.board_shown import shown_position
from tables.errors import TableError
from wallet.base.api import player_of
from wallet.language import gettext as _

_SEATS = range(6)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def board_page(request: HttpRequest) -> HttpResponse:
    """Show the board: empty, with a finished deal of one's own (`deal`, `event` in the query), or with the text sent.

    `do` in the form says what is asked of it: `step 5`, `open`, `set`, `file`, or a move.
    """
    board.count_request(player_of(request).pk)
    sent = {name: str(value) for name, value in request.POST.items()}
    try:
        return _page(request, **(_asked_for(request) if request.method == "GET" else _done(request, sent)))
    except TableError as refusal:
        fault: dict[str, Any] = {"fault": refusal.message, "text": sent.get("text", ""), "sent": sent}
        return _page(request, **fault, status=400)


def _asked_for(request: HttpRequest) -> dict[str, Any]:
    """Return the player's own finished deal that the query names; nothing without one. Raises Http404."""
    deal, event = request.GET.get("deal", ""), request.GET.get("event", "")
    if not deal:
        return {}
    if not (_is_number(deal) and (not event or _is_number(event))):
        raise Http404
    try:
        text, at, seat = board.deal_for_board(player_of(request), int(deal), int(event) if event else None)
    except TableError as refusal:
        raise Http404(refusal.message) from refusal
    return {"text": text, "at": at, "seat": seat, "hides": True}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 12


def _done(request: HttpRequest, sent: dict[str, str]) -> dict[str, Any]:
    """Return what the page shows after what was asked. TableError as the services raise it."""
    text, do, at = sent.get("text", ""), sent.get("do", ""), sent.get("at", "")
    seat = int(sent["seat"]) if sent.get("seat", "") in map(str, _SEATS) else 0
    place = int(at) if _is_number(at) else None
    if do == "file":
        text, place = _uploaded(request) or text, 0
    elif do == "open":
        text, place = board.opened(text), 0
    elif do == "set":
        hands = [sent.get(f"hand{each}", "") for each in _SEATS[: _players(sent)]]
        text, place = board.set_up(sent.get("book", ""), hands, sent.get("cut", ""), sent.get("stock", "")), 0
    elif do.startswith("step "):
        place = int(do[5:]) if _is_number(do[5:]) else place
    elif do and do != "show":
        text, place = board.answered(text, place, seat, do), None
    return {"text": text, "at": place, "seat": seat, "hides": "hides" in sent}


def _players(sent: dict[str, str]) -> int:
    number = sent.get("players", "2")
    return int(number) if number in ("2", "3", "4", "5", "6") else 2


def _uploaded(request: HttpRequest) -> str:
    """Return the text of the file that was sent. TableError `too_large`, `bad_notation`."""
    file = request.FILES.get("file")
    if file is None:
        return ""
    content = file.read(board.MOST_BYTES + 1)
    # Before it is decoded: what is cut off within a letter would be no text.
    board.check_size(content)
    try:
        return str(content, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError("bad_notation", _("This file is no text."), status=400) from error


def _page(
    request: HttpRequest,
    *,
    text: str = "",
    at: int | None = None,
    seat: int = 0,
    hides: bool = True,
    fault: str = "",
    sent: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    sent = sent or {}
    context: dict[str, Any] = {
        "text": text,
        "fault": fault,
        "books": BOOKS.values(),
        "sent": sent,
        "players": _players(sent),
        "sent_hands": [(each, sent.get(f"hand{each}", "")) for each in _SEATS],
    }
    if text and not fault:
        found = board.position(text, at)
        dealt = found.notation.dealt
        context["board"] = shown_position(found, seat if seat in dealt else dealt[0], hides=hides)
        context["given_seeds"] = found.notation.seed is not None
    return render(request, "tables/board.html", context, status=status)
