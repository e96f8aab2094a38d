"""The page on which a player's own part in a finished deal is told as a story."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from rules.books import book
from tables.analysis import services, story
from tables.errors import TableError
from tables.history import selectors as history
from tables.models import Deal
from wallet.base.api import player_of


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
