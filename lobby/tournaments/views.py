"""Pages of tournaments, rendered by the server; each works without JavaScript."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from lobby.accounts.sign_in import signed_in_player
from lobby.tournaments import presenters, selectors, services
from lobby.tournaments.rule_text import prize_rows, published_rules
from rules.errors import RulesError
from tables.errors import TableError
from tables.models import Entrant, Tournament
from tables.tournaments import services as tournaments
from wallet.base.errors import Refusal
from wallet.language import gettext as _, translatable

#: So many places are on a page.
SHOWN = 20
#: What a player may do, by the name of the button: the service, and the message afterwards.
ACTS: dict[str, tuple[Callable[..., Any], str]] = {
    "enter": (services.enter_player, translatable("You are in. You are called when it begins.")),
    "withdraw": (tournaments.withdraw_entry, translatable("You are out again, and your entry is back.")),
    "back": (tournaments.come_back, translatable("You play on.")),
    "away": (tournaments.step_away, translatable("You are not paired until you come back.")),
}


@require_GET
def tournament_list(request: HttpRequest) -> HttpResponse:
    """Show what begins soon, what runs and what was."""
    return render(request, "lobby/tournaments/list.html", {"parts": presenters.parts(request.user)})


@require_GET
@never_cache
def tournament_list_now(request: HttpRequest) -> HttpResponse:
    """Show the lists alone, for open pages that reload them."""
    return render(request, "lobby/tournaments/parts.html", {"parts": presenters.parts(request.user)})


@require_GET
def tournament_page(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show a tournament: its rules, its clock, its rounds, one's own way, and a page of the places."""
    tournament = _found(tournament_id)
    context = {**_live(request, tournament), "rules": published_rules(tournament), "prizes": prize_rows(tournament)}
    return render(request, "lobby/tournaments/tournament.html", context)


@require_GET
@never_cache
def tournament_now(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the parts of the page that change, alone, for open pages that reload them."""
    return render(request, "lobby/tournaments/live.html", _live(request, _found(tournament_id)))


@require_GET
@never_cache
def others(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the first places and one's own alone, for a table between two deals."""
    tournament = _found(tournament_id)
    entrant = selectors.own_entrant(tournament, request.user)
    rows = selectors.first_places(tournament, entrant)
    context = {"tournament": presenters.card(tournament), "rows": rows, "own": entrant and entrant.pk}
    return render(request, "lobby/tournaments/others.html", context)


@login_required
@require_POST
def act(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Enter, withdraw, come back or step away: `act` in the form."""
    if (name := request.POST.get("act", "")) in ACTS:
        service, message = ACTS[name]
        try:
            service(tournament_id=tournament_id, user=signed_in_player(request))
            messages.success(request, _(message))
        except (Refusal, RulesError) as refusal:
            if getattr(refusal, "status", 0) == 404:
                raise Http404 from refusal
            messages.error(request, getattr(refusal, "message", _("That did not work.")))
    return redirect("lobby:tournament", tournament_id)


@require_GET
def how_tournaments_work(request: HttpRequest) -> HttpResponse:
    """Explain both kinds of tournaments, how seats are drawn, and how prizes are shared."""
    return render(request, "lobby/tournaments/how_it_works.html")


def _found(tournament_id: int) -> Tournament:
    try:
        return selectors.tournament_of(tournament_id)
    except TableError as refusal:
        raise Http404(refusal.message) from refusal


def _live(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    entrant = selectors.own_entrant(tournament, request.user)
    first = request.GET.get("from", "")
    page = selectors.places_page(tournament, int(first) if first.isdecimal() and len(first) < 7 else 0, SHOWN)
    return {
        "tournament": presenters.card(tournament),
        "me": None if entrant is None else selectors.own_values(tournament, entrant),
        "own": entrant and entrant.pk,
        "way": [] if entrant is None else _by_round(entrant),
        "rounds": selectors.shown_rounds(tournament),
        "tables": selectors.running_tables(tournament),
        "places": presenters.with_pages(page.rows),
        "has_places": tournament.status in (Tournament.Status.RUNNING, Tournament.Status.OVER),
        "before": _address(tournament, page.before),
        "after": _address(tournament, page.after),
    }


def _by_round(entrant: Entrant) -> list[dict[str, Any]]:
    """Return the entrant's deals by round, numbered in it; all deals of an arena are one group without a round."""
    rounds: dict[int | None, list[dict[str, Any]]] = {}
    for deal in selectors.own_way(entrant):
        rounds.setdefault(deal["round"], []).append(deal)
    return [{"round": number, "deals": deals} for number, deals in rounds.items()]


def _address(tournament: Tournament, first: int | None) -> str:
    if first is None:
        return ""
    address = reverse("lobby:tournament", args=[tournament.pk])
    return f"{address}?{urlencode({'from': first})}#places" if first else f"{address}#places"
