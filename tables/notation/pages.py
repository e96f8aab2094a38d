"""The pages of Rummy Deal Notation: what it is, its files, and deals in it for whoever may see them."""

from pathlib import Path
from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

import rules.notation
from rules.books import BOOKS
from rules.notation import MOST_BYTES, MOST_MOVES, read
from tables.errors import TableError
from tables.history.filters import HistoryQuery
from tables.history.sharing import shared_by
from tables.notation.deals import CONTENT_TYPE, as_file, whole_history
from wallet.finance.own_data import file_or_page

_ROOM: Final = Path(rules.notation.__file__).parent
_GRAMMAR: Final = _ROOM / "grammar.ebnf"
#: All that is published, by name. What else lies there is not.
_FILES: Final = {file.name: file for file in (_ROOM / "README.md", _GRAMMAR, *sorted(_ROOM.glob("worked/*.rdn")))}


@require_GET
def about_notation(request: HttpRequest) -> HttpResponse:
    """Show programmers the notation: its grammar, and the worked files."""
    worked = [(name, read(file.read_bytes())) for name, file in _FILES.items() if file.suffix == ".rdn"]
    context = {
        "grammar": _GRAMMAR.read_text(encoding="utf-8"),
        "worked": [(name, BOOKS[deal.book.key].title, deal) for name, deal in worked],
        "most_bytes": MOST_BYTES,
        "most_moves": MOST_MOVES,
    }
    return render(request, "tables/notation.html", context)


@require_GET
def notation_file(request: HttpRequest, file: str) -> HttpResponse:
    """Return one of the published files."""
    if file not in _FILES:
        raise Http404
    return HttpResponse(_FILES[file].read_bytes(), content_type=CONTENT_TYPE)


@login_required
@require_GET
def history_notation(request: HttpRequest) -> HttpResponseBase:
    """Return the deals that match the query as a ZIP; with a wrong query redirect to the page of the history."""
    return file_or_page(request, HistoryQuery, whole_history, "tables:history")


@require_GET
def shared_notation(request: HttpRequest, token: str) -> HttpResponse:
    """Return the deal to anybody who has its link, without names where they are hidden there."""
    link = shared_by(token)
    if link is None:
        raise Http404
    try:
        answer = as_file(request, link.deal, anonymous=link.names_hidden, account=request.user.pk)
    except TableError as refusal:
        raise Http404 from refusal
    answer["X-Robots-Tag"] = "noindex"
    return answer
