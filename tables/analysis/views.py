"""The pages of analysis: a player's own part in a finished deal as a story, and the board.

Each answer of the board is made from the text that was sent, and nothing is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from rules.analysis.board import acting_seat
from rules.books import BOOKS, book
from rules.cards import Card, face
from rules.game import Phase, Standing, TableState, legal_moves, view_for
from rules.game.codec import dump_event
from rules.game.views import redact
from rules.game.views.sentences import PASSING, sentence
from rules.notation import UNNAMED
from rules.solver.search import best
from tables.analysis import board, services, story
from tables.analysis.board import Position
from tables.errors import TableError
from tables.history import selectors as history
from tables.language import outcome_name, translated, translated_name
from tables.models import Deal
from wallet.base.api import player_of
from wallet.language import gettext as _

#: Cards of the open pile that are shown, the top one last.
_OPEN_SHOWN: Final = 3
_SEATS = range(6)


@login_required
@require_http_methods(["GET", "POST"])
def analysis(request: HttpRequest, deal_id: int) -> HttpResponseBase:
    """Show the analysis of one's own part in a finished deal: what it will be, how far it is, or the story.

    A POST asks for it.
    """
    deal = history.own_deal(player_of(request), deal_id)
    if request.method == "POST":
        try:
            services.ask(player_of(request), deal_id)
        except TableError as refusal:
            messages.error(request, refusal.message)
        return redirect("tables:analysis", deal_id)
    return render(request, "tables/analysis/analysis.html", _context(request, deal))


@login_required
@require_GET
@never_cache
def analysis_now(request: HttpRequest, deal_id: int) -> HttpResponse:
    """Show how far the analysis is, or the story, alone: for the open page, which asks again."""
    return render(
        request, "tables/analysis/part.html", _context(request, history.own_deal(player_of(request), deal_id))
    )


def _context(request: HttpRequest, deal: Deal) -> dict[str, Any]:
    found = services.analysis_of(player_of(request), deal)
    context: dict[str, Any] = {
        "deal": deal,
        "book": book(deal.book, deal.book_version),
        "analysis": found,
        "state": story.state_of(found),
        "samples": services.SAMPLES,
    }
    if found is None:
        return {**context, "left": services.left_today(player_of(request)), "most": services.MOST_A_DAY}
    return context if found.done_at is None else {**context, **story.story_of(found)}


# --- the board --------------------------------------------------------------------------------------------------------


def shown_position(position: Position, seat: int, *, hides: bool) -> dict[str, Any]:
    """Return the template context; with `hides` the other hands lie face down until the deal is over."""
    state, acts = position.state, position.acts
    moves = _moves(state, seat) if acts == seat else []
    deal = state.current
    pile = [face(entry.card) for entry in deal.open_pile]
    names = {each: _shown_name(name or "-") for each, name in enumerate(position.notation.players)}
    closed_eyes = hides and acts is not None
    return {
        "at": position.at,
        "last": len(position.notation.moves),
        "book": state.book,
        "seat": seat,
        "hides": hides,
        "wild": deal.wild,
        "cut": face(deal.cut) if deal.cut else None,
        "closed": len(deal.closed),
        "open": pile[-_OPEN_SHOWN:] if state.book.open_pile else [],
        "open_count": len(pile),
        "finish": face(deal.finished.card) if deal.finished and deal.finished.card and not closed_eyes else None,
        "hands": [
            _hand(state, each, names[each], acts, open_=each == seat or not closed_eyes) for each in sorted(deal.order)
        ],
        "moves": moves,
        "discards": any("is_discard" in move for move in moves),
        "waits": acts is not None and acts != seat,
        "over": acts is None,
        "acts": None if acts is None else names[acts],
        "log": _log(position, names, seat if hides and _acts_at_end(position) else None),
    }


def _shown_name(name: str) -> str:
    """Return a name of the text as the page shows it: who has none is numbered there, in English."""
    return _("Player {place}", place=UNNAMED.index(name) + 1) if name in UNNAMED else translated_name(name)


def _acts_at_end(position: Position) -> bool:
    return acting_seat(position.steps[-1][1].state) is not None


def _hand(state: TableState, seat: int, name: str, acts: int | None, *, open_: bool) -> dict[str, Any]:
    hand = state.current.hand(seat)
    return {
        "seat": seat,
        "name": name,
        "turn": acts == seat,
        "standing": _standing_name(hand.standing),
        "points": hand.points,
        "cards": len(hand.cards),
        "groups": _groups(state, hand.cards) if open_ else [],
        "open": open_,
    }


def _standing_name(standing: Standing) -> str:
    if standing is Standing.IN:
        return ""
    if standing is Standing.SUBMITTED:
        return _("Submitted")
    return outcome_name(Standing.WRONG if standing is Standing.LEFT_SHOW else standing)


def _groups(state: TableState, cards: Sequence[Card]) -> list[list[str]]:
    """Return the faces of a hand as they lie best, loose ones last."""
    arranged = best(state.book, state.current.wild, cards)
    loose = [*arranged.loose, *([arranged.discard] if arranged.discard else [])]
    laid = [*arranged.groups, loose] if loose else [*arranged.groups]
    return [[face(card) for card in group] for group in laid]


def _moves(state: TableState, seat: int) -> list[dict[str, Any]]:
    """Return what the player may do now: for a button each, the words, the card and what is sent."""
    if state.phase is not Phase.PLAYING:
        return []
    names, deal, hand = legal_moves(state, seat), state.current, state.current.hand(seat)
    moves: list[dict[str, Any]] = []
    if "draw" in names:
        moves.append({"says": _("Draw from the closed deck"), "do": "draw closed"})
        top = deal.open_top
        me = view_for(state, seat, 0)["me"]
        if top is not None and me is not None and me["pickable_open"]:
            moves.append({"says": _("Pick"), "face": face(top.card), "do": "draw open"})
    if "drop" in names:
        moves.append({"says": _("Drop"), "do": "drop"})
    if "finish" in names:
        arranged = best(state.book, deal.wild, hand.cards)
        if arranged.valid:
            card = arranged.discard
            moves.append({"says": _("Show"), "face": card and face(card), "do": f"finish {card or ''}".strip()})
    if "discard" in names:
        by_face = {face(card): card for card in hand.cards}
        for shown_face, card in sorted(by_face.items(), key=lambda each: (each[0][-1], each[0])):
            moves.append({"says": _("Discard"), "face": shown_face, "do": f"discard {card}", "is_discard": True})
    return moves


def _log(position: Position, names: dict[int, str], reader: int | None) -> list[dict[str, Any]]:
    """Return what has happened, each with the number of moves made by then, as `reader` saw it (None: everything)."""
    told = []
    for made, step in position.steps:
        if step.event.name in PASSING or step.state.deal is None:
            continue
        fields = dump_event(step.event) if reader is None else redact(step.event, reader)
        text = None if fields is None else sentence(fields, names, wild=step.state.deal.wild)
        if text is not None:
            told.append({"text": translated(text), "at": made, "now": made == position.at})
    for one, following in pairwise(told):
        one["now"] = one["now"] and not following["now"]
    return told


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
